package tree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"gvisor.dev/gvisor/pkg/erofs"

	"piwork/pack/durable"
	"piwork/pack/lazyregexp"
)

const (
	lockName    = "lock"
	agentPrefix = "agent-" // before the digest
	staging     = ".new-"  // before the digest, while it is made
	lockPoll    = 100 * time.Millisecond
	maxDepth    = 128
)

var digestName = lazyregexp.New(`^[0-9a-f]{16,128}$`)

// There reports whether the tree of a digest is.
func There(dir, digest string) bool {
	_, err := os.Stat(filepath.Join(dir, digest))
	return err == nil
}

// Ensure returns the directory of the tree of an image, below dir, and unpacks it when it
// is not there. digest is that of the image, in hexadecimal, which the caller has verified.
// With a change the tree differs from its image by that.
func Ensure(ctx context.Context, dir, image, digest string, change ...Change) (string, error) {
	if !digestName().MatchString(digest) {
		return "", fmt.Errorf("unpack the runtime: %q is no digest", digest)
	}
	place := filepath.Join(dir, digest)
	if _, err := os.Stat(place); err == nil {
		return place, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	lock := flock.New(filepath.Join(dir, lockName))
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		return "", fmt.Errorf("unpack the runtime: %w", err)
	}
	defer lock.Close()
	if _, err := os.Stat(place); err == nil { // it was made meanwhile
		return place, nil
	}
	if err := sweep(dir); err != nil {
		return "", err
	}
	made := filepath.Join(dir, staging+digest)
	err := unpack(ctx, made, image, changes{place, change})
	if err == nil {
		err = syncAll(made)
	}
	if err == nil { // else it looked as old as the image
		err = touch(dir, digest, time.Now())
	}
	if err == nil {
		err = os.Rename(made, place)
	}
	if err == nil {
		err = keepSum(ctx, dir, digest)
	}
	if err == nil {
		err = syncDir(dir)
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("unpack the runtime: %w", err), durable.RemoveAll(made))
	}
	return place, nil
}

// sweep removes what a program that was killed left behind; the lock is held.
func sweep(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), staging) {
			if err := durable.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// unpacker is one image on its way into a directory.
type unpacker struct {
	ctx   context.Context
	image *erofs.Image
	root  *os.Root
	first map[uint64]string // of files with several names, by inode: the name that is there
	times []stamp           // of directories: set when nothing is put into them any more
	changes
}

type stamp struct {
	name string
	mode fs.FileMode
	time time.Time
}

func unpack(ctx context.Context, dir, image string, c changes) error {
	f, err := os.Open(image)
	if err != nil {
		return err
	}
	i, err := erofs.OpenImage(f) // which closes f with itself, and not on an error
	if err != nil {
		f.Close()
		return fmt.Errorf("%s: %w", filepath.Base(image), err)
	}
	defer i.Close()
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	u := &unpacker{ctx: ctx, image: i, root: root, first: map[uint64]string{}, changes: c}
	if err := u.put(i.RootNid(), ".", 0); err != nil {
		return err
	}
	return u.stampDirs()
}

// stampDirs gives the directories that were made their modes and times.
func (u *unpacker) stampDirs() error {
	for n := len(u.times) - 1; n >= 0; n-- {
		s := u.times[n]
		if err := errors.Join(u.root.Chtimes(s.name, s.time, s.time), u.root.Chmod(s.name, s.mode)); err != nil {
			return err
		}
	}
	return nil
}

// put makes what an inode is, and what is below it.
func (u *unpacker) put(nid uint64, name string, depth int) error {
	if err := u.ctx.Err(); err != nil {
		return context.Cause(u.ctx)
	}
	if depth > maxDepth {
		return fmt.Errorf("%s: more than %d directories deep", name, maxDepth)
	}
	inode, err := u.image.Inode(nid)
	if err == nil {
		switch {
		case inode.IsDir():
			err = u.putDir(&inode, name, depth)
		case inode.IsRegular():
			err = u.putFile(&inode, name)
		case inode.IsSymlink():
			var target string
			if target, err = u.target(&inode); err == nil {
				err = u.root.Symlink(target, name)
			}
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func mtime(i *erofs.Inode) time.Time { return time.Unix(int64(i.Mtime()), int64(i.MtimeNsec())) }

// mode is what this user needs to read it, and what the image says; nothing of it is
// setuid, setgid or sticky.
func mode(i *erofs.Inode) fs.FileMode {
	m := fs.FileMode(i.Mode())&0o777 | 0o400
	if i.IsDir() {
		m |= 0o500
	}
	return m
}

func (u *unpacker) putDir(i *erofs.Inode, name string, depth int) error {
	if name != "." {
		if err := u.root.Mkdir(name, 0o700); err != nil {
			return err
		}
	}
	u.times = append(u.times, stamp{name, mode(i), mtime(i)})
	return i.IterDirents(func(entry string, _ uint8, nid uint64) error {
		if entry == "." || entry == ".." {
			return nil
		}
		if !isEntry(entry) {
			return fmt.Errorf("%q is no name", entry)
		}
		return u.put(nid, path.Join(name, entry), depth+1)
	})
}

// isEntry tells whether an image may have a name in a directory.
func isEntry(name string) bool { return name != "" && !strings.ContainsAny(name, "/\x00") }

func (u *unpacker) putFile(i *erofs.Inode, name string) error {
	if there, ok := u.first[i.Nid()]; ok {
		return u.root.Link(there, name)
	}
	pieces, _, err := u.pieces(i, name)
	if err != nil {
		return err
	}
	f, err := u.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	for _, b := range pieces {
		if err == nil && len(b) > 0 {
			_, err = f.Write(b)
		}
	}
	if err == nil {
		err = f.Chmod(mode(i))
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if i.Nlink() > 1 {
		u.first[i.Nid()] = name
	}
	return u.root.Chtimes(name, mtime(i), mtime(i))
}

// syncDir makes a rename in a directory durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
