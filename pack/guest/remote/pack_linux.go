package remote

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"piwork/pack/lazyregexp"
	"piwork/vmhost/wire/resume"
)

// Names in the directory of packs, each before the digest of one.
const (
	partPrefix = "part-" // what came of it so far
	newPrefix  = ".new-" // the tree, while it is made; likewise the directory of a place
	sumPrefix  = "sum-"  // of the tree; its time is when a place used it last
	usePrefix  = "use-"  // locked by places that use it
)

// Bounds of a pack's programs.
const (
	maxPack    = 8 << 30
	maxEntries = 500_000
	maxDepth   = 128

	packReserve = 1 << 30 // bytes that stay free on the disk
	spaceStep   = 32 << 20
	packQuiet   = time.Minute // without a byte the connection is taken for lost
	busyTime    = 20 * time.Second
	unusedPack  = 14 * 24 * time.Hour
)

var packName = lazyregexp.New(`^[0-9a-f]{16,128}$`)

// receivePack has the programs of a pack here: it answers how much of them is, reads the rest,
// compares all with what the sender says, and unpacks it. What came of a connection that
// breaks stays for the next one.
func receivePack(name string, in io.Reader, out io.Writer) error {
	if !packName().MatchString(name) {
		return fmt.Errorf("%q is no pack", name)
	}
	dir, err := below("pack")
	if err != nil {
		return err
	}
	if err := aloneIn(dir); err != nil {
		return err
	}
	sweepPacks(dir, name)
	if untouched(dir, name) {
		return resume.WriteLine(out, resume.Answer{Ready: true})
	}
	if _, err := lockFile(filepath.Join(dir, usePrefix+name), unix.LOCK_EX|unix.LOCK_NB); errors.Is(err, unix.EWOULDBLOCK) {
		return &codeError{resume.CodeBusy, errors.New("a task works with these programs, and something changed them: they come again when it has ended")}
	} else if err != nil {
		return err
	}
	if err := errors.Join(removeAll(filepath.Join(dir, name)), removeAll(filepath.Join(dir, newPrefix+name))); err != nil {
		return err
	}
	part := filepath.Join(dir, partPrefix+name)
	sum, err := readPart(part, in, out)
	if err == nil {
		err = install(dir, name, part, sum)
	}
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) || errors.Is(err, errDamaged) {
		err = errors.Join(err, removeAll(part), removeAll(filepath.Join(dir, newPrefix+name)))
	}
	if err != nil {
		return err
	}
	return resume.WriteLine(out, resume.Answer{Ready: true})
}

// aloneIn waits until nobody else changes packs. The lock is held until this process ends.
func aloneIn(dir string) error {
	for began := time.Now(); ; <-time.After(100 * time.Millisecond) {
		_, err := lock(dir, unix.LOCK_EX|unix.LOCK_NB)
		if err == nil || !errors.Is(err, unix.EWOULDBLOCK) {
			return err
		}
		if time.Since(began) > busyTime {
			return &codeError{resume.CodeBusy, errors.New("programs are being sent to this computer already")}
		}
	}
}

// sweepPacks removes what was left half made, and packs that nobody used for long.
func sweepPacks(dir, but string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		at := filepath.Join(dir, e.Name())
		info, err := os.Lstat(at)
		old := err == nil && time.Since(info.ModTime()) > unusedPack
		switch prefix, name := splitName(e.Name()); {
		case name == but:
		case prefix == newPrefix, prefix == partPrefix && old:
			_ = removeAll(at)
		case prefix == sumPrefix && old:
			use := filepath.Join(dir, usePrefix+name)
			if fd, err := lockFile(use, unix.LOCK_EX|unix.LOCK_NB); err == nil {
				_ = errors.Join(removeAll(filepath.Join(dir, name)), os.Remove(at), os.Remove(use), unix.Close(fd))
			}
		}
	}
}

func splitName(s string) (prefix, name string) {
	for _, p := range []string{partPrefix, newPrefix, sumPrefix, usePrefix} {
		if name, ok := strings.CutPrefix(s, p); ok {
			return p, name
		}
	}
	return "", s
}

// readPart reads what is missing of a pack, and returns the sum that all is to have.
func readPart(part string, in io.Reader, out io.Writer) (string, error) {
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_APPEND|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return "", err
	}
	defer f.Close()
	have, err := f.Seek(0, io.SeekEnd)
	if err == nil {
		err = resume.WriteLine(out, resume.Answer{Have: have})
	}
	if err != nil {
		return "", err
	}
	b := bufio.NewReaderSize(heard{in}, 256<<10)
	z, err := gzip.NewReader(b)
	if err != nil {
		return "", err
	}
	z.Multistream(false)
	n, err := io.Copy(&spacious{to: f, dir: filepath.Dir(part)}, io.LimitReader(z, maxPack-have+1))
	if err == nil && have+n > maxPack {
		err = fmt.Errorf("%w: too much of it", errDamaged)
	}
	if err != nil {
		return "", err
	}
	var sent resume.Request
	if err := resume.ReadLine(b, &sent); err != nil {
		return "", err
	}
	return sent.SHA256, f.Close()
}

// heard ends when nothing comes for too long, where what it reads can be waited for.
type heard struct{ from io.Reader }

func (h heard) Read(b []byte) (int, error) {
	if d, ok := h.from.(interface{ SetReadDeadline(time.Time) error }); ok {
		_ = d.SetReadDeadline(time.Now().Add(packQuiet)) // a file has none
	}
	return h.from.Read(b)
}

// spacious writes as long as enough of the disk is free.
type spacious struct {
	to      io.Writer
	dir     string
	granted int
}

func (s *spacious) Write(b []byte) (int, error) {
	if s.granted -= len(b); s.granted < 0 {
		if err := free(s.dir, spaceStep); err != nil {
			return 0, err
		}
		s.granted = spaceStep
	}
	return s.to.Write(b)
}

// free refuses to fill the disk that a directory is on.
func free(dir string, bytes int64) error {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return err
	}
	if left := int64(min(st.Bavail, 1<<40)) * st.Bsize; left < bytes+packReserve {
		return fmt.Errorf("%d MiB are free on this computer's disk: %w", left>>20, unix.ENOSPC)
	}
	return nil
}

var errDamaged = &codeError{resume.CodeDamaged, errors.New("the programs did not arrive as they were sent")}

// install unpacks what came, when it is what was sent.
func install(dir, name, part, sum string) error {
	f, err := os.Open(part)
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	size, err := io.Copy(h, f)
	if err != nil {
		return err
	}
	if hex.EncodeToString(h.Sum(nil)) != sum {
		return errDamaged
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := free(dir, size); err != nil {
		return err
	}
	made, place := filepath.Join(dir, newPrefix+name), filepath.Join(dir, name)
	if err := unpack(made, bufio.NewReaderSize(f, 1<<20)); err != nil {
		return err
	}
	// What is renamed is there after a crash.
	if err := errors.Join(unix.Syncfs(int(f.Fd())), os.Rename(made, place)); err != nil {
		return err
	}
	now, err := sumOf(place)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, sumPrefix+name), []byte(now), 0o600)
	}
	return errors.Join(err, os.Remove(part))
}

// stamp is what a directory gets when nothing is put into it any more.
type stamp struct {
	name string
	mode fs.FileMode
	time time.Time
}

// unpack unpacks a tar into a directory that it makes. Nothing of it comes to be anywhere
// else, and nothing of it has rights of its own.
func unpack(dir string, from io.Reader) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	var dirs []stamp
	t := tar.NewReader(from)
	for n := 0; ; n++ {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("%w: %w", errDamaged, err)
		}
		name := filepath.Clean(h.Name)
		if n > maxEntries || !filepath.IsLocal(name) || strings.Count(name, "/") > maxDepth {
			return fmt.Errorf("%w: %.200q", errDamaged, h.Name)
		}
		mode := fs.FileMode(h.Mode)&0o777 | 0o400
		if h.Typeflag == tar.TypeDir {
			mode |= 0o100
		}
		mode |= mode&0o500>>3 | mode&0o500>>6 // where the login is root, programs are somebody else
		switch h.Typeflag {
		case tar.TypeDir:
			dirs = append(dirs, stamp{name, mode, h.ModTime})
			if name != "." {
				err = root.Mkdir(name, 0o700)
			}
		case tar.TypeReg:
			err = put(root, name, mode, h.ModTime, t)
		case tar.TypeSymlink:
			err = root.Symlink(h.Linkname, name)
		case tar.TypeLink:
			err = root.Link(filepath.Clean(h.Linkname), name)
		default:
			err = fmt.Errorf("%w: %q is a %q", errDamaged, h.Name, h.Typeflag)
		}
		if err != nil {
			return err
		}
	}
	for n := len(dirs) - 1; n >= 0; n-- {
		d := dirs[n]
		if err := errors.Join(root.Chtimes(d.name, d.time, d.time), root.Chmod(d.name, d.mode)); err != nil {
			return err
		}
	}
	return nil
}

// put makes a file.
func put(root *os.Root, name string, mode fs.FileMode, at time.Time, from io.Reader) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Chmod(mode), f.Close(), root.Chtimes(name, at, at))
}
