package act

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
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
	"unicode/utf8"

	"piwork/vmhost/wire"
)

// file does one operation on files, and says what came of it.
func (s *speaker) file(ctx context.Context, p wire.FileParams, in io.Reader) error {
	if err := p.Validate(); err != nil {
		return err
	}
	at, err := open(p.Roots, p.Path)
	if err != nil {
		return s.failed(p.Path, err)
	}
	defer at.root.Close()
	var r wire.FileResult
	switch p.Op {
	case wire.FileRead:
		r, err = at.read(p.Offset, p.Length)
	case wire.FileWrite:
		r, err = at.write(p, in)
	case wire.FileList:
		r, err = at.list(p.Depth, p.Limit)
	case wire.FileStat:
		r.Info, err = at.stat()
	case wire.FileWatch:
		r, err = at.watch(ctx, p, func(c wire.FileChange) error { return s.say(wire.ActNews{Change: &c}, nil) })
	}
	if err != nil {
		return s.failed(p.Path, err)
	}
	return s.say(wire.ActNews{File: &r}, r.Data)
}

// place is a path below a root.
type place struct {
	root *os.Root
	name string // in root
	path string // as the caller has it
}

// open finds the nearest root that a path is in.
func open(roots []string, p string) (place, error) {
	roots = slices.Clone(roots)
	slices.SortFunc(roots, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for _, dir := range roots {
		name, ok := strings.CutPrefix(p, strings.TrimSuffix(dir, "/")+"/")
		if p == dir {
			name, ok = ".", true
		}
		if !ok {
			continue
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			return place{}, err
		}
		return place{root, name, p}, nil
	}
	return place{}, refuse(wire.ActOutside, "%s is in none of %q", p, roots)
}

// in is a name below the place.
func (at place) in(name string) place {
	return place{at.root, path.Join(at.name, name), path.Join(at.path, name)}
}

// file opens a regular file. A pipe does not hold it up.
func (at place) file() (*os.File, fs.FileInfo, error) {
	f, err := at.root.OpenFile(at.name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = refuse(wire.ActKind, "%s is no file", at.path)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

func (at place) read(offset, length int64) (r wire.FileResult, err error) {
	f, info, err := at.file()
	if err != nil {
		return r, err
	}
	defer f.Close()
	if r.Data, err = io.ReadAll(io.NewSectionReader(f, offset, length)); err != nil {
		return r, err
	}
	r.Size = int64(len(r.Data))
	i := describe(at.path, info)
	r.Info = &i
	if offset == 0 && r.Size == info.Size() {
		sum := sha256.Sum256(r.Data) // of what is given, also where the file is changed meanwhile
		i.SHA256 = hex.EncodeToString(sum[:])
		return r, nil
	}
	i.SHA256, err = digest(f, info)
	return r, err
}

// digest is the SHA-256 of a file, "" of one that is too large.
func digest(f io.ReaderAt, info fs.FileInfo) (string, error) {
	if info.Size() > wire.MaxFileDigest {
		return "", nil
	}
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(f, 0, wire.MaxFileDigest)); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func (at place) stat() (*wire.FileInfo, error) {
	info, err := at.root.Lstat(at.name)
	if err != nil {
		return nil, err
	}
	i := describe(at.path, info)
	switch i.Kind {
	case wire.KindLink:
		i.Target, err = at.root.Readlink(at.name)
	case wire.KindFile:
		f, info, ferr := at.file()
		if errors.Is(ferr, fs.ErrPermission) {
			return &i, nil // what it is can be said, what is in it not
		}
		if ferr != nil {
			return nil, ferr
		}
		defer f.Close()
		i.SHA256, err = digest(f, info)
	}
	return &i, err
}

// describe is what a listing says of a file.
func describe(p string, info fs.FileInfo) wire.FileInfo {
	i := wire.FileInfo{Path: p, Kind: wire.KindOther, Mode: uint32(info.Mode().Perm()), Modified: info.ModTime().UTC()}
	switch {
	case info.Mode().IsRegular():
		i.Kind, i.Size = wire.KindFile, info.Size()
	case info.IsDir():
		i.Kind = wire.KindDirectory
	case info.Mode()&fs.ModeSymlink != 0:
		i.Kind = wire.KindLink
	}
	for bit, mode := range map[uint32]fs.FileMode{0o4000: fs.ModeSetuid, 0o2000: fs.ModeSetgid, 0o1000: fs.ModeSticky} {
		if info.Mode()&mode != 0 {
			i.Mode |= bit
		}
	}
	return i
}

// maxAround is more than what an answer has around its entries, in bytes.
const maxAround = 1 << 10

// listing collects entries up to a limit.
type listing struct {
	wire.FileResult
	limit int
	bytes int // of the entries, as they are said
}

// errEnough ends a listing that is full.
var errEnough = errors.New("the list is full")

func (at place) list(depth, limit int) (wire.FileResult, error) {
	l := listing{limit: limit}
	err := l.directory(at, depth)
	if errors.Is(err, errEnough) {
		l.More, err = true, nil
	}
	return l.FileResult, err
}

// directory lists one, and those below it as far as depth. What goes away meanwhile, or
// may not be read below, is left out.
func (l *listing) directory(at place, depth int) error {
	dir, err := at.root.OpenFile(at.name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer dir.Close()
	if info, err := dir.Stat(); err != nil || !info.IsDir() {
		return cmp.Or(err, refuse(wire.ActKind, "%s is no directory", at.path))
	}
	names, err := dir.Readdirnames(l.limit - len(l.Entries) + 1 + wire.MaxEntries)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	slices.Sort(names)
	for _, name := range names {
		if !utf8.ValidString(name) {
			l.Unnamed++
			continue
		}
		below := at.in(name)
		info, err := at.root.Lstat(below.name)
		if err != nil {
			continue
		}
		i := describe(below.path, info)
		if i.Kind == wire.KindLink {
			if i.Target, err = at.root.Readlink(below.name); err != nil || !utf8.ValidString(i.Target) {
				i.Target = ""
			}
		}
		said, err := json.Marshal(i)
		if err != nil {
			return err
		}
		if l.bytes += len(said) + len(","); len(l.Entries) == l.limit || l.bytes > wire.MaxActLine-maxAround {
			return errEnough
		}
		l.Entries = append(l.Entries, i)
		if i.Kind == wire.KindDirectory && depth > 0 {
			if err := l.directory(below, depth-1); errors.Is(err, errEnough) {
				return err
			}
		}
	}
	if len(names) > wire.MaxEntries {
		return errEnough
	}
	return nil
}

// write replaces a file, or makes one.
func (at place) write(p wire.FileParams, in io.Reader) (wire.FileResult, error) {
	var r wire.FileResult
	data, err := io.ReadAll(io.LimitReader(in, p.Size+1))
	if err != nil {
		return r, err
	}
	if int64(len(data)) != p.Size {
		return r, refuse(wire.ActFailed, "%d bytes came, not %d", len(data), p.Size)
	}
	if p.Parents {
		if err := at.root.MkdirAll(path.Dir(at.name), 0o755); err != nil {
			return r, err
		}
	}
	if r.Info, err = at.replace(p.Expect, bytes.NewReader(data)); err != nil {
		return r, err
	}
	sum := sha256.Sum256(data)
	r.Info.SHA256 = hex.EncodeToString(sum[:])
	return r, nil
}

// expect checks that a file is as it is expected, and returns its permissions; nil where
// there is none.
func (at place) expect(want string) (*fs.FileMode, error) {
	info, err := at.root.Lstat(at.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if want != "" && want != wire.FileAbsent {
			return nil, &refusal{wire.ActChanged, wire.FileAbsent, fmt.Errorf("%s is not there", at.path)}
		}
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, refuse(wire.ActKind, "%s is no file that can be written", at.path)
	}
	mode := info.Mode().Perm()
	if want == "" {
		return &mode, nil
	}
	f, info, err := at.file()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > wire.MaxFileDigest {
		return nil, refuse(wire.ActTooLarge, "%s has %d bytes, too many to compare", at.path, info.Size())
	}
	has, err := digest(f, info)
	if err == nil && has != want {
		err = &refusal{wire.ActChanged, has, fmt.Errorf("%s has the digest %s", at.path, has)}
	}
	return &mode, err
}

// create makes a file that is not there yet. What could not be completed is removed.
func (at place) create(name string, from io.Reader, mode fs.FileMode) error {
	f, err := at.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return at.present()
	}
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, at.root.Remove(name))
	}
	return nil
}

// present is the refusal of a file that is not to be there.
func (at place) present() error {
	return &refusal{wire.ActChanged, "", fmt.Errorf("%s is there already", at.path)}
}

// replace puts a new file in the place of one that is as expected, before its content comes
// and after. It keeps the permissions. A file that is to be absent is made under its own name,
// which rules are asked about, and can be seen before it is whole.
func (at place) replace(expect string, from io.Reader) (*wire.FileInfo, error) {
	mode, err := at.expect(expect)
	if err != nil {
		return nil, err
	}
	usual := fs.FileMode(0o644)
	mode = cmp.Or(mode, &usual)
	if expect == wire.FileAbsent {
		err = at.create(at.name, from, *mode)
	} else {
		err = at.exchange(expect, from, *mode)
	}
	if err != nil {
		return nil, err
	}
	info, err := at.root.Lstat(at.name)
	if err != nil {
		return nil, err
	}
	i := describe(at.path, info)
	return &i, nil
}

// exchange makes a file and renames it over the one that is as expected.
func (at place) exchange(expect string, from io.Reader, mode fs.FileMode) error {
	part := path.Join(path.Dir(at.name), ".piwork-"+rand.Text()+".part")
	if err := at.create(part, from, mode); err != nil {
		return err
	}
	_, err := at.expect(expect)
	if err == nil {
		err = at.root.Rename(part, at.name)
	}
	if err != nil {
		return errors.Join(err, at.root.Remove(part))
	}
	return nil
}
