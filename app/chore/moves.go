package chore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"piwork/app/problem"
	"piwork/pack/tools"
	"piwork/pack/tools/natural"
	"piwork/vmhost/wire"
)

// mover is a chore that gives files other places or names. An operation of the
// pack proposes, the person sees every move, file.move and file.remove do them.
type mover struct {
	info    Info
	deep    bool // it moves files from or to folders within the folder
	propose func(ctx context.Context, env Env, f Folder) ([]proposal, []problem.Problem, error)
}

// proposal is a move that the guest proposes.
type proposal struct {
	tools.Move
	kept *tools.FileInfo // a copy that must still be there; nil where none is needed
}

// Info implements Chore.
func (c mover) Info() Info { return c.info }

// maxMoves bounds a plan: a person could not look at more.
const maxMoves = 20_000

// Plan implements Chore. A plan without operations says that everything is as
// the chore would have it.
func (c mover) Plan(ctx context.Context, env Env) (Plan, error) {
	plan := Plan{V: PlanVersion, Chore: c.info.Name, Params: env.Params, Operations: []Operation{}, Needs: c.info.Needs}
	for _, f := range env.Folders {
		if err := f.writable(); err != nil {
			return plan, err
		}
		entries, err := f.List(ctx, c.deep)
		if err != nil {
			return plan, err
		}
		there := map[string]Entry{}
		for _, e := range entries {
			there[f.Guest+"/"+e.Path] = e
			if !utf8.ValidString(path.Base(e.Path)) { // the guest cannot say what is to become of it
				plan.Skipped = append(plan.Skipped, *leftOut(problem.CodeInputName, f.Guest+"/"+e.Path))
			}
		}
		moves, skipped, err := c.propose(ctx, env, f)
		plan.Skipped = append(plan.Skipped, skipped...)
		if err != nil {
			return plan, err
		}
		ops, skipped, err := operationsOf(f.Guest, there, moves)
		if err != nil {
			return plan, fmt.Errorf("%s: %w", c.info.Name, err)
		}
		plan.Operations = append(plan.Operations, ops...)
		plan.Skipped = append(plan.Skipped, skipped...)
	}
	if n := len(plan.Operations); n > maxMoves {
		return plan, problem.New(problem.CodeTooManyInputs).With("count", n).With("max", maxMoves)
	}
	return plan, nil
}

// operationsOf makes operations of what the guest proposes. It is not trusted:
// only what the host knows to be in the folder is moved, only within it, and to
// places that are free, on any file system. A file whose new name is none, or taken,
// stays.
func operationsOf(root string, there map[string]Entry, moves []proposal) (out []Operation, skipped []problem.Problem, err error) {
	taken := make(map[string]int, len(there))
	for p := range there {
		taken[natural.Folded(p)]++
	}
	for _, m := range moves {
		if _, ok := there[m.Path]; ok {
			taken[natural.Folded(m.Path)]--
		}
	}
	done := make(map[string]bool, len(moves))
	for _, m := range moves {
		e, ok := there[m.Path]
		switch {
		case !ok || done[m.Path]:
			return nil, nil, fmt.Errorf("%q is not there, or twice", wire.Short(m.Path))
		case m.To == "" && !e.Type.IsDir():
			return nil, nil, fmt.Errorf("%q is no folder to remove", wire.Short(m.Path))
		}
		done[m.Path] = true
		in := []Input{{Path: m.Path, Size: e.Size, MTime: m.MTime}}
		var kept *Kept
		if m.kept != nil {
			k, ok := there[m.kept.Path]
			if !ok || m.kept.Path == m.Path {
				return nil, nil, fmt.Errorf("%q is not there to be kept", wire.Short(m.kept.Path))
			}
			kept = &Kept{Path: m.kept.Path, Size: k.Size, MTime: m.kept.MTime}
		}
		if m.To == "" {
			out = append(out, Operation{Op: opRemove, In: in, Out: m.Path, Effect: EffectDelete})
			continue
		}
		err := within(root, m.To)
		switch to := natural.Folded(m.To); {
		case errors.Is(err, errOutside):
			return nil, nil, err
		case err != nil || taken[to] > 0:
			taken[natural.Folded(m.Path)]++
			skipped = append(skipped, *leftOut(problem.CodeOutputName, m.Path))
			continue
		default:
			taken[to]++
		}
		out = append(out, Operation{Op: opMove, In: in, Kept: kept, Out: m.To, Effect: EffectMove})
	}
	return out, skipped, nil
}

// errOutside means that a path is not one in the folder: no honest guest names it.
var errOutside = errors.New("not a path in the folder")

// within refuses a path that is not one of plain, visible names in the folder.
func within(root, p string) error {
	rel, ok := strings.CutPrefix(p, root+"/")
	switch {
	case !ok || path.Clean(p) != p || !utf8.ValidString(p):
		return fmt.Errorf("%q: %w", wire.Short(p), errOutside)
	case len(p) > wire.MaxPath:
		return fmt.Errorf("%q is too long", wire.Short(p))
	}
	for name := range strings.SplitSeq(rel, "/") {
		if strings.HasPrefix(name, ".") || !tools.FileName(name) {
			return fmt.Errorf("%q is not a name for a file", wire.Short(name))
		}
	}
	return nil
}

// ask runs an operation that answers in parts, and hands each answer to take,
// which says after which path the next part begins.
func (e Env) ask(ctx context.Context, op string, in []string, params map[string]any, take func(info json.RawMessage) (string, error)) ([]problem.Problem, error) {
	var problems []problem.Problem
	said := map[wire.ToolProblem]bool{} // each part says again what it meets on its way
	all := amount{}
	for n := 1; ; n++ {
		before, now := all, all
		r, err := e.tool(ctx, wire.ToolParams{ID: fmt.Sprintf("ask-%d", n), Op: op, In: in, Params: params}, func(g wire.ToolProgress) {
			if g.Total == 0 { // a further part is looked for: what was counted stays so
				e.progress(before, before, g.Item)
				return
			}
			now = amount{items: g.Total}
			e.progress(amount{items: g.Done}, now, g.Item)
		})
		all = now
		if err != nil {
			return problems, fmt.Errorf("%s: %w", op, err)
		}
		if w := wholeOf(r, in); w != nil {
			return problems, w
		}
		last := ""
		for _, info := range r.Info {
			data, err := json.Marshal(info)
			if err != nil {
				return problems, err
			}
			if last, err = take(data); err != nil {
				return problems, fmt.Errorf("%s: %w", op, err)
			}
		}
		more := false
		for _, p := range r.Problems {
			if p.Code == tools.MoreResults {
				more = p.Path != ""
			} else if p.Path != "" && !said[p] && len(said) < MaxEntries {
				said[p] = true
				problems = append(problems, *problem.FromTool(p))
			}
		}
		if !more {
			return problems, nil
		}
		if last == "" || n > maxMoves {
			return problems, fmt.Errorf("%s: the answer has no end", op)
		}
		params = withParam(params, "after", last)
	}
}

// wholeOf is whole for an operation on folders: that a folder cannot be looked
// at is a problem of the chore.
func wholeOf(r wire.ToolResult, in []string) *problem.Problem {
	if p := whole(r); p != nil {
		return p
	}
	for _, p := range r.Problems {
		if slices.Contains(in, p.Path) && p.Code != tools.MoreResults {
			return problem.FromTool(p).Weigh(problem.Failed)
		}
	}
	return nil
}

func withParam(params map[string]any, name string, value any) map[string]any {
	out := map[string]any{name: value}
	for k, v := range params {
		if k != name {
			out[k] = v
		}
	}
	return out
}

// moves asks an operation that proposes moves.
func (e Env) moves(ctx context.Context, op, folder string, params map[string]any) ([]proposal, []problem.Problem, error) {
	var out []proposal
	problems, err := e.ask(ctx, op, []string{folder}, params, func(info json.RawMessage) (string, error) {
		var m tools.Move
		if err := json.Unmarshal(info, &m); err != nil || m.Path == "" {
			return "", errors.New("the answer is not what the operation says it is")
		}
		if len(out) == MaxEntries {
			return "", tooMany(MaxEntries)
		}
		out = append(out, proposal{Move: m})
		return m.Path, nil
	})
	return out, problems, err
}
