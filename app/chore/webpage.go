package chore

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"piwork/app/problem"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// opPagePDF is no operation of pack/tools: a visit to the web, with the browser of the
// add-on. A plan names it as it names others.
const opPagePDF = "page.pdf"

// pageLoads is how long a page may load, in ms; what came until then is saved.
const pageLoads = 90_000

// savePage saves a page of the web as PDF. Its network is the task's: a person is asked
// about each host.
type savePage struct{}

// Info implements Chore.
func (savePage) Info() Info {
	return Info{
		Name: "save-web-page",
		Params: []ParamInfo{
			{Name: "address", Type: "string", Default: ""},
			{Name: "name", Type: "string", Default: "Web page"},
		},
		Effects: []Effect{EffectCreate}, Needs: []string{"browser"}, Network: true,
	}
}

// webAddress is the address that a person typed, as browsers take it.
func webAddress(typed string) (string, error) {
	s := strings.TrimSpace(typed)
	if s != "" && !strings.Contains(s, "://") {
		s = "https://" + s
	}
	if s == "" {
		return "", errors.New("there is no address")
	}
	return s, wire.CheckAddress(s)
}

// Plan implements Chore. Nothing is looked at on the web before a yes.
func (c savePage) Plan(ctx context.Context, env Env) (Plan, error) {
	plan := Plan{V: PlanVersion, Chore: c.Info().Name, Params: env.Params, Operations: []Operation{}, Needs: c.Info().Needs}
	if _, err := webAddress(text(env.Params, "address")); err != nil {
		return plan, badParam("address", err)
	}
	const ext = ".pdf"
	name, err := resultName(text(env.Params, "name"), ext)
	if err != nil {
		return plan, badParam("name", err)
	}
	f := env.Folders[0]
	if err := f.writable(); err != nil {
		return plan, err
	}
	out, err := freeIn(ctx, f, name, ext)
	if err != nil {
		return plan, err
	}
	plan.Operations = append(plan.Operations, Operation{
		Op: opPagePDF, In: []Input{}, Out: out, Effect: EffectCreate,
	})
	return plan, nil
}

// Run implements Chore.
func (c savePage) Run(ctx context.Context, env Env, plan Plan) (Outcome, error) {
	var out Outcome
	address, err := webAddress(text(plan.Params, "address"))
	if err != nil || plan.V != PlanVersion || plan.Chore != c.Info().Name || len(plan.Operations) != 1 {
		return out, errPlan
	}
	op, f := plan.Operations[0], env.Folders[0]
	if op.Op != opPagePDF || op.Effect != EffectCreate || len(op.In) > 0 || path.Dir(op.Out) != f.Guest || within(f.Guest, op.Out) != nil {
		return out, errPlan
	}
	if made, err := env.madeBefore(ctx, op.Out); err != nil || made != nil {
		if made != nil {
			err = out.add(env, *made)
		}
		return out, err
	}
	total := amount{items: 1}
	env.progress(amount{}, total, "")
	obs, err := env.Execute(ctx, vmhost.Action{Page: &wire.PageParams{
		Steps: []wire.PageStep{{Do: wire.PageOpen, URL: address}, {Do: wire.PagePDF, Into: op.Out}}, Roots: []string{f.Guest}, WaitMS: pageLoads,
	}})
	if err != nil {
		p := problem.From(err)
		if p.Code == problem.CodeAddOnMissing {
			p = p.With("name", "browser")
		}
		return out, p
	}
	if obs.Page == nil || len(obs.Page.Steps) != 2 || obs.Page.Steps[1].File == nil || obs.Page.Steps[1].File.Path != op.Out {
		return out, fmt.Errorf("%s: the browser made something else than was asked for", opPagePDF)
	}
	made := *obs.Page.Steps[1].File
	env.progress(total, total, "")
	return out, out.add(env, wire.ToolFile{Path: made.Path, Size: made.Size, SHA256: made.SHA256})
}
