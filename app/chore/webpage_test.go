package chore

import (
	"context"
	"errors"
	"slices"
	"testing"

	"piwork/app/problem"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// pageEnv is an environment with one folder, and a browser.
func pageEnv(params map[string]any, visit func(wire.PageParams) (*wire.PageResult, error)) Env {
	return Env{
		Params: params,
		Folders: []Folder{{ID: "f1", Name: "Pages", Guest: "/folders/Pages", List: func(context.Context, bool) ([]Entry, error) {
			return []Entry{{Path: "Web page.pdf"}}, nil
		}}},
		Execute: func(_ context.Context, a vmhost.Action) (vmhost.Observation, error) {
			r, err := visit(*a.Page)
			return vmhost.Observation{Page: r}, err
		},
	}
}

// The page that was asked for is saved under a name that is free, and nothing is reached
// before that.
func TestSavePage(t *testing.T) {
	var got wire.PageParams
	env := pageEnv(map[string]any{"address": " example.org/a?b ", "name": "Web page"}, func(p wire.PageParams) (*wire.PageResult, error) {
		got = p
		file := &wire.FileInfo{Path: p.Steps[1].Into, Kind: wire.KindFile, Size: 9, SHA256: "x"}
		return &wire.PageResult{Steps: []wire.PageDone{{}, {File: file}}}, nil
	})
	plan, err := savePage{}.Plan(t.Context(), env)
	if err != nil || len(plan.Operations) != 1 || plan.Operations[0].Out != "/folders/Pages/Web page (2).pdf" || !slices.Equal(plan.Needs, []string{"browser"}) || got.Steps != nil {
		t.Fatalf("%+v %v", plan, err)
	}
	out, err := savePage{}.Run(t.Context(), env, plan)
	if err != nil || len(out.Results) != 1 || out.Results[0].Size != 9 {
		t.Errorf("%+v %v", out, err)
	}
	if got.Steps[0].URL != "https://example.org/a?b" || got.Steps[1].Do != wire.PagePDF || !slices.Equal(got.Roots, []string{"/folders/Pages"}) {
		t.Errorf("%+v", got)
	}
}

// Attacks and mistakes: addresses of no page of the web, plans of something else, answers
// that fit to nothing.
func TestSavePageRefuses(t *testing.T) {
	none := func(wire.PageParams) (*wire.PageResult, error) { return nil, errors.New("it is not to be asked") }
	for _, address := range []string{"", "  ", "file:///etc/passwd", "javascript:alert(1)//a://b", "chrome://version", "https://user:pw@example.org", "https://", "https://a b"} {
		_, err := savePage{}.Plan(t.Context(), pageEnv(map[string]any{"address": address, "name": "x"}, none))
		if p := problem.From(err); p == nil || p.Params["parameter"] != "address" {
			t.Errorf("%q: %v", address, err)
		}
	}
	if _, err := (savePage{}).Plan(t.Context(), pageEnv(map[string]any{"address": "a.org", "name": "../x"}, none)); err == nil {
		t.Error("a name of another folder is taken")
	}
	good := func() Plan {
		p, err := savePage{}.Plan(t.Context(), pageEnv(map[string]any{"address": "a.org", "name": "x"}, none))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for name, change := range map[string]func(*Plan){
		"another chore": func(p *Plan) { p.Chore = "merge-pdf" }, "another operation": func(p *Plan) { p.Operations[0].Op = "pdf.merge" },
		"out of the folder": func(p *Plan) { p.Operations[0].Out = "/folders/Other/x.pdf" }, "above": func(p *Plan) { p.Operations[0].Out = "/folders/Pages/../x.pdf" },
		"another effect": func(p *Plan) { p.Operations[0].Effect = EffectDelete }, "no address": func(p *Plan) { p.Params = map[string]any{} },
		"none": func(p *Plan) { p.Operations = nil },
	} {
		p := good()
		change(&p)
		if _, err := (savePage{}).Run(t.Context(), pageEnv(p.Params, none), p); !errors.Is(err, errPlan) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, r := range map[string]*wire.PageResult{"nothing": nil, "another number of steps": {Steps: []wire.PageDone{{}}}, "another file": {Steps: []wire.PageDone{{}, {File: &wire.FileInfo{Path: "/folders/Pages/y.pdf"}}}}} {
		p := good()
		if out, err := (savePage{}).Run(t.Context(), pageEnv(p.Params, func(wire.PageParams) (*wire.PageResult, error) { return r, nil }), p); err == nil || len(out.Results) > 0 {
			t.Errorf("%s is taken", name)
		}
	}
	for code, want := range map[string]string{wire.ActNoProgram: problem.CodeAddOnMissing, wire.ActUnreachable: problem.CodeWebUnreachable, wire.ActDenied: problem.CodePermission} {
		p := good()
		_, err := savePage{}.Run(t.Context(), pageEnv(p.Params, func(wire.PageParams) (*wire.PageResult, error) {
			return nil, &vmhost.FailedActionError{What: "page", ActFailure: wire.ActFailure{Code: code}}
		}), p)
		if problem.From(err).Code != want {
			t.Errorf("%s: %v", code, err)
		}
	}
}
