package app

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"piwork/app/chore/choretest"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/toolcall"
	"piwork/vmhost/wire"
)

// told are the progress events of a task, as they came, until it enters a state.
func told(t *testing.T, events <-chan task.Event, id string, until task.State) (out []task.ProgressData) {
	t.Helper()
	for end := time.After(time.Minute); ; {
		select {
		case e := <-events:
			if e.Task != id {
				continue
			}
			switch d := e.Data.(type) {
			case task.ProgressData:
				out = append(out, d)
			case task.StateData:
				if d.State == until {
					return out
				}
			}
		case <-end:
			t.Fatalf("the task is never %s: %+v", until, out)
		}
	}
}

// The first run of a chore learns how fast this computer is, the second knows it
// from its first word on, also in another run of the program. Slow mode knows
// nothing of it.
func TestProgressLearns(t *testing.T) {
	w := newWorld(t)
	began := time.Now()
	invented := func(ctx context.Context, o Options) (seams, error) { // a busy computer is no slow one
		s, err := w.seams(ctx, o)
		s.now = func() time.Time { return began.Add(time.Duration(w.ahead.Add(int64(time.Millisecond)))) }
		return s, err
	}
	openInvented := func() *Controller {
		t.Helper()
		c, err := open(t.Context(), w.options(), invented)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close(context.Background()) })
		return c
	}
	w.onMachine = func(rt *choretest.Runtime) error {
		rt.After = func(p wire.ToolParams) error {
			if p.Op == "image.convert" {
				w.ahead.Add(int64(20 * time.Second))
			}
			return nil
		}
		return nil
	}
	dir := w.pictures("1.png", "2.png")
	run := func(c *Controller, accel string) []task.ProgressData {
		t.Helper()
		wait := w.listen(c)
		events, cancel := c.Subscribe(task.EventFilter{})
		defer cancel()
		id := w.start(c, tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Accept: true, MachineChoice: tasks.MachineChoice{Accel: accel}, Folders: []task.FolderRequest{{Path: dir}}}).ID
		wait(id, task.StateDone)
		var of []task.ProgressData
		for _, p := range told(t, events, id, task.StateDone) {
			if p.Total != 2 || p.TotalBytes == 0 || p.Bytes > p.TotalBytes || p.Done == 2 && p.Bytes != p.TotalBytes {
				t.Errorf("%+v", p)
			}
			of = append(of, p)
		}
		if len(of) < 3 || of[len(of)-1].Done != 2 {
			t.Fatalf("%+v", of)
		}
		return of
	}
	// most is the longest that was said to be left; -1 where nothing was said.
	most := func(ps []task.ProgressData) int64 {
		longest := int64(-1)
		for _, p := range ps {
			if p.ETA != nil && p.Done < p.Total {
				longest = max(longest, *p.ETA)
			}
		}
		return longest
	}
	c := openInvented()
	if got := most(run(c, "")); got > 1 {
		t.Errorf("the first run says %d s", got)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	c = openInvented()
	if got := most(run(c, "")); got < 18 || got > 25 {
		t.Errorf("the second run says %d s", got)
	}
	if got := most(run(c, "tcg")); got > 1 {
		t.Errorf("slow mode says %d s", got)
	}
}

// A damaged file of rates is no problem of anybody.
func TestDamagedRates(t *testing.T) {
	w := newWorld(t)
	cache := w.options().CacheDir
	if err := os.MkdirAll(cache, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(cache, tasks.RatesFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := w.open()
	wait := w.listen(c)
	wait(w.start(c, tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Accept: true, Folders: []task.FolderRequest{{Path: w.pictures("1.png")}}}).ID, task.StateDone)
}

// One operation says how large its inputs are.
func TestToolProgressBytes(t *testing.T) {
	w := newWorld(t)
	dir := w.pictures("1.png")
	req, err := tasks.ToolCall{Call: toolcall.Call{Op: "image.convert", In: []string{filepath.Join(dir, "1.png")}, Out: filepath.Join(dir, "1.jpg"), Params: map[string]any{"format": "jpeg"}}}.Request()
	if err != nil {
		t.Fatal(err)
	}
	w.onMachine = func(rt *choretest.Runtime) error {
		rt.Programs = choretest.Programs
		return nil
	}
	c := w.open()
	wait := w.listen(c)
	events, cancel := c.Subscribe(task.EventFilter{})
	defer cancel()
	id := w.start(c, req).ID
	wait(id, task.StateDone)
	st, err := os.Stat(filepath.Join(dir, "1.png"))
	if err != nil {
		t.Fatal(err)
	}
	ps := told(t, events, id, task.StateDone)
	if len(ps) == 0 || ps[len(ps)-1].Bytes != st.Size() || ps[len(ps)-1].TotalBytes != st.Size() {
		t.Errorf("%+v, the file has %d bytes", ps, st.Size())
	}
}

// Who plans a chore on a whole folder is told what it looks at, before there is
// anything to count, and no time is guessed from that.
func TestProgressOfAFolder(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	wait := w.listen(c)
	events, cancel := c.Subscribe(task.EventFilter{})
	defer cancel()
	dir := w.pictures("1.png", "2.png")
	id := w.start(c, tasks.StartRequest{Kind: task.KindChore, Chore: "cleanup-downloads", Folders: []task.FolderRequest{{Path: dir}}}).ID
	wait(id, task.StateWaiting)
	ps := told(t, events, id, task.StateWaiting)
	if len(ps) == 0 || ps[0].Item == "" || ps[0].ETA != nil {
		t.Errorf("%+v", ps)
	}
}
