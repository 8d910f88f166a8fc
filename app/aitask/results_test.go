package aitask

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"piwork/app/task"
)

// aside is a task whose agent put files aside, by their paths in the state.
func aside(t *testing.T, files map[string]string) (c *Conversation, b *bareTask, state string) {
	t.Helper()
	c, b = bare(t, task.Task{AI: &task.AI{}})
	state = t.TempDir()
	put(t, state, files)
	return c, b, state
}

func put(t *testing.T, state string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		p := filepath.Join(state, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// kept is the content of each result by its name; it is what the record says it is.
func kept(t *testing.T, b *bareTask) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, r := range b.Last().Results {
		data, err := os.ReadFile(filepath.Join(b.store.ResultsDir(b.id), filepath.FromSlash(r.Path)))
		if err != nil || int64(len(data)) != r.Size || out[r.Path] != "" {
			t.Errorf("%+v: %d bytes, %v", r, len(data), err)
		}
		out[r.Path] = string(data)
	}
	return out
}

// notices is what the timeline says, a line for each.
func notices(t *testing.T, b *bareTask) []string {
	t.Helper()
	events, err := b.store.Timeline(b.id, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range events {
		var n task.NoticeData
		if raw, ok := e.Data.(json.RawMessage); ok && e.Kind == task.EventNotice && json.Unmarshal(raw, &n) == nil {
			out = append(out, strings.TrimSuffix(fmt.Sprintln(n.Code, n.Params["file"], n.Params["more"]), "\n"))
		}
	}
	return out
}

// atMost lowers what one run keeps.
func atMost(t *testing.T, files int, file, all int64) {
	before := keepsAtMost
	t.Cleanup(func() { keepsAtMost = before })
	keepsAtMost.files, keepsAtMost.file, keepsAtMost.all = files, file, all
}

// Each file keeps its own result, whatever it is called, and the same one in each run.
func TestResultsOfAnyName(t *testing.T) {
	long := strings.Repeat("x", 210)
	c, b, state := aside(t, map[string]string{
		"results/.git/config": "of git", "results/.gitignore": "to ignore", "results/_gitignore": "no dot", "results/.a": "a", "results/.b": "b",
		"results/sub/" + long + "1": "long 1", "results/sub/" + long + "2": "long 2", "results/Notes.md": "large", "results/notes.md": "small",
	})
	want := map[string]string{
		"_git/config": "of git", "_gitignore": "to ignore", "2 _gitignore": "no dot", "_a": "a", "_b": "b",
		"sub/result": "long 1", "sub/2 result": "long 2", "Notes.md": "large", "2 notes.md": "small",
	}
	for range 2 {
		if err := c.keepAgentResults(state); err != nil {
			t.Fatal(err)
		}
		if got := kept(t, b); !maps.Equal(got, want) {
			t.Errorf("kept %q", got)
		}
	}
	if got := notices(t, b); got != nil {
		t.Error(got)
	}
}

// A result that is made again stays where it is in the record: a client that read the record
// before asks for it by its place, and never gets another file under its name.
func TestResultsKeepTheirPlace(t *testing.T) {
	c, b, state := aside(t, map[string]string{"results/a.pdf": "a", "results/b.pdf": "b"})
	if err := c.keepAgentResults(state); err != nil {
		t.Fatal(err)
	}
	before := b.Last().Results
	if err := os.RemoveAll(filepath.Join(state, agentResults)); err != nil {
		t.Fatal(err)
	}
	put(t, state, map[string]string{"results/a.pdf": "a again", "results/c.pdf": "c"})
	if err := c.keepAgentResults(state); err != nil {
		t.Fatal(err)
	}
	after := b.Last().Results
	if len(before) != 2 || len(after) != 3 || after[0].Path != before[0].Path || after[1] != before[1] || after[0].SHA256 == before[0].SHA256 {
		t.Errorf("before %+v\nafter %+v", before, after)
	}
}

// A name that is that of a directory now, or of one no more, takes nothing from what was kept.
func TestResultsThatChangeTheirKind(t *testing.T) {
	c, b, state := aside(t, map[string]string{"results/summary": "a file", "results/parts/1": "in a directory"})
	if err := c.keepAgentResults(state); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(state, agentResults)); err != nil {
		t.Fatal(err)
	}
	put(t, state, map[string]string{"results/summary/a.md": "below it", "results/parts": "a file now"})
	for range 2 {
		if err := c.keepAgentResults(state); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]string{"summary": "a file", "parts/1": "in a directory", "2 summary/a.md": "below it", "2 parts": "a file now"}
	if got := kept(t, b); !maps.Equal(got, want) {
		t.Errorf("kept %q", got)
	}
}

// The names of one file are a copy each: they are bounded like any results, and so is one alone.
// Nothing is kept in part.
func TestResultsAreBounded(t *testing.T) {
	for _, r := range []struct {
		name      string
		files     int
		file, all int64
		kept      int
		notice    string
	}{
		{"in all", 100, 100, 35, 3, "results-left l3 6"},
		{"in number", 4, 100, 1000, 4, "results-left l4 5"},
		{"each", 100, 9, 1000, 0, "results-large l0 9"},
	} {
		t.Run(r.name, func(t *testing.T) {
			atMost(t, r.files, r.file, r.all)
			c, b, state := aside(t, map[string]string{"results/l0": "ten bytes."})
			for n := 1; n < 10; n++ {
				if err := os.Link(filepath.Join(state, agentResults, "l0"), filepath.Join(state, agentResults, fmt.Sprint("l", n))); err != nil {
					t.Fatal(err)
				}
			}
			if err := c.keepAgentResults(state); err != nil {
				t.Fatal(err)
			}
			if got := kept(t, b); len(got) != r.kept {
				t.Errorf("kept %q", got)
			}
			if got := notices(t, b); !slices.Equal(got, []string{r.notice}) {
				t.Errorf("said %q", got)
			}
			if left, err := os.ReadDir(b.store.ResultsDir(b.id)); err != nil || len(left) != r.kept {
				t.Errorf("there are %v, %v", left, err)
			}
		})
	}
}

// A file that is gone when it is its turn keeps no other from being kept.
func TestResultThatIsGone(t *testing.T) {
	c, b, state := aside(t, map[string]string{"results/a.md": "a", "results/b.md": "b"})
	list, err := os.ReadDir(filepath.Join(state, agentResults))
	if err != nil {
		t.Fatal(err)
	}
	k := c.keeping(t.Context())
	if k.root, err = os.OpenRoot(filepath.Join(state, agentResults)); err != nil {
		t.Fatal(err)
	}
	defer k.root.Close()
	if err := k.root.Remove("a.md"); err != nil {
		t.Fatal(err)
	}
	for _, d := range list {
		if err := k.visit(d.Name(), d, nil); err != nil {
			t.Error(d.Name(), err)
		}
	}
	k.record()
	if got := kept(t, b); !maps.Equal(got, map[string]string{"b.md": "b"}) {
		t.Errorf("kept %q", got)
	}
	if got := notices(t, b); !slices.Equal(got, []string{"results-failed a.md <nil>"}) {
		t.Errorf("said %q", got)
	}
}

// The agent may have made something else of the directory.
func TestResultsThatAreNoDirectory(t *testing.T) {
	c, b, state := aside(t, map[string]string{"results": "what came of it"})
	if err := c.keepAgentResults(state); err != nil {
		t.Fatal(err)
	}
	if got := notices(t, b); !slices.Equal(got, []string{"results-failed results <nil>"}) {
		t.Errorf("said %q", got)
	}
}

// stopped is a task that is stopped when its results begin to be kept.
type stopped struct {
	*bareTask
	stop func()
}

func (s stopped) Last() *task.Task {
	s.stop()
	return s.bareTask.Last()
}

// What is kept ends with the task; what was made until it was stopped is kept in the time that
// is left for ending it, also where it was being kept then.
func TestResultsOfATaskThatIsStopped(t *testing.T) {
	for _, r := range []struct {
		left  time.Duration
		while bool // they are kept
		kept  int
	}{{time.Hour, false, 1}, {0, false, 0}, {time.Hour, true, 1}, {0, true, 0}} {
		synctest.Test(t, func(t *testing.T) {
			c, b, state := aside(t, map[string]string{"results/a.md": "a"})
			c.o.Grace = func() (context.Context, context.CancelFunc) {
				return context.WithTimeout(context.WithoutCancel(t.Context()), r.left)
			}
			stop := func() {
				c.o.Cancel(nil)
				synctest.Wait()
			}
			if r.while {
				c.o.Task = stopped{b, stop}
			} else {
				stop()
			}
			if err := c.keepAgentResults(state); (err == nil) != (r.kept == 1) {
				t.Error(err)
			}
			if got := kept(t, b); len(got) != r.kept {
				t.Errorf("kept %q", got)
			}
		})
	}
}
