package runtimes

import (
	"context"
	"testing"

	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost"
)

type chosen struct{ Settings }

func (c *chosen) Get() Settings                           { return c.Settings }
func (c *chosen) Set(_ context.Context, s Settings) error { c.Settings = s; return nil }

// A task without a place is told what is missing where it was to work, or everywhere.
func TestNowhere(t *testing.T) {
	needs := &vmhost.Requirement{Kinds: []string{"cloud", "moon"}}
	broken := kinds()
	broken[0].Problem = problem.New(problem.CodeAccelUnavailable)
	for name, row := range map[string]struct {
		need                 Need
		in                   []Standing
		code, cause, runtime string
		kinds, lacks         any
	}{
		"no kind that is required":   {Need{Requires: needs}, kinds(), problem.CodeRuntimeUnfit, problem.CauseRequired, "", "cloud, moon", "kind"},
		"the named one is not":       {Need{Named: "sandbox", Requires: needs}, kinds(), problem.CodeRuntimeUnfit, problem.CauseRequired, "sandbox", "cloud, moon", "kind"},
		"it lacks something else":    {Need{Named: "sandbox", Work: task.KindAI, Requires: needs}, kinds(), problem.CodeRuntimeUnfit, "work", "sandbox", nil, nil},
		"what would do is broken":    {Need{Requires: &vmhost.Requirement{Kinds: []string{"vm"}}}, broken, problem.CodeAccelUnavailable, "", "", nil, nil},
		"an ability":                 {Need{Requires: &vmhost.Requirement{Can: []vmhost.Ability{"fly"}}}, kinds(), problem.CodeRuntimeUnfit, problem.CauseRequired, "", nil, "fly"},
		"a graphics card":            {Need{Requires: &vmhost.Requirement{Can: []vmhost.Ability{vmhost.AbilityGPU}}}, kinds(), problem.CodeRuntimeUnfit, problem.CauseRequired, "", nil, "gpu"},
		"the named one is too weak":  {Need{Named: "sandbox", Requires: &vmhost.Requirement{Kinds: []string{"sandbox"}, AtLeast: vmhost.IsolationHardware}}, kinds(), problem.CodeRuntimeUnfit, problem.CauseRequired, "sandbox", nil, "isolation"},
		"its kind would do":          {Need{Requires: &vmhost.Requirement{Kinds: []string{"sandbox"}, Can: []vmhost.Ability{"fly"}}}, kinds(), problem.CodeRuntimeUnfit, problem.CauseRequired, "", nil, "fly"},
		"nothing that is required":   {Need{GPU: true}, kinds(), problem.CodeRuntimeUnfit, "", "vm", nil, nil},
		"the named one has no cards": {Need{Named: "vm", GPU: true}, kinds(), problem.CodeRuntimeUnfit, "gpu", "vm", nil, nil},
	} {
		c := Choose(row.need, row.in, Settings{})
		p := c.Nowhere(row.need)
		runtime, _ := p.Params["runtime"].(string)
		if c.Kind != "" || p.Code != row.code || p.Cause != row.cause || runtime != row.runtime || p.Params["kinds"] != row.kinds || p.Params["lacks"] != row.lacks || p.Details != "" {
			t.Errorf("%s: %+v of %+v", name, p, c)
		}
	}
}

// Folders that may change are refused in places where the person allows no changes; others
// are not.
func TestMayChange(t *testing.T) {
	c := New(&chosen{Settings{Files: []string{"vm", "remote"}}})
	changes, reads := task.Folder{Mode: task.ModeReview}, task.Folder{Mode: task.ModeReadOnly}
	for kind, allowed := range map[string]bool{"vm": true, "sandbox": false, "remote:lab": true} {
		err := c.MayChange(kind, reads, changes)
		if p := problem.From(err); (err == nil) != allowed || err != nil && (p.Code != problem.CodeRuntimeUnfit || p.Cause != problem.CauseFileRule || p.Params["kinds"] != "vm, remote") {
			t.Errorf("%s: %v", kind, err)
		}
		if err := c.MayChange(kind, reads); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		if err := New(&chosen{}).MayChange(kind, changes); err != nil {
			t.Errorf("%s without a rule: %v", kind, err)
		}
	}
}
