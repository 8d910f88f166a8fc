package app

import (
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"piwork/app/chore/choretest"
	"piwork/app/consent"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/toolcall"
	"piwork/pack/tools"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// TestToolAsksBeforeItUnpacks: archive.extract alone asks about a file that grows a
// thousandfold, as the chore does, and unpacks nothing without a yes.
func TestToolAsksBeforeItUnpacks(t *testing.T) {
	const yes, no = vmhost.AnswerAllow, vmhost.AnswerDeny
	limits := wire.Limits{WallMS: 300_000}
	for name, tt := range map[string]struct {
		archive string
		accept  bool
		answer  string // "" is not asked
		state   task.State
		code    string
		ops     []string
	}{
		"yes":             {"zeros.gz", false, yes, task.StateDone, "", []string{"archive.info", "archive.extract"}},
		"no":              {"zeros.gz", false, no, task.StateFailed, problem.CodeDenied, []string{"archive.info"}},
		"yes beforehand":  {"zeros.gz", true, "", task.StateDone, "", []string{"archive.info", "archive.extract"}},
		"does not grow":   {"small.gz", false, "", task.StateDone, "", []string{"archive.info", "archive.extract"}},
		"cannot be known": {"broken.gz", false, "", task.StateFailed, problem.CodeNothingLeft, []string{"archive.info"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDeleter(t)
			dir := d.pictures("a.png")
			for name, data := range map[string][]byte{"zeros.gz": gzipped(t, make([]byte, 4<<20)), "small.gz": gzipped(t, []byte("x")), "broken.gz": []byte("x")} {
				if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var mu sync.Mutex
			var ops []string
			d.onMachine = func(rt *choretest.Runtime) error {
				rt.Before = func(_ context.Context, p wire.ToolParams) (*wire.ToolResult, error) {
					mu.Lock()
					defer mu.Unlock()
					ops = append(ops, p.Op)
					if p.Limits != limits {
						t.Errorf("%s is bounded by %+v", p.Op, p.Limits)
					}
					return nil, nil
				}
				return nil
			}
			wait := d.listen(d.c)
			r, err := tasks.ToolCall{Call: toolcall.Call{Op: "archive.extract", In: []string{filepath.Join(dir, tt.archive)}, Out: filepath.Join(dir, "out")}}.Request()
			if err != nil {
				t.Fatal(err)
			}
			r.Limits, r.Accept = limits, tt.accept
			began := d.start(d.c, r)
			if tt.answer != "" {
				q := d.question(began.ID)
				if q.Kind != vmhost.AskUnpack || q.Text.Code != "unpack-grows" || !slices.Equal(q.Items, []string{tt.archive}) || q.Text.Params["bytes"] != int64(4<<20) {
					t.Errorf("asked %+v", q)
				}
				d.say(began.ID, q.ID, consent.AnswerRequest{Answer: tt.answer})
			}
			got := wait(began.ID, tt.state)
			if (got.Error == nil) != (tt.code == "") || got.Error != nil && got.Error.Code != tt.code {
				t.Errorf("ended with %+v", got.Error)
			}
			_, err = os.Stat(filepath.Join(dir, "out"))
			if (err == nil) != (tt.state == task.StateDone) {
				t.Errorf("the result: %v", err)
			}
			mu.Lock()
			defer mu.Unlock()
			if !slices.Equal(ops, tt.ops) {
				t.Errorf("did %q, want %q", ops, tt.ops)
			}
		})
	}
}

func gzipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// An operation that has more to say than an answer holds is done, and what is left out is a warning.
func TestToolSaysMoreThanAnAnswerHolds(t *testing.T) {
	w := newWorld(t)
	w.onMachine = func(rt *choretest.Runtime) error {
		rt.Before = func(context.Context, wire.ToolParams) (*wire.ToolResult, error) {
			return &wire.ToolResult{Info: []any{map[string]any{"path": "/folders/a"}}, Problems: []wire.ToolProblem{{Code: tools.InputUnreadable, Path: "/folders/b"}, {Code: tools.MoreResults}}}, nil
		}
		return nil
	}
	c := w.open()
	wait := w.listen(c)
	r, err := tasks.ToolCall{Call: toolcall.Call{Op: "file.hash", In: []string{w.pictures("a.png")}}}.Request()
	if err != nil {
		t.Fatal(err)
	}
	got := wait(w.start(c, r).ID, task.StateDone)
	if len(got.Problems) != 2 || got.Problems[1].Cause != tools.MoreResults || got.Problems[1].Severity != problem.Warning || got.Error != nil || len(got.Info) != 1 {
		t.Errorf("%+v %+v", got.Problems, got.Error)
	}
}
