package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// Piece is what was made of one input.
type Piece struct {
	File   string           // scratch name
	Suffix string           // of the name of the result, without a dot
	Note   string           // of [tools.Made]
	Seen   *tools.ImageInfo // reported instead, when there is one
	Said   *tools.Extracted // likewise
}

// pieceWork makes something of one input, or returns a [Refusal] of it.
type pieceWork func(ctx context.Context, n int, path string) (*Piece, error)

// Each carries out an operation with OutEach: every input by itself, results
// placed as they come. suffix is that of results as far as it is known before.
func (r *Job) Each(ctx context.Context, to tools.Each, suffix string, work pieceWork) error {
	e := eachInput{r, to, suffix, work}
	in := r.Order.Tool.In
	if len(in) == 1 && len(to.Names) == 0 {
		return e.single(ctx)
	}
	dir, err := r.OpenFolder(to.Replace)
	if err != nil {
		return err
	}
	for n, path := range in {
		if err := e.one(ctx, dir, n, path); err != nil {
			return errors.Join(err, dir.close())
		}
		r.Done(n+1, path)
		if r.Full() && n+1 < len(in) {
			r.AddProblem(tools.Problem(tools.MoreResults, path, ""))
			break
		}
	}
	return dir.close()
}

// eachInput is an operation with OutEach under way.
type eachInput struct {
	*Job
	to     tools.Each
	suffix string
	work   pieceWork
}

// single makes one file of one input at the place of the result.
func (r eachInput) single(ctx context.Context) error {
	to := r.Placer(r.to.Replace)
	if err := to.Probe(); err != nil {
		return err
	}
	path := r.Order.Tool.In[0]
	made, err := r.work(ctx, 0, path)
	if err != nil {
		if err = r.PassOver(err); err == nil {
			r.Done(1, path)
		}
		return err
	}
	r.Done(1, path)
	f, err := to.place(ctx, r.Scratch(made.File))
	if err != nil {
		return err
	}
	r.placed(path, made, f)
	return nil
}

// one makes a file in a folder of one input.
func (r eachInput) one(ctx context.Context, dir *Folder, n int, path string) error {
	name := func(suffix string) string {
		if len(r.to.Names) > 0 {
			return r.to.Names[n]
		}
		return dir.Unique(WithSuffix(filepath.Base(path), suffix))
	}
	early := ""
	if r.suffix != "" || len(r.to.Names) > 0 { // what is there already costs no work
		early = name(r.suffix)
		if err := dir.At(early).free(); err != nil {
			return r.notPlaced(path, err)
		}
	}
	made, err := r.work(ctx, n, path)
	if err == nil {
		if early == "" {
			early = name(made.Suffix)
		}
		var f wire.ToolFile
		if f, err = dir.At(early).place(ctx, r.Scratch(made.File)); err == nil {
			r.placed(path, made, f)
		} else {
			err = r.notPlaced(path, err)
		}
	}
	return errors.Join(r.PassOver(err), r.Sweep())
}

// notPlaced makes a problem of one input of a name that is taken.
func (r eachInput) notPlaced(path string, err error) error {
	if errors.Is(err, fs.ErrExist) {
		r.AddProblem(tools.Problem(tools.OutputExists, path, err.Error()))
		return nil
	}
	return err
}

// placed reports a result.
func (r eachInput) placed(path string, made *Piece, f wire.ToolFile) {
	r.AddResult(f)
	if made.Seen != nil {
		seen := *made.Seen
		seen.Out = f.Path
		r.AddInfo(seen)
		return
	}
	if made.Said != nil {
		said := *made.Said
		said.Out = f.Path
		r.AddInfo(said)
		return
	}
	r.AddInfo(tools.Made{Path: path, Out: f.Path, Note: made.Note})
}

// KeptDir is a directory in scratch that outlives an input.
const KeptDir = "kept"

// Sweep empties the scratch directory between inputs.
func (r *Job) Sweep() error {
	entries, err := r.scratchNames()
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		if e.Name() == KeptDir {
			continue
		}
		errs = append(errs, r.ScratchRemove(e.Name()))
	}
	return errors.Join(errs...)
}

// WithSuffix gives a name another suffix.
func WithSuffix(name, suffix string) string {
	stem := cmp.Or(strings.TrimSuffix(name, filepath.Ext(name)), name)
	const most = 240 // room for a number
	for len(stem)+len(suffix)+1 > most {
		_, size := lastRune(stem)
		stem = stem[:len(stem)-size]
	}
	return stem + "." + suffix
}

// UniqueName makes a name that is not used, whatever the case of letters, and
// marks it.
func UniqueName(used map[string]bool, name string) string {
	ext := filepath.Ext(name)
	stem, out := strings.TrimSuffix(name, ext), name
	for n := 2; used[strings.ToLower(out)]; n++ {
		out = fmt.Sprintf("%s (%d)%s", stem, n, ext)
	}
	used[strings.ToLower(out)] = true
	return out
}

// ReportEach reports something of every input.
func (r *Job) ReportEach(ctx context.Context, look func(ctx context.Context, n int, path string) (any, error)) error {
	in := r.Order.Tool.In
	for n, path := range in {
		v, err := look(ctx, n, path)
		if err == nil {
			r.AddInfo(v)
		}
		if err = errors.Join(r.PassOver(err), r.Sweep()); err != nil {
			return err
		}
		r.Done(n+1, path)
		if r.Full() && n+1 < len(in) {
			r.AddProblem(tools.Problem(tools.MoreResults, path, ""))
			return nil
		}
	}
	return nil
}

// IntoFolder carries out an operation with OutFolder on one input.
func (r *Job) IntoFolder(_ context.Context, replace bool, work func(dir *Folder) error) error {
	dir, err := r.OpenWhole(replace)
	if err != nil {
		return err
	}
	if err = work(dir); err == nil {
		r.Done(1, r.Order.Tool.In[0])
	}
	return dir.End(r.PassOver(err))
}

// PlaceIn places a scratch file in the folder of results, under a name that
// becomes unique, and removes it from scratch.
func (r *Job) PlaceIn(ctx context.Context, dir *Folder, file, name string) error {
	if r.Full() {
		return &Error{tools.ToolFailed, errors.New("more results than an answer has room for")}
	}
	f, err := dir.At(dir.Unique(name)).place(ctx, r.Scratch(file))
	if err != nil {
		return err
	}
	r.AddResult(f)
	return r.ScratchRemove(file)
}
