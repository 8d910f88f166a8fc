package chore

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"piwork/app/problem"
	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// maker is a chore that makes new files, of each of the files that are there or
// of all of them together, and leaves those as they are. Every step is one
// operation of the pack; what it makes follows from that: a file, or a folder of
// files.
type maker struct {
	info Info
	ops  []string // that a plan may have
	exts []string // by which files are looked for, with their dot, in lower case

	// look says what the files are; those that cannot be used are problems. Nil
	// only hashes them.
	look func(ctx context.Context, env Env, in []Input, done func(n int)) (map[string]seen, map[string]*problem.Problem, error)

	// makes says what is made of a file: nothing, when it is so already. Of a
	// file that nobody looked at (the zero seen), what is made of most. With
	// joins it is what is made of all files.
	makes func(params map[string]any, s seen) []making
	joins bool // its result has the name of the parameter "name"

	// expects is how much a step makes of a file; nil where that is not known.
	expects func(s seen) *Makes

	// doubts are problems of what a result is not sure of, by what the operation
	// reported; may be nil.
	doubts func(info []byte) (*problem.Problem, error)

	// params are those of an operation, of the parameters of the chore.
	params func(given map[string]any, op Operation) map[string]any

	// into are names of the folder of the results, by language; nil puts them
	// beside the files.
	into map[string]string
}

// making is one step for a file.
type making struct {
	op  string
	ext string // of the result, with its dot; "" of a folder, or sameExt
	// further works on what the step before it made, instead of on the file.
	further bool
	sheet   string // of a workbook; "" is the first that shows something
}

// sameExt is the extension that the file has.
const sameExt = "*"

// maxMade bounds a plan: a person could not look at more.
const maxMade = 20_000

// Info implements Chore.
func (c maker) Info() Info { return c.info }

// Plan implements Chore. A plan without operations says that everything is as
// the chore would have it.
func (c maker) Plan(ctx context.Context, env Env) (Plan, error) {
	plan := Plan{V: PlanVersion, Chore: c.info.Name, Params: Recorded(c.info, env.Params), Operations: []Operation{}, Needs: c.info.Needs}
	if err := c.checkParams(env.Params); err != nil {
		return plan, err
	}
	recursive, _ := env.Params["recursive"].(bool)
	var all []candidate
	taken := names{}
	for i, f := range env.Folders {
		if i == 0 || !c.joins {
			if err := f.writable(); err != nil {
				return plan, err
			}
		}
		entries, err := f.List(ctx, recursive)
		if err != nil {
			return plan, err
		}
		for _, e := range entries {
			taken.add(f.Guest + "/" + e.Path)
		}
		found, skipped := candidates(f, entries, c.exts)
		for n := range found {
			found[n].folder = i
		}
		all = append(all, found...)
		plan.Skipped = append(plan.Skipped, skipped...)
	}
	if len(all) == 0 && len(plan.Skipped) == 0 {
		return plan, noFiles(problem.CodeNoFiles, env.Folders, c.exts, recursive)
	}
	if len(all) > maxMade {
		return plan, problem.New(problem.CodeTooManyInputs).With("count", len(all)).With("max", maxMade)
	}
	files, err := c.usable(ctx, env, all, &plan)
	if err != nil {
		return plan, err
	}
	if len(files) == 0 {
		return plan, problem.New(problem.CodeNothingLeft).With("count", len(plan.Skipped))
	}
	if c.joins {
		err = c.join(env, files, taken, &plan)
	} else {
		err = c.each(env, files, taken, &plan)
	}
	if err == nil {
		plan.Limits, err = c.limits(env.Params, plan)
	}
	return plan, err
}

// checkParams refuses what operations would refuse, before anything is looked at.
func (c maker) checkParams(params map[string]any) error {
	for _, m := range c.makes(params, seen{}) {
		if err := checkParams(m.op, c.params(params, Operation{Op: m.op, Out: "/out" + m.ext})); err != nil {
			return err
		}
	}
	return nil
}

// usable is a file that can be used.
type usable struct {
	candidate
	seen
}

// usable looks at the files in the VM: what they are, and their hash.
func (c maker) usable(ctx context.Context, env Env, all []candidate, plan *Plan) ([]usable, error) {
	in := make([]Input, len(all))
	for i, f := range all {
		in[i] = Input{Path: f.guest, Size: f.entry.Size}
	}
	look := c.look
	if look == nil {
		look = looking(opHash)
	}
	found, broken, err := look(ctx, env, in, func(n int) { env.progress(sizesOf(in[:n]), sizesOf(in), "") })
	if err != nil {
		return nil, err
	}
	var out []usable
	for _, f := range all {
		switch s := found[f.guest]; {
		case broken[f.guest] != nil:
			plan.Skipped = append(plan.Skipped, *broken[f.guest])
		case !validHash(s):
			return nil, fmt.Errorf("the answer for %q is not a hash", wire.Short(f.guest))
		default:
			out = append(out, usable{f, s})
		}
	}
	if text(env.Params, "order") == orderDate {
		slices.SortStableFunc(out, func(a, b usable) int { return a.entry.Time.Compare(b.entry.Time) })
	}
	return out, nil
}

// looking looks with one operation that reports of each input.
func looking(op string) func(context.Context, Env, []Input, func(int)) (map[string]seen, map[string]*problem.Problem, error) {
	return func(ctx context.Context, env Env, in []Input, done func(int)) (map[string]seen, map[string]*problem.Problem, error) {
		return env.look(ctx, op, "look", in, done)
	}
}

// join plans one result of all files.
func (c maker) join(env Env, files []usable, taken names, plan *Plan) error {
	m := c.makes(env.Params, seen{})[0]
	name, err := resultName(text(env.Params, "name"), m.ext)
	if err != nil {
		return badParam("name", err)
	}
	o, ok := tools.Find(m.op)
	if !ok {
		return fmt.Errorf("there is no operation %s", m.op)
	}
	op := Operation{Op: m.op, Effect: EffectCreate}
	bytes := 0
	for _, f := range files {
		op.In = append(op.In, f.input())
		bytes += len(f.guest)
	}
	const most = wire.MaxLine / 4 // of paths, which JSON may make longer
	if len(op.In) > o.Max || bytes > most {
		return problem.New(problem.CodeTooManyInputs).With("count", len(op.In)).With("max", o.Max)
	}
	op.Out = taken.free(env.Folders[0].Guest, strings.TrimSuffix(name, m.ext), m.ext)
	plan.Operations = append(plan.Operations, op)
	return nil
}

func (u usable) input() Input { return Input{Path: u.guest, SHA256: u.SHA256, Size: u.Size} }

// each plans the steps of each file: the first of all files, then the second, so
// that one call of the runtime can do many of the same.
func (c maker) each(env Env, files []usable, taken names, plan *Plan) error {
	roots := make([]string, len(env.Folders))
	var steps [][]Operation
	for _, f := range files {
		folder := env.Folders[f.folder]
		dir := path.Dir(f.guest)
		if name := c.into[text(env.Params, "language")]; name != "" {
			if roots[f.folder] == "" {
				roots[f.folder] = taken.free(folder.Guest, name, "")
			}
			dir = roots[f.folder] + strings.TrimPrefix(dir, folder.Guest)
		}
		in := f.input()
		for n, m := range c.makes(env.Params, f.seen) {
			base := path.Base(f.guest)
			ext := m.ext
			if ext == sameExt {
				ext = path.Ext(base)
			}
			name := ofSheet(stem(base, ext), m.sheet)
			op := Operation{Op: m.op, In: []Input{in}, Sheet: m.sheet, Effect: EffectCreate, Out: taken.free(dir, name, ext)}
			if len(op.Out) > wire.MaxPath {
				plan.Skipped = append(plan.Skipped, *leftOut(problem.CodeInputName, f.guest))
				break
			}
			if m.further {
				op.In = []Input{{Path: steps[n-1][len(steps[n-1])-1].Out}}
			}
			if c.expects != nil {
				op.Makes = c.expects(f.seen)
			}
			if n == len(steps) {
				steps = append(steps, nil)
			}
			steps[n] = append(steps[n], op)
		}
	}
	plan.Operations = append(plan.Operations, slices.Concat(steps...)...)
	if n := len(plan.Operations); n > maxMade {
		return problem.New(problem.CodeTooManyInputs).With("count", n).With("max", maxMade)
	}
	return nil
}

// stem is the name of a file without its extension; that of a folder for what is
// in an archive has none of two.
func stem(base, ext string) string {
	s := strings.TrimSuffix(base, path.Ext(base))
	if second := path.Ext(s); ext == "" && strings.EqualFold(second, ".tar") {
		s = strings.TrimSuffix(s, second)
	}
	if s == "" {
		return base
	}
	return s
}

// limits bound each call: those that the operation has for the largest of them.
func (c maker) limits(params map[string]any, plan Plan) (wire.Limits, error) {
	var l wire.Limits
	for _, call := range c.calls(params, plan.Operations) {
		op, ok := tools.Find(call.op)
		if !ok {
			return l, fmt.Errorf("there is no operation %s", call.op)
		}
		if _, err := op.Decode(call.params); err != nil {
			return l, fmt.Errorf("%s: %w", call.op, err)
		}
		var load tools.Load
		for _, o := range call.operations {
			load.Inputs += len(o.In)
			for _, in := range o.In {
				load.Bytes += in.Size
			}
		}
		l.WallMS = max(l.WallMS, op.Limits(load).Wall.Milliseconds())
	}
	return l, nil
}
