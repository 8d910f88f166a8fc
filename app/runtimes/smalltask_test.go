package runtimes

import (
	"context"
	"errors"
	"testing"

	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// proving is a place that notes where a program works.
type proving struct {
	vmhost.Runtime
	cwd    string
	closed bool
}

func (*proving) Connect(context.Context) error { return nil }
func (p *proving) Close(context.Context) error { p.closed = true; return nil }

func (p *proving) Execute(_ context.Context, a vmhost.Action) (vmhost.Observation, error) {
	p.cwd = a.Exec.Cwd
	return vmhost.Observation{Exec: &wire.ExecResult{}}, nil
}

// The small task works in the folders: where none can be served there is no place for tasks.
func TestSmallTask(t *testing.T) {
	p := &proving{}
	if err := SmallTask(t.Context(), func() (vmhost.Runtime, error) { return p, nil }); err != nil || p.cwd != wire.FoldersDir || !p.closed {
		t.Errorf("%v: %+v", err, p)
	}
	failed := errors.New("no place")
	if err := SmallTask(t.Context(), func() (vmhost.Runtime, error) { return nil, failed }); !errors.Is(err, failed) {
		t.Error(err)
	}
}
