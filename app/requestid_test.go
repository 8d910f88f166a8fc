package app

import (
	"context"
	"slices"
	"sync"
	"testing"

	"piwork/app/chore/choretest"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost/wire"
)

// The id of the request reaches the guest with every operation and program of its task, and
// nobody else can say what it is.
func TestRequestIDReachesTheGuest(t *testing.T) {
	w := newWorld(t)
	var mu sync.Mutex
	var asked []string
	program := func(_ context.Context, p wire.ExecParams, _ func(wire.ExecOutput)) (wire.ExecResult, error) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, p.Request)
		return wire.ExecResult{}, nil
	}
	w.onMachine = func(rt *choretest.Runtime) error {
		rt.Exec = program
		rt.Before = func(_ context.Context, p wire.ToolParams) (*wire.ToolResult, error) {
			mu.Lock()
			defer mu.Unlock()
			asked = append(asked, p.Request)
			return nil, nil
		}
		return nil
	}
	dir := w.pictures("1.png", "2.png")
	c := w.open()
	wait := w.listen(c)
	folders := []task.FolderRequest{{Path: dir, Mode: task.ModeReadWrite}}
	for _, tt := range []struct {
		name string
		ctx  context.Context
		r    tasks.StartRequest
		want string
	}{
		{"an operation", task.WithRequestID(t.Context(), "req-1"), tasks.StartRequest{Kind: task.KindTool, Tool: &wire.ToolParams{Op: "image.info", In: []string{"/folders/Fotos ä/1.png"}, Request: "forged"}}, "req-1"},
		{"a chore", task.WithRequestID(t.Context(), "req-2"), tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Accept: true}, "req-2"},
		{"a program", task.WithRequestID(t.Context(), "req-3"), tasks.StartRequest{Kind: task.KindExec, Argv: []string{"x"}}, "req-3"},
		{"no request", t.Context(), tasks.StartRequest{Kind: task.KindTool, Tool: &wire.ToolParams{Op: "image.info", In: []string{"/folders/Fotos ä/1.png"}}}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked = nil
			tt.r.Folders = folders
			got, err := c.StartTask(tt.ctx, tt.r)
			if err != nil {
				t.Fatal(err)
			}
			wait(got.ID, task.StateDone)
			mu.Lock()
			defer mu.Unlock()
			if len(asked) == 0 || slices.ContainsFunc(asked, func(id string) bool { return id != tt.want }) {
				t.Errorf("the guest was told %q, want %q each time", asked, tt.want)
			}
		})
	}
}
