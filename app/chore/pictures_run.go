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

// Run implements Chore.
func (c picturesToPDF) Run(ctx context.Context, env Env, plan Plan) (Outcome, error) {
	var out Outcome
	if plan.V != PlanVersion || plan.Chore != picturesName || len(plan.Operations) != 1 || len(plan.Operations[0].In) == 0 {
		return out, errPlan
	}
	op := plan.Operations[0]
	if err := env.unchanged(ctx, op.In, nil); err != nil {
		return out, err
	}
	parts, problems, err := c.convert(ctx, env, plan, op)
	out.Problems = problems
	if err != nil {
		return out, err
	}
	var made *wire.ToolFile
	switch {
	case len(parts) == 0:
		return out, problem.New(problem.CodeNothingLeft).With("count", len(op.In))
	case parts[0].Path == op.Out:
		made = &parts[0]
	default:
		made, err = c.merge(ctx, env, plan, op, parts)
		if err != nil {
			return out, err
		}
	}
	result, err := placed(env.Folders, *made)
	if err != nil {
		return out, err
	}
	out.Results = append(out.Results, result)
	return out, nil
}

// convert turns the inputs into PDFs, a batch at a time: into the result itself
// when there is one batch only, else into parts that are merged after.
func (picturesToPDF) convert(ctx context.Context, env Env, plan Plan, op Operation) (parts []wire.ToolFile, problems []problem.Problem, err error) {
	all := batches(op.In, convertBatch, convertBytes)
	total, before := int64(len(op.In)), int64(0)
	env.progress(0, total, "")
	for i, batch := range all {
		p := wire.ToolParams{
			ID: fmt.Sprintf("convert-%d", i+1), Op: opConvert, In: paths(batch), Out: op.Out,
			Params: map[string]any{"format": "pdf", "page": plan.Params["page"]}, Limits: plan.Limits,
		}
		if len(all) > 1 {
			p.Out = fmt.Sprintf("%s/part-%04d.pdf", wire.OutDir, i+1)
		}
		r, err := env.tool(ctx, p, func(g wire.ToolProgress) {
			env.progress(before+min(max(g.Done, 0), int64(len(batch))), total, g.Item)
		})
		if err != nil {
			return nil, problems, fmt.Errorf("%s: %w", opConvert, err)
		}
		asked := map[string]bool{}
		for _, in := range batch {
			asked[in.Path] = true
		}
		for _, tp := range r.Problems {
			if asked[tp.Path] {
				problems = append(problems, *problem.FromTool(tp))
			}
		}
		if w := whole(r); w != nil {
			return nil, problems, w.With("out", op.Out)
		}
		part, err := oneFile(r, p.Out)
		if err != nil {
			return nil, problems, err
		}
		if part != nil {
			parts = append(parts, *part)
		}
		before += int64(len(batch))
		env.progress(before, total, "")
	}
	return parts, problems, nil
}

func (picturesToPDF) merge(ctx context.Context, env Env, plan Plan, op Operation, parts []wire.ToolFile) (*wire.ToolFile, error) {
	p := wire.ToolParams{ID: "merge", Op: opMerge, Out: op.Out, Limits: plan.Limits}
	for _, part := range parts {
		p.In = append(p.In, part.Path)
	}
	r, err := env.tool(ctx, p, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", opMerge, err)
	}
	if w := whole(r); w != nil {
		return nil, w.With("out", op.Out)
	}
	if len(r.Problems) > 0 { // a part that cannot be merged would be missing from the result
		return nil, problem.FromTool(r.Problems[0]).Weigh(problem.Failed)
	}
	made, err := oneFile(r, op.Out)
	if err == nil && made == nil {
		err = fmt.Errorf("%s: nothing was made", opMerge)
	}
	return made, err
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
