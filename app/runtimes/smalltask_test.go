package runtimes

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"piwork/app/problem"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// proving is a place that notes what is done in it.
type proving struct {
	vmhost.Runtime
	tools  bool
	fails  string // the operation that does
	done   []string
	closed bool
}

func (*proving) Connect(context.Context) error       { return nil }
func (p *proving) Close(context.Context) error       { p.closed = true; return nil }
func (p *proving) Capabilities() vmhost.Capabilities { return vmhost.Capabilities{Tools: p.tools} }

func (p *proving) Execute(_ context.Context, a vmhost.Action) (vmhost.Observation, error) {
	if a.Tool == nil {
		p.done = append(p.done, a.Exec.Argv[0]+" in "+a.Exec.Cwd)
		return vmhost.Observation{Exec: &wire.ExecResult{}}, nil
	}
	p.done = append(p.done, a.Tool.Op)
	if a.Tool.Op == p.fails {
		return vmhost.Observation{Tool: &wire.ToolResult{Problems: []wire.ToolProblem{{Code: "tool-failed", Path: a.Tool.In[0], Detail: "invalid cross-device link"}}}}, nil
	}
	return vmhost.Observation{Tool: &wire.ToolResult{}}, nil
}

// The small task works in the folders: where none can be served there is no place for tasks.
// It does what the place claims to do.
func TestSmallTask(t *testing.T) {
	do := func(p *proving) error {
		err := SmallTask(t.Context(), func() (vmhost.Runtime, error) { return p, nil })
		if !p.closed {
			t.Error("it is left open")
		}
		return err
	}
	p := &proving{}
	if err := do(p); err != nil || !slices.Equal(p.done, []string{"true in /folders"}) {
		t.Errorf("%v: %q", err, p.done)
	}
	p = &proving{tools: true}
	if err := do(p); err != nil || !slices.Equal(p.done, []string{"true in /folders", "sh in /work", "file.move", "pdf.info"}) {
		t.Errorf("%v: %q", err, p.done)
	}
	for _, op := range []string{"file.move", "pdf.info"} {
		err := do(&proving{tools: true, fails: op})
		if p, is := errors.AsType[*problem.Problem](err); !is || p.Severity != problem.Failed || !strings.Contains(p.Details, "cross-device") {
			t.Errorf("%s: %v", op, err)
		}
	}
	failed := errors.New("no place")
	if err := SmallTask(t.Context(), func() (vmhost.Runtime, error) { return nil, failed }); !errors.Is(err, failed) {
		t.Error(err)
	}
}
