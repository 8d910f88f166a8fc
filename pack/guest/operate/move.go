package operate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
)

// move is file.move.
func move(ctx context.Context, r *job.Job, p *tools.FileMove) error {
	m := mover{pins: &r.Pins, ready: map[string]bool{}, plain: map[uint64]bool{}}
	for n, from := range r.Order.Tool.In {
		if err := ctx.Err(); err != nil {
			return err
		}
		want := ""
		if len(p.MTimes) > 0 {
			want = p.MTimes[n]
		}
		if err := m.move(from, p.To[n], want); err == nil {
			r.AddInfo(tools.Move{Path: from, To: p.To[n], Kind: fileKind(from)})
		} else if err := r.PassOver(err); err != nil {
			return err
		}
		r.Done(n+1, from)
	}
	return nil
}

// mover moves one after another, and remembers what holds for all.
type mover struct {
	pins  *job.Pins
	ready map[string]bool // ways from folder to folder that are there and without a link
	plain map[uint64]bool // file systems that cannot rename without replacing (9p)
}

// move moves a file or folder to a free path.
func (m *mover) move(from, to, want string) error {
	fail := func(code string, err error) error { return job.Refuse(code, from, err.Error()) }
	m.pins.Pin(filepath.Dir(from))
	here, done, err := job.Within(from)
	var st fs.FileInfo
	if err == nil {
		defer done()
		defer job.Hold(here)()
		st, err = os.Lstat(here)
	}
	if err != nil {
		if _, there := os.Lstat(to); errors.Is(err, fs.ErrNotExist) && there == nil {
			return nil // it was moved before
		}
		return job.RefuseInput(from, job.Cause(from, err))
	}
	if want != "" && mtime(st) != want {
		return fail(tools.InputChanged, fmt.Errorf("changed at %s, not at %s", mtime(st), want))
	}
	dir := filepath.Dir(to)
	if way := filepath.Dir(from) + "\x00" + dir; !m.ready[way] {
		if link := linkBetween(from, dir); link != "" {
			return fail(tools.OutputDenied, fmt.Errorf("%s is a link, which may lead anywhere", link))
		}
		if err := job.MakeBeneath(dir); err != nil {
			return fail(tools.OutputCode(err), err)
		}
		m.pins.Pin(dir)
		m.ready[way] = true
	}
	there, done, err := job.Within(to)
	if err != nil {
		return fail(tools.OutputDenied, err)
	}
	defer done()
	err = errors.ErrUnsupported
	if on := job.Device(st); !m.plain[on] {
		err = job.RenameNoReplace(here, there)
		m.plain[on] = errors.Is(err, errors.ErrUnsupported)
	}
	if errors.Is(err, fs.ErrExist) || errors.Is(err, errors.ErrUnsupported) {
		other, lerr := os.Lstat(there)
		switch {
		case lerr == nil && !os.SameFile(st, other):
			return fail(tools.OutputExists, fmt.Errorf("%s: %w", to, fs.ErrExist))
		case lerr == nil || errors.Is(lerr, fs.ErrNotExist): // another case of letters, or free
			err = job.Rename(here, there)
		default:
			err = lerr
		}
	}
	if err != nil {
		return fail(tools.OutputCode(err), job.Cause(to, err))
	}
	return nil
}

// linkBetween returns the first link on the way to a folder, below what it has
// in common with a file; "" when there is none.
func linkBetween(file, dir string) string {
	var way []string
	file = filepath.Clean(file) // with the separators of this system, as Dir has them
	for ; dir != filepath.Dir(dir) && !strings.HasPrefix(file, dir+string(filepath.Separator)); dir = filepath.Dir(dir) {
		way = append(way, dir)
	}
	for _, p := range slices.Backward(way) {
		if st, err := os.Lstat(p); err == nil && st.Mode()&fs.ModeSymlink != 0 {
			return p
		}
	}
	return ""
}

// remove is file.remove.
func remove(ctx context.Context, r *job.Job, p *tools.FileRemove) error {
	for n, in := range r.Order.Tool.In {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := removeOne(in, p.Files); err == nil {
			r.AddInfo(tools.Move{Path: in})
		} else if err := r.PassOver(err); err != nil {
			return err
		}
		r.Done(n+1, in)
	}
	return nil
}

// removeOne removes an empty folder or, when that is wanted, a file. What is
// gone is gone.
func removeOne(in string, files bool) error {
	here, done, err := job.Within(in)
	var st fs.FileInfo
	if err == nil {
		defer done()
		st, err = os.Lstat(here)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return job.RefuseInput(in, job.Cause(in, err))
	case !st.IsDir() && !files:
		return job.Refuse(tools.InputUnsupported, in, "not a folder")
	}
	if err := os.Remove(here); err != nil {
		err, code := job.Cause(in, err), tools.OutputCode(err)
		if st.IsDir() && code == tools.ToolFailed {
			code = tools.OutputExists // something is in it
		}
		return job.Refuse(code, in, err.Error())
	}
	return nil
}
