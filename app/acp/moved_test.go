package acp_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sdk "github.com/coder/acp-go-sdk"

	"piwork/app/acp"
	"piwork/app/task"
	"piwork/app/tasks"
)

// swapping has a folder lead elsewhere in the moment in which a task starts or goes on.
type swapping struct {
	acp.Service
	to        *string // "" is where it leads
	cancelled *[]string
}

func (s swapping) StartTask(ctx context.Context, r tasks.StartRequest) (task.Task, error) {
	t, err := s.Service.StartTask(ctx, r)
	return s.swapped(t), err
}

func (s swapping) Say(ctx context.Context, id string, r tasks.SayRequest) (task.Task, error) {
	t, err := s.Service.Say(ctx, id, r)
	return s.swapped(t), err
}

func (s swapping) swapped(t task.Task) task.Task {
	if t.Folders = slices.Clone(t.Folders); *s.to != "" && len(t.Folders) > 0 {
		t.Folders[0].Path = *s.to
	}
	return t
}

func (s swapping) CancelTask(ctx context.Context, id string) (task.Task, error) {
	*s.cancelled = append(*s.cancelled, id)
	return s.Service.CancelTask(ctx, id)
}

// No task gets a folder to which a link leads that was made after the session began.
func TestFolderThatMoved(t *testing.T) {
	for _, tt := range []struct {
		name           string
		second, during bool // with the second prompt; while the task starts
	}{{"before the first prompt", false, false}, {"as the task starts", false, true}, {"before the second prompt", true, false}, {"as it goes on", true, true}} {
		t.Run(tt.name, func(t *testing.T) {
			outer, other := t.TempDir(), t.TempDir()
			dir, to, cancelled := filepath.Join(outer, "notes"), "", []string(nil)
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			e := open(t, wish{folders: []task.FolderRequest{{Path: outer}}, through: func(s acp.Service) acp.Service { return swapping{s, &to, &cancelled} }})
			e.dir = dir
			id, started := e.session(), 0
			if tt.second {
				e.ask(id, "x", sdk.StopReasonEndTurn)
				started++
			}
			if tt.during {
				to = other
				started = 1
			} else if err := errors.Join(os.Remove(dir), os.Symlink(other, dir)); err != nil {
				t.Fatal(err)
			}
			if _, err := e.prompt(id, sdk.TextBlock("x")); !strings.Contains(words(err), "there is a link in its path now") {
				t.Error(err)
			}
			if got := e.fake.Started(); len(got) != started || tt.during != (len(cancelled) == 1) {
				t.Errorf("started %+v, cancelled %q", got, cancelled)
			}
			if _, err := e.prompt(id, sdk.TextBlock("x")); words(err) == "" {
				t.Errorf("the session goes on: %v", err)
			}
		})
	}
}
