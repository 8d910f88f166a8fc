package app

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

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

// heardLog is what was logged so far.
type heardLog struct {
	mu   sync.Mutex
	said bytes.Buffer
}

// Write implements io.Writer.
func (l *heardLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.said.Write(p)
}

// String implements fmt.Stringer.
func (l *heardLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.said.String()
}

// One id finds in the log who asked for a task, what the controller did for it, and what its
// machine says.
func TestRequestIDIsInTheLog(t *testing.T) {
	w := newWorld(t)
	log := &heardLog{}
	o := w.options()
	o.Log = slog.New(slog.NewJSONHandler(log, nil))
	w.onMachine = func(rt *choretest.Runtime) error {
		rt.Exec = func(context.Context, wire.ExecParams, func(wire.ExecOutput)) (wire.ExecResult, error) {
			return wire.ExecResult{}, nil
		}
		rt.OnConnect = func(context.Context) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.machines[len(w.machines)-1].spec.Log.Warn("the machine speaks")
			return nil
		}
		return nil
	}
	c := w.openWith(o)
	wait := w.listen(c)
	for _, id := range []string{"req-1", ""} {
		ctx := task.WithDoor(task.WithRequestID(task.WithClient(t.Context(), "ci@1"), id), "mcp")
		got, err := c.StartTask(ctx, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"x"}})
		if err != nil {
			t.Fatal(err)
		}
		wait(got.ID, task.StateDone)
		about := `"task":"` + got.ID + `"`
		if id != "" {
			about += `,"request":"` + id + `"`
		}
		over := `"msg":"a task is over",` + about + `,"state":"done"}`
		for range 1000 { // it is said after the state
			if strings.Contains(log.String(), over) {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		said := log.String()
		for _, want := range []string{
			`"msg":"a task begins",` + about + `,"kind":"exec","door":"mcp","client":"ci@1"}`, `"msg":"the machine speaks",` + about + "}", over,
		} {
			if !strings.Contains(said, want) {
				t.Errorf("%q: no %s in\n%s", id, want, said)
			}
		}
	}
}
