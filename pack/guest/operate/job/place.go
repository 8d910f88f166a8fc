package job

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"piwork/vmhost/wire"
)

// Placer puts a result where it belongs.
type Placer struct {
	target  string
	replace bool
	placing func(part string) // hears of the temporary file before and after
	Time    time.Time         // of the result's last change; zero is now
	Many    bool              // one of many that are synced together
}

// Probe finds out before the work whether its result could be placed at all.
func (p Placer) Probe() error {
	if err := p.free(); err != nil {
		return err
	}
	return p.try()
}

// try finds out whether a file can be made beside the target: by making one, since
// permission bits of a share say little. Those of the machine's own disk say all.
func (p Placer) try() error {
	if allowed, err := mayMake(filepath.Dir(p.target)); allowed || err != nil {
		return err
	}
	f, part, err := p.create()
	if err != nil {
		return err
	}
	err = errors.Join(f.Close(), os.Remove(part))
	p.placing("")
	return err
}

// free returns an error while the target's name is taken.
func (p Placer) free() error {
	st, err := os.Lstat(p.target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case st.IsDir():
		return &fs.PathError{Op: "create", Path: p.target, Err: fs.ErrExist}
	case !p.replace:
		return &fs.PathError{Op: "create", Path: p.target, Err: fs.ErrExist}
	}
	return nil
}

// create makes the temporary file beside the target.
func (p Placer) create() (*os.File, string, error) {
	part := temporary(p.target)
	p.placing(part)
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		p.placing("")
		return nil, "", err
	}
	return f, part, nil
}

// temporary makes a name for what stands beside a target until it is whole.
func temporary(target string) string {
	return filepath.Join(filepath.Dir(target), partPrefix+rand.Text()+partSuffix)
}

// place puts a finished file of scratch at the target, whole or not at all, and
// leaves it in scratch: it is copied, since it is the programs' user's there.
func (p Placer) place(ctx context.Context, file string) (wire.ToolFile, error) {
	in, _, err := OpenMade(file)
	if err != nil {
		return wire.ToolFile{}, err
	}
	defer in.Close()
	return p.Write(func(w io.Writer) error {
		_, err := CopyLarge(w, ContextReader{ctx, in})
		return err
	})
}

// Write makes the target of what fill writes: whole or not at all. Errors of
// writing are marked as WriteError, unlike those of fill's own.
func (p Placer) Write(fill func(io.Writer) error) (wire.ToolFile, error) {
	out, part, err := p.create()
	if err != nil {
		return wire.ToolFile{}, err
	}
	defer p.placing("")
	sum, size := sha256.New(), &sizeWriter{}
	aside := newBeside(sum)
	err = errors.Join(fill(io.MultiWriter(MarkWriter{out}, aside, size)), aside.Close())
	if err == nil && !p.Many {
		err = syncFile(out)
	}
	if cerr := out.Close(); err == nil {
		err = cerr
	}
	if err == nil && !p.Time.IsZero() {
		err = os.Chtimes(part, p.Time, p.Time)
	}
	if err == nil {
		err = p.rename(part)
	}
	if err != nil {
		if rerr := os.Remove(part); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
			err = errors.Join(err, rerr)
		}
		return wire.ToolFile{}, err
	}
	if !p.Many {
		if err := syncDir(filepath.Dir(p.target)); err != nil {
			return wire.ToolFile{}, fmt.Errorf("sync the folder: %w", err)
		}
	}
	return wire.ToolFile{Path: p.target, Size: size.n, SHA256: hex.EncodeToString(sum.Sum(nil))}, nil
}

// sizeWriter counts what is written.
type sizeWriter struct{ n int64 }

func (s *sizeWriter) Write(b []byte) (int, error) {
	s.n += int64(len(b))
	return len(b), nil
}

// rename gives the temporary file its name. Where the file system cannot
// rename without replacing (9p), the name is looked at once more just before.
func (p Placer) rename(part string) error {
	if !p.replace {
		err := RenameNoReplace(part, p.target)
		if !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
	}
	if err := p.free(); err != nil {
		return err
	}
	return os.Rename(part, p.target)
}

// CopyLarge copies in pieces that suit a share: io.Copy's are small, and its
// short cuts between files end at the border of two file systems.
func CopyLarge(w io.Writer, r io.Reader) (int64, error) {
	buf := takeBuffer()
	defer giveBuffer(buf)
	return io.CopyBuffer(tellingWriter{w}, struct{ io.Reader }{r}, buf)
}

// tellingWriter asks again where a write said neither how much nor why: on a
// full share the kernel's client answers the first write(2) with 0 and only the
// next with ENOSPC, and os.File makes io.ErrUnexpectedEOF of the 0.
type tellingWriter struct{ w io.Writer }

func (t tellingWriter) Write(b []byte) (int, error) {
	n, err := t.w.Write(b)
	if n < len(b) && errors.Is(err, io.ErrUnexpectedEOF) {
		m, err := t.w.Write(b[n:])
		return n + m, err
	}
	return n, err
}

// Clean removes a temporary file, or folder with all in it, that an ended process
// left; any other path is refused.
func Clean(path string) error {
	if !IsPart(path) {
		return fmt.Errorf("%q is not a temporary file of an operation", path)
	}
	return os.RemoveAll(path)
}

// Empty removes all that programs left in a directory of their user, also where they took
// away the right to.
func Empty(dir string) error {
	if dir == "" {
		return nil // an order without programs
	}
	return asPrograms(func() error { return removeAllIn(dir) })
}

func removeAllIn(dir string) error {
	if removeIn(dir) == nil {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	err = fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return nil //nolint:nilerr // removing says it
		}
		return root.Chmod(name, 0o700)
	})
	return errors.Join(err, removeIn(dir))
}

func removeIn(dir string) error {
	list, err := os.ReadDir(dir)
	for _, e := range list {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
	return err
}

// Placer puts the operation's one result where it belongs.
func (r *Job) Placer(replace bool) Placer { return r.placerAt(r.Order.Tool.Out, replace) }

func (r *Job) placerAt(target string, replace bool) Placer {
	return Placer{target: target, replace: replace, placing: func(part string) { r.Send(Event{Placing: &part}) }}
}

// PlaceResult places a scratch file as the result.
func (r *Job) PlaceResult(ctx context.Context, name string, to Placer) error {
	f, err := to.place(ctx, r.Scratch(name))
	if err != nil {
		return err
	}
	r.AddResult(f)
	return nil
}
