package chore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost/wire"
)

// errPlan means that a plan is not one that Plan made.
var errPlan = errors.New("this is not a plan of the chore")

// part is a PDF of one batch, in the runtime.
type part struct {
	path string
	in   []Input
}

// Run implements Chore. The pictures become parts in the runtime, and only when
// all of them were made of exactly what the plan saw does the result appear in
// the folder.
func (c picturesToPDF) Run(ctx context.Context, env Env, plan Plan) (Outcome, error) {
	var out Outcome
	if plan.V != PlanVersion || plan.Chore != picturesName || len(plan.Operations) != 1 || len(plan.Operations[0].In) == 0 {
		return out, errPlan
	}
	op := plan.Operations[0]
	if made, err := env.madeBefore(ctx, op.Out); err != nil || made != nil {
		if err == nil {
			err = out.add(env, *made)
		}
		return out, err
	}
	total, before := amountOf(op.In), amount{}
	told := func(int) { env.progress(before, total, "") }
	told(0)
	if err := env.unchanged(ctx, op.In, told); err != nil {
		return out, err
	}
	var parts []part
	for i, batch := range batches(op.In, convertBatch, convertBytes) {
		p, problems, err := c.convert(ctx, env, plan, i+1, batch, func(done amount, item string) {
			env.progress(before.plus(done), total, item)
		})
		out.Problems = append(out.Problems, problems...)
		if err != nil {
			return out, err
		}
		if p != nil {
			parts = append(parts, *p)
		}
		before = before.plus(amountOf(batch))
		told(0)
	}
	if len(parts) == 0 {
		return out, problem.New(problem.CodeNothingLeft).With("count", len(op.In))
	}
	made, problems, err := c.merge(ctx, env, op, parts)
	out.Problems = append(out.Problems, problems...)
	if err != nil {
		return out, err
	}
	return out, out.add(env, *made)
}

// convert turns a batch into a PDF in the runtime; nil when no picture of it
// could be used.
func (picturesToPDF) convert(ctx context.Context, env Env, plan Plan, n int, batch []Input, progress func(done amount, item string)) (*part, []problem.Problem, error) {
	p := wire.ToolParams{
		ID: fmt.Sprintf("convert-%d", n), Op: opConvert, In: paths(batch),
		Out:    fmt.Sprintf("%s/part-%04d.pdf", wire.OutDir, n),
		Params: convertParams(plan), Limits: plan.Limits,
	}
	r, err := env.tool(ctx, p, func(g wire.ToolProgress) { progress(amountDone(batch, g.Done), g.Item) })
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", opConvert, err)
	}
	if w := whole(r); w != nil {
		return nil, nil, w
	}
	made, err := oneFile(r, p.Out)
	if err != nil {
		return nil, nil, err
	}
	// What is in the PDF has to be what was planned: the operation says of each
	// picture what it read.
	used, left := map[string]seen{}, map[string]*problem.Problem{}
	if err := sortAnswers(batch, r, used, left); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", opConvert, err)
	}
	var changed []string
	var problems []problem.Problem
	for _, in := range batch {
		if p := left[in.Path]; p != nil {
			problems = append(problems, *p)
		} else if !used[in.Path].same(in) {
			changed = append(changed, in.Path)
		}
	}
	if err := conflict(changed); err != nil {
		return nil, problems, err
	}
	if made == nil {
		return nil, problems, nil
	}
	return &part{path: made.Path, in: batch}, problems, nil
}

// merge makes the result of the parts, in the folder. A part that cannot be
// merged is a problem of each of its pictures.
func (picturesToPDF) merge(ctx context.Context, env Env, op Operation, parts []part) (*wire.ToolFile, []problem.Problem, error) {
	p := wire.ToolParams{ID: "merge", Op: opMerge, Out: op.Out}
	for _, part := range parts {
		p.In = append(p.In, part.path)
	}
	r, err := env.tool(ctx, p, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", opMerge, err)
	}
	if w := whole(r); w != nil {
		return nil, nil, w.With("out", op.Out)
	}
	var problems []problem.Problem
	for _, tp := range r.Problems {
		for _, part := range parts {
			if part.path != tp.Path {
				continue
			}
			for _, in := range part.in {
				problems = append(problems, *problem.FromTool(wire.ToolProblem{Code: problem.CodeToolFailed, Path: in.Path, Detail: tp.Detail}))
			}
		}
	}
	made, err := oneFile(r, op.Out)
	if err == nil && made == nil {
		err = problem.New(problem.CodeNothingLeft).With("count", len(op.In))
	}
	return made, problems, err
}

// oneFile returns the file that an operation made, nil when it made none. A
// file that was not asked for is an error.
func oneFile(r wire.ToolResult, out string) (*wire.ToolFile, error) {
	switch {
	case len(r.Out) == 0:
		return nil, nil
	case len(r.Out) > 1 || r.Out[0].Path != out:
		return nil, errors.New("the tool made something else than was asked for")
	default:
		return &r.Out[0], nil
	}
}

// placed says where in the folders a file of the guest is.
func placed(folders []Folder, f wire.ToolFile) (task.Result, error) {
	for _, folder := range folders {
		if rel, ok := strings.CutPrefix(f.Path, folder.Guest+"/"); ok && rel != "" {
			return task.Result{Folder: folder.ID, Path: rel, Size: f.Size, SHA256: f.SHA256}, nil
		}
	}
	return task.Result{}, fmt.Errorf("the result %q is in none of the folders", f.Path)
}
