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
	"piwork/vmhost/wire"
)

// call is what one call of the runtime does of a plan.
type call struct {
	op         string
	out        string // file or folder
	params     map[string]any
	operations []Operation
}

// makingRun is a run of a plan under way.
type makingRun struct {
	c       maker
	env     Env
	plan    Plan
	params  map[string]any // with passwords
	out     Outcome
	there   map[string]bool // results that are there
	taken   map[string]bool // by somebody else, of folders of the plan
	planned map[string]bool // results of the plan
	calls   int             // so far, for their ids
	done    amount
	total   amount
}

// Run implements Chore. It may be called again after it was interrupted, with an
// Env.Made: what was made whole stays and is not made again.
func (c maker) Run(ctx context.Context, env Env, plan Plan) (Outcome, error) {
	r := &makingRun{
		c: c, env: env, plan: plan, params: WithPasswords(c.info, plan.Params, env.Params),
		there: map[string]bool{}, planned: map[string]bool{},
	}
	if err := r.check(); err != nil {
		return r.out, err
	}
	todo, err := r.left(ctx)
	if err != nil {
		return r.out, err
	}
	var in []Input
	for _, op := range todo {
		in = append(in, slices.DeleteFunc(slices.Clone(op.In), func(i Input) bool { return r.planned[i.Path] })...)
	}
	told := func(int) { env.progress(r.done, r.total, "") }
	told(0)
	if err := env.unchanged(ctx, once(in), told); err != nil {
		return r.out, err
	}
	if todo, err = r.agreed(ctx, todo); err != nil {
		return r.out, err
	}
	for _, call := range c.calls(r.params, todo) {
		if err := r.call(ctx, call); err != nil {
			return r.out, err
		}
	}
	if len(r.out.Results) == 0 {
		return r.out, problem.New(problem.CodeNothingLeft).With("count", len(plan.Operations))
	}
	return r.out, nil
}

// check refuses what is no plan of this chore.
func (r *makingRun) check() error {
	if r.plan.V != PlanVersion || r.plan.Chore != r.c.info.Name || len(r.plan.Operations) == 0 {
		return errPlan
	}
	for _, op := range r.plan.Operations {
		if !slices.Contains(r.c.ops, op.Op) || op.Effect != EffectCreate || len(op.In) == 0 || len(op.In) > 1 && !r.c.joins || r.planned[op.Out] {
			return errPlan
		}
		if !slices.ContainsFunc(r.env.Folders, func(f Folder) bool { return within(f.Guest, op.Out) == nil }) {
			return errPlan
		}
		for _, in := range op.In {
			if in.SHA256 == "" && !r.planned[in.Path] {
				return errPlan
			}
		}
		r.planned[op.Out] = true
		r.total = r.total.plus(amountOf(op.In))
	}
	return nil
}

// once leaves out inputs that were there before.
func once(in []Input) []Input {
	seen := make(map[string]bool, len(in))
	return slices.DeleteFunc(in, func(i Input) bool {
		known := seen[i.Path]
		seen[i.Path] = true
		return known
	})
}

// left are the operations whose result is not there, whole, from an earlier run.
func (r *makingRun) left(ctx context.Context) ([]Operation, error) {
	if r.env.Made == nil {
		return r.plan.Operations, nil
	}
	made, err := r.env.Made(ctx)
	if err != nil || len(made) == 0 {
		return r.plan.Operations, err
	}
	// A folder of results appears whole: one file of it tells of all.
	of := func(p string) (op string, ok bool) {
		for dir := p; ; dir = path.Dir(dir) {
			if r.planned[dir] {
				return dir, true
			}
			if len(dir) < 2 {
				return "", false
			}
		}
	}
	var in []Input
	for p, sum := range made {
		if _, ok := of(p); ok {
			in = append(in, Input{Path: p, SHA256: sum})
		}
	}
	slices.SortFunc(in, func(a, b Input) int { return strings.Compare(a.Path, b.Path) })
	now, _, err := r.env.look(ctx, opHash, "made", in, nil)
	if err != nil {
		return nil, err
	}
	for _, i := range in {
		if s, ok := now[i.Path]; ok && s.SHA256 == i.SHA256 {
			op, _ := of(i.Path)
			r.there[op] = true
			if err := r.result(wire.ToolFile{Path: i.Path, Size: s.Size, SHA256: s.SHA256}); err != nil {
				return nil, err
			}
		}
	}
	var todo []Operation
	for _, op := range r.plan.Operations {
		if r.there[op.Out] {
			r.done = r.done.plus(amountOf(op.In))
		} else {
			todo = append(todo, op)
		}
	}
	return todo, nil
}

// calls are the calls that do operations: many of the same in one, where an
// operation makes a file of each.
func (c maker) calls(params map[string]any, ops []Operation) []call {
	var out []call
	var key string
	var bytes int64
	var paths int
	for _, op := range ops {
		def, _ := tools.Find(op.Op)
		p := c.params(params, op)
		if def.Out != tools.OutEach {
			out, key = append(out, call{op: op.Op, out: op.Out, params: p, operations: []Operation{op}}), ""
			continue
		}
		like, err := json.Marshal([]any{op.Op, path.Dir(op.Out), p})
		length := len(op.In[0].Path) + len(op.Out)
		last := len(out) - 1
		if err != nil || string(like) != key || len(out[last].operations) == convertBatch || bytes+op.In[0].Size > convertBytes || paths+length > pathBytes {
			out, key, bytes, paths = append(out, call{op: op.Op, out: path.Dir(op.Out), params: p}), string(like), 0, 0
			last++
		}
		out[last].operations = append(out[last].operations, op)
		bytes += op.In[0].Size
		paths += length
	}
	return out
}

func (r *makingRun) call(ctx context.Context, c call) error {
	op, ok := tools.Find(c.op)
	switch {
	case !ok:
		return fmt.Errorf("there is no operation %s", c.op)
	case op.Out == tools.OutEach:
		return r.each(ctx, c)
	case op.Out == tools.OutFolder:
		return r.folder(ctx, c)
	default:
		return r.file(ctx, c)
	}
}

// tool does one call, and tells how far it is.
func (r *makingRun) tool(ctx context.Context, c call, in []Input, params map[string]any) (wire.ToolResult, error) {
	r.calls++
	p := wire.ToolParams{
		ID: fmt.Sprintf("make-%d", r.calls), Op: c.op, In: paths(in), Out: c.out, Params: params, Limits: r.plan.Limits,
	}
	res, err := r.env.tool(ctx, p, func(g wire.ToolProgress) {
		r.env.progress(r.done.plus(amountDone(in, g.Done)), r.total, g.Item)
	})
	if err != nil {
		return res, fmt.Errorf("%s: %w", c.op, err)
	}
	return res, nil
}

// advance counts inputs as done.
func (r *makingRun) advance(in []Input) {
	r.done = r.done.plus(amountOf(in))
	r.env.progress(r.done, r.total, "")
}

// result adds a file to the results.
func (r *makingRun) result(f wire.ToolFile) error {
	return r.out.add(r.env, f)
}

// errElse means that the guest made something that nobody asked for.
var errElse = errors.New("the tool made something else than was asked for")

// each makes a file of each input. An input that an earlier step should have
// made, and did not, was named then.
func (r *makingRun) each(ctx context.Context, c call) error {
	var rest []Operation
	for _, op := range c.operations {
		if r.planned[op.In[0].Path] && !r.there[op.In[0].Path] {
			r.advance(op.In)
		} else {
			rest = append(rest, op)
		}
	}
	for len(rest) > 0 {
		var in []Input
		var names []string
		for _, op := range rest {
			in = append(in, op.In[0])
			names = append(names, path.Base(op.Out))
		}
		res, err := r.tool(ctx, c, in, withParam(c.params, "names", names))
		if err != nil {
			return err
		}
		n := Answered(paths(in), res)
		if err := errors.Join(r.take(rest[:n], res), r.doubts(in[:n], res)); err != nil {
			return fmt.Errorf("%s: %w", c.op, err)
		}
		if w := whole(res); w != nil {
			return w
		}
		rest = rest[n:]
		r.advance(in[:n])
	}
	return nil
}

// take sorts an answer about operations with one input each. The guest is not
// trusted: only what was planned is a result.
func (r *makingRun) take(ops []Operation, res wire.ToolResult) error {
	made := make(map[string]wire.ToolFile, len(res.Out))
	for _, f := range res.Out {
		made[f.Path] = f
	}
	if len(made) != len(res.Out) {
		return errElse
	}
	in := make([]Input, len(ops))
	for i, op := range ops {
		in[i] = op.In[0]
	}
	read, problems := map[string]seen{}, map[string]*problem.Problem{}
	if err := answers(in, res, read, problems); err != nil {
		return err
	}
	for _, op := range ops {
		path := op.In[0].Path
		f, ok := made[op.Out]
		delete(made, op.Out)
		switch p := problems[path]; {
		case ok:
			r.there[op.Out] = true
			if err := r.result(f); err != nil {
				return err
			}
			// What it read has to be what was planned, where it says so.
			if s := read[path]; s.SHA256 != "" && s.SHA256 != op.In[0].SHA256 && op.In[0].SHA256 != "" {
				r.out.Problems = append(r.out.Problems, *problem.FromTool(wire.ToolProblem{Code: problem.CodeChangedSince, Path: path}))
			}
		case p != nil:
			r.out.Problems = append(r.out.Problems, *p)
		case whole(res) == nil:
			r.out.Problems = append(r.out.Problems, *problem.FromTool(wire.ToolProblem{Code: problem.CodeToolFailed, Path: path, Detail: "no answer"}))
		}
	}
	if len(made) > 0 {
		return errElse
	}
	return nil
}

// folder makes a folder of one input. One that is there is somebody else's.
func (r *makingRun) folder(ctx context.Context, c call) error {
	in := c.operations[0].In
	if r.taken == nil {
		r.taken = map[string]bool{}
		for _, f := range r.env.Folders {
			entries, err := f.List(ctx, true)
			if err != nil {
				return err
			}
			for _, e := range entries {
				if p := f.Guest + "/" + e.Path; r.planned[p] {
					r.taken[p] = true
				}
			}
		}
	}
	if r.taken[c.out] {
		r.problems(in, wire.ToolResult{Problems: []wire.ToolProblem{{Code: problem.CodeOutputExists, Path: in[0].Path, Detail: c.out}}})
		r.advance(in)
		return nil
	}
	res, err := r.tool(ctx, c, in, c.params)
	if err != nil {
		return err
	}
	for _, f := range res.Out {
		if !strings.HasPrefix(f.Path, c.out+"/") || path.Clean(f.Path) != f.Path || !utf8.ValidString(f.Path) {
			return fmt.Errorf("%s: %w", c.op, errElse)
		}
		if err := r.result(f); err != nil {
			return err
		}
	}
	if w := whole(res); w != nil {
		if w.Code != problem.CodeOutputExists || len(res.Out) > 0 {
			return w
		}
		res.Problems = append(res.Problems, wire.ToolProblem{Code: w.Code, Path: in[0].Path, Detail: w.Details})
	}
	told := r.problems(in, res)
	if len(res.Out) == 0 && !told {
		r.problems(in, wire.ToolResult{Problems: []wire.ToolProblem{{Code: problem.CodeToolFailed, Path: in[0].Path, Detail: "nothing was made"}}})
	}
	r.there[c.out] = len(res.Out) > 0
	r.unlisted(c, res)
	r.advance(in)
	return nil
}

// file makes one file of all inputs.
func (r *makingRun) file(ctx context.Context, c call) error {
	in := c.operations[0].In
	res, err := r.tool(ctx, c, in, c.params)
	if err != nil {
		return err
	}
	if w := whole(res); w != nil {
		return w.With("out", c.out)
	}
	r.problems(in, res)
	f, err := oneFile(res, c.out)
	if err != nil {
		return err
	}
	if f != nil {
		r.there[c.out] = true
		err = errors.Join(r.result(*f), r.doubts(in, res))
	}
	r.advance(in)
	return err
}

// doubts adds what the result of inputs is not sure of.
func (r *makingRun) doubts(in []Input, res wire.ToolResult) error {
	if r.c.doubts == nil {
		return nil
	}
	asked := make(map[any]bool, len(in))
	for _, i := range in {
		asked[i.Path] = true
	}
	for _, info := range res.Info {
		data, err := json.Marshal(info)
		if err != nil {
			return err
		}
		p, err := r.c.doubts(data)
		if err != nil {
			return errAnswer
		}
		if p != nil && asked[p.Params["path"]] {
			asked[p.Params["path"]] = false
			r.out.Problems = append(r.out.Problems, *p)
		}
	}
	return nil
}

// problems adds those of an answer that are about its inputs, and reports
// whether there are any.
func (r *makingRun) problems(in []Input, res wire.ToolResult) (any bool) {
	for _, p := range res.Problems {
		if p.Code != tools.MoreResults && slices.ContainsFunc(in, func(i Input) bool { return i.Path == p.Path }) {
			r.out.Problems = append(r.out.Problems, *problem.FromTool(p))
			any = true
		}
	}
	return any
}
