package config

import (
	"context"
	"testing"

	"piwork/app"
	"piwork/app/api/apitest"
	"piwork/app/background"
	"piwork/app/cli/command"
	"piwork/app/cli/terminal"
	"piwork/app/problem"
)

type inMemory struct {
	*apitest.Fake
	socket string
}

func (m *inMemory) Socket() string              { return m.socket }
func (m *inMemory) Close(context.Context) error { return nil }

// What the controller refuses leaves nothing of the change behind.
func TestApplyAllOrNothing(t *testing.T) {
	f, dir := apitest.New(apitest.Script{}), t.TempDir()
	f.Refuse = map[string]error{"SetWindowSettings": problem.New(problem.CodeBadRequest)}
	here := &background.Here{Server: background.ServerOptions{Open: func(context.Context, app.Options) (background.Controller, error) {
		return &inMemory{f, dir + "/s"}, nil
	}}}
	bs, err := background.Open(t.Context(), background.SessionOptions{App: app.Options{DataDir: dir}, Launch: here.Launch})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { bs.Close(); _ = here.Close() }()
	s := &command.Session{Session: bs, Env: &command.Env{Terminal: &terminal.Terminal{}}}
	before, err := load(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	after := before
	after.Machines.MemoryMB, after.Window.Notify = 2048, !before.Window.Notify
	if err := apply(t.Context(), s, before, after); err == nil {
		t.Error("nothing is refused")
	}
	if now, err := load(t.Context(), s); err != nil || now.Machines != before.Machines {
		t.Errorf("%v %+v", err, now.Machines)
	}
	f.Refuse = nil
	if err := apply(t.Context(), s, before, after); err != nil {
		t.Error(err)
	}
	if now, err := load(t.Context(), s); err != nil || now.Machines.MemoryMB != 2048 {
		t.Errorf("%v %+v", err, now.Machines)
	}
}
