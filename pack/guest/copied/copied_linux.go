package copied

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"piwork/vmhost/wire"
)

// Main is the whole of such a process: a verb and directories.
func Main(args []string) int {
	if len(args) < 2 {
		fmt.Fprintln(os.Stderr, "copy: a verb and directories are missing")
		return 2
	}
	if err := Run(args[0], args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "copy:", err)
		return 1
	}
	return 0
}

// Run does what a verb says in directories.
func Run(verb string, dirs []string, stdin io.Reader, stdout io.Writer) (err error) {
	c := &copies{in: bufio.NewReaderSize(stdin, 256<<10), out: bufio.NewWriterSize(stdout, 256<<10)}
	for _, dir := range dirs {
		if dir == "" {
			c.roots = append(c.roots, nil)
			continue
		}
		if verb == wire.CopyPut {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
			if strings.HasSuffix(dir, "/") {
				if err := os.Chmod(dir, 0o555); err != nil {
					return err
				}
			}
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			return err
		}
		defer root.Close()
		c.roots = append(c.roots, root)
	}
	switch verb {
	case wire.CopyPut:
		err = c.each(c.put)
	case wire.CopyList:
		err = c.list()
	case wire.CopyGet:
		err = c.each(c.get)
	default:
		err = fmt.Errorf("%q is nothing it does", verb)
	}
	return errors.Join(err, c.out.Flush())
}

// copies are the directories of one run.
type copies struct {
	roots []*os.Root
	in    *bufio.Reader
	out   *bufio.Writer
	made  []wire.CopyEntry // directories, whose modes are set when everything is in them
}

// each reads entries until the input ends.
func (c *copies) each(do func(root *os.Root, name string, e wire.CopyEntry) error) error {
	for {
		line, err := c.in.ReadSlice('\n')
		if err == io.EOF && len(line) == 0 {
			return c.close()
		}
		if err != nil {
			return err
		}
		var e wire.CopyEntry
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		if e.Dir < 0 || e.Dir >= len(c.roots) || c.roots[e.Dir] == nil {
			return fmt.Errorf("there is no directory %d", e.Dir)
		}
		if err := do(c.roots[e.Dir], string(e.Path), e); err != nil {
			return err
		}
	}
}

func (c *copies) say(e wire.CopyEntry) error {
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	_, err = c.out.Write(append(b, '\n'))
	return err
}

// errStays says that there is something else than the host believes.
var errStays = errors.New("something else is there")

// stays reports whether an error of make is of what programs did meanwhile: they made a name or
// took it away, or there is something in a directory of which the host has not told.
func stays(err error) bool {
	return errors.Is(err, errStays) || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// put makes what is at a name what the host says.
func (c *copies) put(root *os.Root, name string, e wire.CopyEntry) error {
	content := &io.LimitedReader{R: c.in, N: e.Size}
	var now wire.CopyEntry
	err := within(root, path.Dir(name), func() error {
		if now = look(root, name); e.Was == nil || !same(now, *e.Was) {
			return errStays
		}
		err := c.make(root, name, e, now, content)
		now = look(root, name)
		return err
	})
	if now.Stays = stays(err); err != nil && !now.Stays {
		return err
	}
	if _, err := io.CopyN(io.Discard, c.in, content.N); err != nil {
		return err
	}
	now.Dir, now.Path = e.Dir, e.Path
	if now.Kind == wire.CopyDir && !now.Stays {
		now.Mode = e.Mode & 0o777 // when everything is in it
	}
	return c.say(now)
}

// within makes a change in a directory, also where the directory may not be changed.
func within(root *os.Root, dir string, do func() error) error {
	at, err := root.Lstat(dir)
	if err != nil || at.Mode()&0o300 == 0o300 {
		return do() // which says what is missing
	}
	if root.Chmod(dir, at.Mode().Perm()|0o700) != nil {
		return do()
	}
	return errors.Join(do(), root.Chmod(dir, at.Mode().Perm()))
}

func (c *copies) make(root *os.Root, name string, e, now wire.CopyEntry, content io.Reader) error {
	if now.Kind != wire.CopyGone && now.Kind != e.Kind || now.Kind == wire.CopyLink {
		if now.Kind == wire.CopyDir {
			_ = root.Remove(path.Join(name, wire.CopyBeside)) // of a put that was cut off
		}
		if err := root.Remove(name); err != nil {
			return err
		}
		now = wire.CopyEntry{}
	}
	switch e.Kind {
	case wire.CopyGone:
		return nil
	case wire.CopyDir:
		if now.Kind != wire.CopyDir {
			if err := root.Mkdir(name, 0o700); err != nil {
				return err
			}
		}
		e.Was = nil
		c.made = append(c.made, e)
		return nil
	case wire.CopyLink:
		return root.Symlink(string(e.Target), name)
	case wire.CopyFile:
		return makeFile(root, name, e, now, content)
	}
	return fmt.Errorf("%q is no kind", e.Kind)
}

// makeFile makes a file beside its name, and gives it that unless something happened there
// meanwhile. It is another file: a program that has the old one open keeps that.
func makeFile(root *os.Root, name string, e, now wire.CopyEntry, content io.Reader) (err error) {
	beside := path.Join(path.Dir(name), wire.CopyBeside)
	_ = root.Remove(beside) // of a put that was cut off
	f, err := root.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		f.Close()
		if err != nil {
			_ = root.Remove(beside)
		}
	}()
	if _, err := io.CopyN(f, content, e.Size); err != nil {
		return err
	}
	if err := f.Chmod(fs.FileMode(e.Mode & 0o777)); err != nil {
		return err
	}
	t := time.Unix(0, e.MTime)
	if err := errors.Join(f.Close(), root.Chtimes(beside, t, t)); err != nil {
		return err
	}
	if !same(look(root, name), now) {
		return errStays
	}
	return root.Rename(beside, name)
}

// close gives directories that were made the modes they should have, the deepest first.
func (c *copies) close() error {
	for _, e := range slices.Backward(c.made) {
		if err := c.roots[e.Dir].Chmod(string(e.Path), fs.FileMode(e.Mode&0o777)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// look is what is at a name. What the host knows no kind for is nothing.
func look(root *os.Root, name string) wire.CopyEntry {
	at, err := root.Lstat(name)
	if err != nil {
		return wire.CopyEntry{}
	}
	return entry(root, name, at)
}

func entry(root *os.Root, name string, at fs.FileInfo) wire.CopyEntry {
	e := wire.CopyEntry{Mode: uint32(at.Mode().Perm())}
	st, ok := at.Sys().(*syscall.Stat_t)
	if !ok {
		return wire.CopyEntry{}
	}
	e.Ino = st.Ino
	switch at.Mode().Type() {
	case fs.ModeDir:
		e.Kind = wire.CopyDir
	case 0:
		e.Kind, e.Size = wire.CopyFile, at.Size()
		e.MTime, e.CTime = st.Mtim.Nano(), st.Ctim.Nano()
	case fs.ModeSymlink:
		target, err := root.Readlink(name)
		if err != nil || len(target) > wire.MaxCopyTarget {
			return wire.CopyEntry{}
		}
		e.Kind, e.Mode, e.Target = wire.CopyLink, 0, []byte(target)
	default:
		return wire.CopyEntry{}
	}
	return e
}

// same tells whether nothing happened between a and b. A directory is the same whatever is
// in it.
func same(a, b wire.CopyEntry) bool {
	if a.Kind == wire.CopyDir && b.Kind == wire.CopyDir {
		return a.Ino == b.Ino // its mode is set last
	}
	return a.Kind == b.Kind && a.Mode == b.Mode && a.Size == b.Size && a.MTime == b.MTime && a.CTime == b.CTime && a.Ino == b.Ino && bytes.Equal(a.Target, b.Target)
}

// list says what there is.
func (c *copies) list() error {
	for i, root := range c.roots {
		if root == nil {
			continue
		}
		err := walk(root, ".", func(name string, at fs.FileInfo, closed bool) error {
			e := entry(root, name, at)
			if e.Kind == wire.CopyGone {
				return nil
			}
			e.Dir, e.Path, e.Closed = i, []byte(name), closed
			return c.say(e)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// walk visits a name and everything below it, but for what a put was cut off with; what goes
// away meanwhile is not there. A directory that can't be read is closed.
func walk(root *os.Root, name string, visit func(name string, at fs.FileInfo, closed bool) error) error {
	at, err := root.Lstat(name)
	if err != nil {
		return nil
	}
	if !at.IsDir() {
		return visit(name, at, false)
	}
	names, err := namesIn(root, name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	if err := visit(name, at, err != nil); err != nil {
		return err
	}
	for _, n := range names {
		if n == wire.CopyBeside {
			continue
		}
		if err := walk(root, path.Join(name, n), visit); err != nil {
			return err
		}
	}
	return nil
}

// namesIn are the names in a directory in their order, nothing after an error.
func namesIn(root *os.Root, name string) ([]string, error) {
	dir, err := root.OpenFile(name, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	if len(names) > 0 {
		// A directory that may be read and not searched has names that say nothing.
		if _, err := root.Lstat(path.Join(name, names[0])); errors.Is(err, fs.ErrPermission) {
			return nil, err
		}
	}
	slices.Sort(names)
	return names, nil
}

// get sends a file. One that changes on the way does not have the sum that was said.
func (c *copies) get(root *os.Root, name string, asked wire.CopyEntry) error {
	say := func(e wire.CopyEntry) error {
		e.Dir, e.Path = asked.Dir, asked.Path
		return c.say(e)
	}
	unread := func() error {
		_, err := root.Lstat(name)
		return say(wire.CopyEntry{Removed: errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)})
	}
	if look(root, name).Kind != wire.CopyFile {
		return unread()
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return unread()
	}
	defer f.Close()
	at, err := f.Stat()
	if err != nil || !at.Mode().IsRegular() {
		return unread()
	}
	e := entry(root, name, at)
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(f, 0, e.Size)); err != nil {
		return unread()
	}
	e.Sum = h.Sum(nil)
	if err := say(e); err != nil || bytes.Equal(e.Sum, asked.Sum) {
		return err
	}
	n, err := io.Copy(c.out, io.NewSectionReader(f, 0, e.Size))
	if err != nil {
		return err
	}
	_, err = io.CopyN(c.out, zeros{}, e.Size-n) // it became shorter
	return err
}

// zeros is as much of nothing as is asked for.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
