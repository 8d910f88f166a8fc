package cli

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"piwork/app"
	"piwork/app/api/apitest"
	"piwork/app/background"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost/share/journal"
)

// unreadable is a controller whose lists of changes can't be read.
type unreadable struct{ *fake }

func (unreadable) Changes(context.Context, string) ([]journal.Change, error) {
	return nil, errors.New("the list of changes cannot be read now")
}

// A task whose changes can't be read may have some that wait: it stays.
func TestPruneKeepsWhatItCannotRead(t *testing.T) {
	f, dir := apitest.New(apitest.Script{}), t.TempDir()
	here := &background.Here{Server: background.ServerOptions{Open: func(context.Context, app.Options) (background.Controller, error) {
		return unreadable{&fake{Fake: f, socket: filepath.Join(dir, "s"), lock: flock.New(filepath.Join(dir, "lock"))}}, nil
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
	for {
		if now, err := s.Task(t.Context(), work.ID); err == nil && now.State.Final() {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	var said bytes.Buffer
	e := newEnv(Options{Stdout: &said, Stderr: &said, IsTerminal: func(any) bool { return false }})
	p, err := prunable(t.Context(), &session{Session: s, Env: e}, task.Filter{}, time.Time{})
	if err != nil || len(p.tasks) > 0 || p.Reviewing != 1 {
		t.Errorf("%+v, %v", p, err)
	}
}
