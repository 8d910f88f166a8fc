package cli

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gofrs/flock"

	"piwork/app"
	"piwork/app/api/apitest"
	"piwork/app/background"
	"piwork/app/cli/command"
	"piwork/app/task"
	"piwork/app/tasks"
)

// Waiting ends as the task does. Who gives it up ends nothing but that.
func TestWait(t *testing.T) {
	f, dir := apitest.New(apitest.Script{Endless: true}), t.TempDir()
	here := &background.Here{Server: background.ServerOptions{Open: func(context.Context, app.Options) (background.Controller, error) {
		return &fake{Fake: f, socket: filepath.Join(dir, "s"), lock: flock.New(filepath.Join(dir, "lock"))}, nil
	}}}
	s, err := background.Open(t.Context(), background.SessionOptions{App: app.Options{DataDir: dir}, Launch: here.Launch})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { s.Close(); _ = here.Close() }()
	work, err := s.StartTask(t.Context(), tasks.StartRequest{Kind: task.KindExec, Argv: []string{"sleep"}, Detached: true})
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	wait := func(ctx context.Context) <-chan int {
		over := make(chan int, 1)
		go func() {
			var ended *command.Ended
			e := newEnv(Options{Stdout: &said, Stderr: &said, IsTerminal: func(any) bool { return false }})
			if err := waitTask(ctx, &session{Session: s, Env: e}, work); !errors.As(err, &ended) {
				t.Errorf("%v", err)
				over <- -1
				return
			}
			over <- ended.Code
		}()
		return over
	}
	patience, giveUp := context.WithCancel(t.Context())
	over := wait(patience)
	giveUp()
	if code := <-over; code != ExitCancelled || said.Len() > 0 {
		t.Errorf("%d %s", code, said.String())
	}
	if now, err := s.Task(t.Context(), work.ID); err != nil || now.State.Final() {
		t.Errorf("the task: %v %v", now.State, err)
	}
	over = wait(t.Context())
	if _, err := s.CancelTask(t.Context(), work.ID); err != nil {
		t.Fatal(err)
	}
	if code := <-over; code != ExitCancelled || !strings.Contains(said.String(), "stopped") {
		t.Errorf("%d %s", code, said.String())
	}
}
