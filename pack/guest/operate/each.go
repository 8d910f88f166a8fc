package operate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// piece is what was made of one input.
type piece struct {
	file   string           // scratch name
	suffix string           // of the name of the result, without a dot
	note   string           // of [tools.Made]
	seen   *tools.ImageInfo // reported instead, when there is one
	said   *tools.Extracted // likewise
}

// pieceWork makes something of one input. The problem is about this input, the
// error about the whole operation.
type pieceWork func(ctx context.Context, n int, path string) (*piece, *wire.ToolProblem, error)

// each carries out an operation with OutEach: every input by itself, results
// placed as they come. suffix is that of results as far as it is known before.
func (r *run) each(ctx context.Context, to tools.Each, suffix string, work pieceWork) error {
	in := r.order.Tool.In
	if len(in) == 1 && len(to.Names) == 0 {
		return r.single(ctx, to.Replace, work)
	}
	dir, err := r.openFolder(to.Replace)
	if err != nil {
		return err
	}
	for n, path := range in {
		if err := r.one(ctx, dir, to, n, path, suffix, work); err != nil {
			return errors.Join(err, dir.close())
		}
		r.done(n+1, path)
		if r.full() && n+1 < len(in) {
			r.problem(tools.Problem(tools.MoreResults, path, ""))
			break
		}
	}
	return dir.close()
}

// single makes one file of one input at the place of the result.
func (r *run) single(ctx context.Context, replace bool, work pieceWork) error {
	to := r.placer(replace)
	if err := to.probe(); err != nil {
		return err
	}
	path := r.order.Tool.In[0]
	made, problem, err := work(ctx, 0, path)
	if err != nil {
		return err
	}
	r.done(1, path)
	if problem != nil {
		r.problem(*problem)
		return nil
	}
	f, err := to.place(ctx, r.scratch(made.file))
	if err != nil {
		return err
	}
	r.placed(path, made, f)
	return nil
}

// one makes a file in a folder of one input.
func (r *run) one(ctx context.Context, dir *folder, to tools.Each, n int, path, suffix string, work pieceWork) error {
	name := func(suffix string) string {
		if len(to.Names) > 0 {
			return to.Names[n]
		}
		return dir.unique(withSuffix(filepath.Base(path), suffix))
	}
	early := ""
	if suffix != "" || len(to.Names) > 0 { // what is there already costs no work
		early = name(suffix)
		if err := dir.at(early).free(); err != nil {
			return r.notPlaced(path, err)
		}
	}
	made, problem, err := work(ctx, n, path)
	if err == nil && problem == nil {
		if early == "" {
			early = name(made.suffix)
		}
		var f wire.ToolFile
		if f, err = dir.at(early).place(ctx, r.scratch(made.file)); err == nil {
			r.placed(path, made, f)
		} else {
			err = r.notPlaced(path, err)
		}
	}
	if problem != nil {
		r.problem(*problem)
	}
	return errors.Join(err, r.sweep())
}

// notPlaced makes a problem of one input of a name that is taken.
func (r *run) notPlaced(path string, err error) error {
	if errors.Is(err, fs.ErrExist) {
		r.problem(tools.Problem(tools.OutputExists, path, err.Error()))
		return nil
	}
	return err
}

// placed reports a result.
func (r *run) placed(path string, made *piece, f wire.ToolFile) {
	r.hasMade(f)
	if made.seen != nil {
		seen := *made.seen
		seen.Out = f.Path
		r.report(seen)
		return
	}
	if made.said != nil {
		said := *made.said
		said.Out = f.Path
		r.report(said)
		return
	}
	r.report(tools.Made{Path: path, Out: f.Path, Note: made.note})
}

// keptDir is a directory in scratch that outlives an input.
const keptDir = "kept"

// sweep empties the scratch directory between inputs.
func (r *run) sweep() error {
	entries, err := r.scratchNames()
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		if e.Name() == keptDir {
			continue
		}
		errs = append(errs, r.scratchRemove(e.Name()))
	}
	return errors.Join(errs...)
}

// withSuffix gives a name another suffix.
func withSuffix(name, suffix string) string {
	stem := strings.TrimSuffix(name, filepath.Ext(name))
	if stem == "" {
		stem = name
	}
	const most = 240 // room for a number
	for len(stem)+len(suffix)+1 > most {
		_, size := lastRune(stem)
		stem = stem[:len(stem)-size]
	}
	return stem + "." + suffix
}

// uniqueName makes a name that is not used, whatever the case of letters, and
// marks it.
func uniqueName(used map[string]bool, name string) string {
	ext := filepath.Ext(name)
	stem, out := strings.TrimSuffix(name, ext), name
	for n := 2; used[strings.ToLower(out)]; n++ {
		out = fmt.Sprintf("%s (%d)%s", stem, n, ext)
	}
	used[strings.ToLower(out)] = true
	return out
}
