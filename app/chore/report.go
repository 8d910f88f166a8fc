package chore

import (
	"context"
	"fmt"
	"path"
	"strings"

	"piwork/app/problem"
	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

const opReport = "file.report"

// folderReport writes what is in each folder into a file in it: how much of
// what, the biggest, newest and oldest files, empty folders.
type folderReport struct{}

// Info implements Chore.
func (folderReport) Info() Info {
	return Info{
		Name: "folder-report",
		Params: []ParamInfo{
			{Name: "name", Type: "string", Default: "Report"},
			{Name: "format", Type: "choice", Default: "html", Choices: []string{"html", "md", tableCSV, tableXLSX}},
			wholeNumber("top", 20, 1, 100),
			languages,
		},
		Effects: []Effect{EffectCreate}, Needs: []string{},
	}
}

// reportParams are those of the operation.
func reportParams(given map[string]any) map[string]any {
	return map[string]any{"to": given["format"], "top": count(given, "top"), "language": given["language"]}
}

// Plan implements Chore. What will be in the report is not known before: it is
// of the folder as it is then.
func (c folderReport) Plan(ctx context.Context, env Env) (Plan, error) {
	plan := Plan{V: PlanVersion, Chore: c.Info().Name, Params: env.Params, Operations: []Operation{}, Needs: []string{}}
	params := reportParams(env.Params)
	if err := checkParams(opReport, params); err != nil {
		return plan, err
	}
	ext := "." + text(env.Params, "format")
	name, err := resultName(text(env.Params, "name"), ext)
	if err != nil {
		return plan, badParam("name", err)
	}
	for _, f := range env.Folders {
		if err := f.writable(); err != nil {
			return plan, err
		}
		out, err := freeIn(ctx, f, name, ext)
		if err != nil {
			return plan, err
		}
		plan.Operations = append(plan.Operations, Operation{
			Op: opReport, In: []Input{{Path: f.Guest}}, Out: out, Effect: EffectCreate,
		})
	}
	op, ok := tools.Find(opReport)
	if !ok {
		return plan, fmt.Errorf("there is no operation %s", opReport)
	}
	if _, err := op.Decode(params); err != nil {
		return plan, fmt.Errorf("%s: %w", opReport, err)
	}
	plan.Limits.WallMS = op.Limits(tools.Load{Inputs: 1}).Wall.Milliseconds()
	return plan, nil
}

// Run implements Chore. A report that an earlier run made stays.
func (c folderReport) Run(ctx context.Context, env Env, plan Plan) (Outcome, error) {
	var out Outcome
	if err := c.check(env, plan); err != nil {
		return out, err
	}
	total := amount{items: int64(len(plan.Operations))}
	for i, op := range plan.Operations {
		env.progress(amount{items: int64(i)}, total, op.In[0].Path)
		f, err := c.file(ctx, env, plan, i, &out)
		if err != nil {
			return out, err
		}
		if f != nil {
			if err := out.add(env, *f); err != nil {
				return out, err
			}
		}
	}
	env.progress(total, total, "")
	if len(out.Results) == 0 {
		return out, problem.New(problem.CodeNothingLeft).With("count", len(plan.Operations))
	}
	return out, nil
}

// check refuses what is no plan of this chore.
func (c folderReport) check(env Env, plan Plan) error {
	if plan.V != PlanVersion || plan.Chore != c.Info().Name || len(plan.Operations) == 0 {
		return errPlan
	}
	guests := map[string]bool{}
	for _, f := range env.Folders {
		guests[f.Guest] = true
	}
	for _, op := range plan.Operations {
		if op.Op != opReport || op.Effect != EffectCreate || len(op.In) != 1 || !guests[op.In[0].Path] ||
			path.Dir(op.Out) != op.In[0].Path || within(op.In[0].Path, op.Out) != nil {
			return errPlan
		}
	}
	return nil
}

// file makes one report. What could not be looked at is a problem each.
func (folderReport) file(ctx context.Context, env Env, plan Plan, n int, out *Outcome) (*wire.ToolFile, error) {
	op := plan.Operations[n]
	if made, err := env.madeBefore(ctx, op.Out); err != nil || made != nil {
		return made, err
	}
	r, err := env.tool(ctx, wire.ToolParams{
		ID: fmt.Sprintf("report-%d", n+1), Op: opReport, In: paths(op.In), Out: op.Out, Params: reportParams(plan.Params), Limits: plan.Limits,
	}, func(g wire.ToolProgress) {
		env.progress(amount{items: int64(n)}, amount{items: int64(len(plan.Operations))}, g.Item)
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", opReport, err)
	}
	if w := whole(r); w != nil {
		return nil, w.With("out", op.Out)
	}
	for _, p := range r.Problems {
		if p.Path == op.In[0].Path || strings.HasPrefix(p.Path, op.In[0].Path+"/") {
			out.Problems = append(out.Problems, *problem.FromTool(p))
		}
	}
	return oneFile(r, op.Out)
}
