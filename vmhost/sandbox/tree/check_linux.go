package tree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/gofrs/flock"
	"gvisor.dev/gvisor/pkg/erofs"

	"piwork/pack/durable"
)

// sumPrefix is before the digest in the name of the file with a tree's sum.
const sumPrefix = "sum-"

// mendRounds is how often a tree is compared that changes while it is.
const mendRounds = 3

// Check brings back what was changed in a tree that [Ensure] made, was deleted from it or
// put into it, and returns the names of that. Usually it only asks the file system whether
// anything was touched since the tree was compared with its image. When something was, and
// with deep, it reads both whole; verify verifies the image before that.
//
// Programs that run in the tree meanwhile keep the files that they have open.
func Check(ctx context.Context, dir, image, digest string, deep bool, verify func(context.Context) error, change ...Change) ([]string, error) {
	if !digestName().MatchString(digest) {
		return nil, fmt.Errorf("check the runtime: %q is no digest", digest)
	}
	place, kept := filepath.Join(dir, digest), filepath.Join(dir, sumPrefix+digest)
	if !deep && untouched(ctx, place, kept) {
		return nil, nil
	}
	lock := flock.New(filepath.Join(dir, lockName))
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		return nil, fmt.Errorf("check the runtime: %w", err)
	}
	defer lock.Close()
	if !deep && untouched(ctx, place, kept) { // somebody else mended it
		return nil, nil
	}
	if err := verify(ctx); err != nil {
		return nil, err
	}
	all, err := mendUntilSame(ctx, place, image, kept, change)
	if err != nil {
		return all, fmt.Errorf("check the runtime: %w", err)
	}
	return all, nil
}

// untouched tells whether a tree has the sum that is kept of it.
func untouched(ctx context.Context, place, kept string) bool {
	want, err := os.ReadFile(kept)
	if err != nil {
		return false
	}
	return watched.same(ctx, place, string(want))
}

// keepSum keeps the sum of a tree.
func keepSum(ctx context.Context, dir, digest string) error {
	sum, err := sumOf(ctx, filepath.Join(dir, digest), nil)
	if err != nil {
		return err
	}
	return writeSum(filepath.Join(dir, sumPrefix+digest), sum)
}

// writeSum writes a sum. Half of one is that of no tree.
func writeSum(name, sum string) error { return os.WriteFile(name, []byte(sum), 0o600) }

// mendUntilSame mends a tree until it is its image and nothing was touched meanwhile, and
// keeps its sum.
func mendUntilSame(ctx context.Context, place, image, kept string, change []Change) (all []string, err error) {
	if _, err := os.Lstat(place); err != nil {
		return nil, err
	}
	for range mendRounds {
		before, _ := sumOf(ctx, place, nil) // what cannot be read is mended
		names, err := mend(ctx, image, changes{place, change})
		all = append(all, names...)
		if err != nil {
			return all, err
		}
		if len(names) > 0 {
			continue // what a crash takes away again is not in the sum
		}
		if after, err := sumOf(ctx, place, nil); err == nil && after == before {
			slices.Sort(all)
			return slices.Compact(all), writeSum(kept, after)
		}
	}
	return all, errors.New("its files change all the time")
}

// mend makes a tree what its image is, and returns what was not.
func mend(ctx context.Context, image string, c changes) ([]string, error) {
	f, err := os.Open(image)
	if err != nil {
		return nil, err
	}
	i, err := erofs.OpenImage(f) // which closes f with itself, and not on an error
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", filepath.Base(image), err)
	}
	defer i.Close()
	root, err := os.OpenRoot(c.place)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	m := mender{unpacker: unpacker{ctx: ctx, image: i, root: root, first: map[uint64]string{}, changes: c}}
	err = m.mend(i.RootNid(), ".", 0, func() error { return nil })
	return m.names, err
}

// mender compares a tree with its image.
type mender struct {
	unpacker
	names []string // that were not as they should be
}

// mend compares one name, and what is below it. open makes the directory that it is in one
// that can be changed.
func (m *mender) mend(nid uint64, name string, depth int, open func() error) error {
	if err := m.ctx.Err(); err != nil {
		return context.Cause(m.ctx)
	}
	if depth > maxDepth {
		return fmt.Errorf("%s: more than %d directories deep", name, maxDepth)
	}
	inode, err := m.image.Inode(nid)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	info, err := m.root.Lstat(name)
	switch {
	case err == nil && inode.IsDir() && info.IsDir():
		err = m.mendDir(&inode, name, info, depth)
	case err == nil && m.same(&inode, name, info):
		return nil
	case err == nil && m.meta(&inode, name, info):
		m.names = append(m.names, name)
		return nil
	default:
		m.names = append(m.names, name)
		if err = open(); err == nil {
			err = m.replace(nid, name, depth)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// replace puts what is in the image in the place of what is there.
func (m *mender) replace(nid uint64, name string, depth int) error {
	if err := durable.RemoveAll(filepath.Join(m.place, filepath.FromSlash(name))); err != nil {
		return err
	}
	if err := m.put(nid, name, depth); err != nil {
		return err
	}
	defer func() { m.times = nil }()
	return m.stampDirs()
}

// same tells whether a file or a link is as in the image.
func (m *mender) same(i *erofs.Inode, name string, info fs.FileInfo) bool {
	switch {
	case i.IsSymlink() && info.Mode()&fs.ModeSymlink != 0:
		want, err := m.target(i)
		there, rerr := m.root.Readlink(name)
		return err == nil && rerr == nil && want == there
	case i.IsRegular() && info.Mode().IsRegular():
		return info.Mode() == mode(i) && info.ModTime().Equal(mtime(i)) && m.content(i, name, info)
	}
	return false
}

// meta gives a file whose content is right its mode and its time back.
func (m *mender) meta(i *erofs.Inode, name string, info fs.FileInfo) bool {
	if !i.IsRegular() || !info.Mode().IsRegular() || m.root.Chmod(name, mode(i)) != nil || !m.content(i, name, info) {
		return false
	}
	return m.root.Chtimes(name, mtime(i), mtime(i)) == nil
}

// content compares a file's, and that names which are one file in the image are one.
func (m *mender) content(i *erofs.Inode, name string, info fs.FileInfo) bool {
	if there, ok := m.first[i.Nid()]; ok {
		other, err := m.root.Lstat(there)
		return err == nil && os.SameFile(other, info)
	}
	pieces, size, err := m.pieces(i, name)
	if err != nil || uint64(info.Size()) != size {
		return false
	}
	f, err := m.root.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	there := make([]byte, compareBytes)
	for _, b := range pieces {
		for want := range slices.Chunk(b, compareBytes) {
			if n, err := io.ReadFull(f, there[:len(want)]); err != nil || !bytes.Equal(want, there[:n]) {
				return false
			}
		}
	}
	if i.Nlink() > 1 {
		m.first[i.Nid()] = name
	}
	return true
}

// compareBytes is how much is compared at a time.
const compareBytes = 256 << 10

// mendDir compares a directory with what is in it.
func (m *mender) mendDir(i *erofs.Inode, name string, info fs.FileInfo, depth int) error {
	dirty := false
	open := func() error {
		if dirty {
			return nil
		}
		dirty = true
		return m.root.Chmod(name, 0o700)
	}
	if info.Mode().Perm() != mode(i) || !info.ModTime().Equal(mtime(i)) {
		m.names = append(m.names, name)
		if err := open(); err != nil {
			return err
		}
	}
	wanted := map[string]bool{}
	err := i.IterDirents(func(entry string, _ uint8, nid uint64) error {
		if entry == "." || entry == ".." {
			return nil
		}
		if !isEntry(entry) {
			return fmt.Errorf("%q is no name", entry)
		}
		kind, err := m.image.Inode(nid)
		if err != nil || !kind.IsDir() && !kind.IsRegular() && !kind.IsSymlink() {
			return err
		}
		wanted[entry] = true
		return m.mend(nid, path.Join(name, entry), depth+1, open)
	})
	if err != nil {
		return err
	}
	entries, err := fs.ReadDir(m.root.FS(), name)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if wanted[e.Name()] {
			continue
		}
		m.names = append(m.names, path.Join(name, e.Name()))
		if err := open(); err != nil {
			return err
		}
		if err := durable.RemoveAll(filepath.Join(m.place, filepath.FromSlash(name), e.Name())); err != nil {
			return err
		}
	}
	if !dirty {
		return nil
	}
	return errors.Join(m.root.Chtimes(name, mtime(i), mtime(i)), m.root.Chmod(name, mode(i)))
}
