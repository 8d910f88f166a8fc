package app

import (
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"piwork/app/tasks"
	"piwork/app/toolcall"
	"slices"
	"sync"
	"testing"

	"piwork/app/chore/choretest"
	"piwork/app/consent"
	"piwork/app/problem"
	"piwork/app/task"
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
