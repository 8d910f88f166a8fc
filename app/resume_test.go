package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/app/capacity"
	"piwork/app/chore/choretest"
	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/pack/guest/operate/job"
	"piwork/scripts/lib/memdir"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// files are those in a directory, with their content.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		out[strings.TrimPrefix(p, dir+"/")] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// scans makes a folder with a PDF in each of its folders, so that a chore works on
// them one after the other.
func scans(t *testing.T, dir string) {
	t.Helper()
	for _, sub := range []string{"a", "b", "c", "d"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, sub, sub+".pdf"), append(choretest.PDF("", sub, "2"), '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

const (
	envKilled = "PIWORK_TEST_KILLED" // the base directory of a program that is to be killed
	killAfter = 2                    // results
)

// halfDone reports whether a chore has made [killAfter] results in a folder that had so many
// files before, and is at no further one.
func halfDone(t *testing.T, dir string, before int) bool {
	t.Helper()
	all := files(t, dir)
	for name := range all {
		if job.IsPart(name) {
			return false
		}
	}
	return len(all) == before+killAfter
}

// compress is the chore of these tests.
func compress(dir string) tasks.StartRequest {
	return tasks.StartRequest{
		Kind: task.KindChore, Chore: "compress-pdf", Accept: true, Detached: true,
		Params: map[string]any{"recursive": true}, Folders: []task.FolderRequest{{Path: dir}},
	}
}

// The program is killed while a chore works. The next run of it says so, goes on
// with the chore when it is told to, and makes nothing twice; in the end
// everything is as if nothing had happened, and is taken back as one.
func TestResumeAfterKill(t *testing.T) {
	if base := os.Getenv(envKilled); base != "" {
		beKilled(t, base)
		return
	}
	w := newWorld(t)
	dir := filepath.Join(w.base, "Scans")
	scans(t, dir)
	before := files(t, dir)
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestResumeAfterKill$")
	cmd.Env = append(os.Environ(), envKilled+"="+w.base)
	if out, err := cmd.CombinedOutput(); err == nil || bytes.Contains(out, []byte("FAIL")) {
		t.Fatalf("%v\n%s", err, out)
	}
	half := files(t, dir)
	if len(half) != len(before)+killAfter {
		t.Fatalf("when it was killed there was %v", half)
	}

	var made []string
	w.onMachine = func(rt *choretest.Runtime) error {
		rt.Programs = choretest.Programs
		rt.After = func(p wire.ToolParams) error {
			if p.Out != "" {
				made = append(made, p.Out)
			}
			return nil
		}
		return nil
	}
	c := w.open()
	wait := w.listen(c)
	all, err := c.Tasks(t.Context())
	if err != nil || len(all) != 1 || all[0].State != task.StateFailed || all[0].Error.Code != problem.CodeInterrupted {
		t.Fatalf("%+v, %v", all, err)
	}
	id := all[0].ID
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	queued, err := c.ResumeTask(ctx, id)
	if err != nil || queued.State != task.StateQueued || queued.Error != nil || queued.Ended != nil {
		t.Fatalf("%+v, %v", queued, err)
	}
	done := wait(id, task.StateDone)
	if len(done.Results) != 4 || len(done.Problems) != 0 || done.Error != nil || done.Ended == nil {
		t.Errorf("%+v", done)
	}
	if len(made) != 4-killAfter {
		t.Errorf("it made %q", made)
	}
	now := files(t, dir)
	for name, content := range half {
		if now[name] != content {
			t.Errorf("%s is another", name)
		}
	}
	testAsIfNothing(t, w, c, now)

	var kinds, execs []string
	for _, k := range w.kinds(c, id) {
		if strings.HasPrefix(k, "state:") || strings.HasPrefix(k, "notice:") {
			kinds = append(kinds, k)
		}
	}
	want := "state:queued state:preparing state:running state:failed notice:resumed state:queued state:preparing state:running state:done"
	if got := strings.Join(kinds, " "); got != want {
		t.Errorf("timeline: %s", got)
	}
	for _, r := range w.audit(c) {
		if r.Event == "begin" {
			execs = append(execs, r.Exec)
		}
	}
	if slices.Sort(execs); len(execs) < 8 || len(slices.Compact(slices.Clone(execs))) != len(execs) {
		t.Errorf("executions: %q", execs)
	}
	if rep, err := c.Undo(t.Context(), id, history.UndoRequest{}); err != nil || len(rep.Conflicts) != 0 {
		t.Errorf("%+v, %v", rep, err)
	}
	if after := files(t, dir); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("undo left %v", after)
	}
}

// testAsIfNothing compares with a run that nobody interrupted.
func testAsIfNothing(t *testing.T, w *world, c *Controller, got map[string]string) {
	t.Helper()
	other := filepath.Join(t.TempDir(), "Scans")
	scans(t, other)
	wait := w.listen(c)
	wait(w.start(c, compress(other)).ID, task.StateDone)
	if want := files(t, other); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("there is %v, without the interruption %v", got, want)
	}
}

// beKilled does the chore and is gone in the middle of it.
func beKilled(t *testing.T, base string) {
	w := newWorld(t)
	w.base = base
	made := 0
	w.onMachine = func(rt *choretest.Runtime) error {
		rt.Programs = choretest.Programs
		rt.After = func(p wire.ToolParams) error {
			if p.Out == "" {
				return nil
			}
			if made++; made == killAfter {
				self, err := os.FindProcess(os.Getpid())
				if err == nil {
					err = self.Kill()
				}
				<-t.Context().Done() // in a moment there is nobody
				return err
			}
			return nil
		}
		return nil
	}
	c := w.open()
	wait := w.listen(c)
	wait(w.start(c, compress(filepath.Join(base, "Scans"))).ID, task.StateDone)
}

// A chore that was stopped goes on; what a person changed in between is found
// before anything is done.
func TestResumeStopped(t *testing.T) {
	for name, between := range map[string]struct {
		do   func(dir string) error
		code string
	}{
		"as it was":                     {func(string) error { return nil }, ""},
		"an input that is not done yet": {func(dir string) error { return os.WriteFile(filepath.Join(dir, "d/d.pdf"), []byte("else"), 0o600) }, problem.CodeChangedSince},
		"an input that is done":         {func(dir string) error { return os.WriteFile(filepath.Join(dir, "a/a.pdf"), []byte("else"), 0o600) }, ""},
		"an input is gone":              {func(dir string) error { return os.Remove(filepath.Join(dir, "c/c.pdf")) }, problem.CodeChangedSince},
		"the folder is gone":            {os.RemoveAll, problem.CodeFolderRefused},
		"a link to it is in its place":  {func(dir string) error { return errors.Join(os.Rename(dir, dir+"2"), os.Symlink(dir+"2", dir)) }, problem.CodeFolderRefused},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			dir := filepath.Join(w.base, "Scans")
			scans(t, dir)
			reached := make(chan struct{})
			first := true
			w.onMachine = func(rt *choretest.Runtime) error {
				rt.Programs = choretest.Programs
				if rt.Folders[0].ReadOnly || !first {
					return nil
				}
				first = false
				makes := 0
				rt.Before = func(ctx context.Context, p wire.ToolParams) (*wire.ToolResult, error) {
					if p.Out == "" {
						return nil, nil
					}
					if makes++; makes == 3 {
						close(reached)
						<-ctx.Done()
						return nil, context.Cause(ctx)
					}
					return nil, nil
				}
				return nil
			}
			c := w.open()
			wait := w.listen(c)
			id := w.start(c, compress(dir)).ID
			<-reached
			if stopped, err := c.CancelTask(t.Context(), id); err != nil || stopped.State != task.StateCancelled {
				t.Fatalf("%+v, %v", stopped, err)
			}
			if err := between.do(dir); err != nil {
				t.Fatal(err)
			}
			_, err := c.ResumeTask(t.Context(), id)
			if between.code == problem.CodeFolderRefused {
				if code := codeOf(err); code != between.code && code != problem.CodeUnknown { // nothing checks folders here
					t.Errorf("it goes on without its folder: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if between.code != "" {
				got := wait(id, task.StateFailed)
				if got.Error.Code != between.code || problem.ClassOf(got.Error.Code) != problem.ClassConflict || len(got.Results) != 2 {
					t.Errorf("%+v", got)
				}
				if now := files(t, dir); now["Smaller PDFs/d/d.pdf"] != "" {
					t.Error("something was done")
				}
				return
			}
			if got := wait(id, task.StateDone); len(got.Results) != 4 || len(got.Problems) != 0 {
				t.Errorf("%+v", got)
			}
			if _, err := c.ResumeTask(t.Context(), id); codeOf(err) != problem.CodeNotResumable {
				t.Errorf("again: %v", err)
			}
		})
	}
}

// What goes on has the machine that was asked for when it began.
func TestGoesOnWithItsMachine(t *testing.T) {
	want := capacity.Size{MemoryMB: 1536, CPUs: 3}
	sizes := func(t *testing.T, w *world) {
		t.Helper()
		all := w.all()
		if len(all) < 2 {
			t.Fatalf("%d machines", len(all))
		}
		for i, m := range all {
			if m.size() != want {
				t.Errorf("machine %d has %+v, want %+v", i+1, m.size(), want)
			}
		}
	}
	t.Run("a chore", func(t *testing.T) {
		w := newWorld(t)
		dir := filepath.Join(w.base, "Scans")
		scans(t, dir)
		fails := true
		w.onMachine = func(rt *choretest.Runtime) error {
			rt.Programs = choretest.Programs
			rt.After = func(p wire.ToolParams) error {
				if p.Out != "" && fails {
					return errors.New("cut")
				}
				return nil
			}
			return nil
		}
		c := w.open()
		wait := w.listen(c)
		r := compress(dir)
		r.MemoryMB, r.CPUs = want.MemoryMB, want.CPUs
		id := w.start(c, r).ID
		wait(id, task.StateFailed)
		fails = false
		if _, err := c.ResumeTask(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		wait(id, task.StateDone)
		sizes(t, w)
	})
	t.Run("an AI task", func(t *testing.T) {
		w, asked, answer := tuneWorld(t)
		c := openPi(t, w, nil)
		wait := w.listen(c)
		id := w.start(c, tasks.StartRequest{Kind: task.KindAI, AIRequest: tasks.AIRequest{Prompt: "Hello"}, Network: task.NetworkOff, Detached: true,
			MachineChoice: tasks.MachineChoice{MemoryMB: want.MemoryMB, CPUs: want.CPUs}}).ID
		<-asked
		answer <- struct{}{}
		wait(id, task.StateDone)
		if _, err := c.Say(t.Context(), id, tasks.SayRequest{Text: "More", Detached: true}); err != nil {
			t.Fatal(err)
		}
		<-asked
		answer <- struct{}{}
		wait(id, task.StateDone)
		sizes(t, w)
	})
}

// Files that were moved are not moved again, and not missed.
func TestResumeMoves(t *testing.T) {
	w := newWorld(t)
	dir := w.pictures("1.png", "2.png")
	cut := errors.New("cut")
	failing := true
	w.onMachine = func(rt *choretest.Runtime) error {
		rt.After = func(p wire.ToolParams) error {
			if p.Op == "file.move" && failing {
				return cut
			}
			return nil
		}
		return nil
	}
	c := w.open()
	wait := w.listen(c)
	id := w.start(c, tasks.StartRequest{
		Kind: task.KindChore, Chore: "rename-files", Accept: true, Params: map[string]any{"pattern": "new {name}"}, Folders: []task.FolderRequest{{Path: dir}},
	}).ID
	wait(id, task.StateFailed)
	moved := files(t, dir)
	failing = false
	if _, err := c.ResumeTask(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if got := wait(id, task.StateDone); len(got.Problems) != 0 {
		t.Errorf("%+v", got.Problems)
	}
	if now := files(t, dir); fmt.Sprint(now) != fmt.Sprint(moved) || len(now) != 2 {
		t.Errorf("%v, then %v", moved, now)
	}
}

// What cannot go on is refused by name, and stays as it is.
func TestResumeRefuses(t *testing.T) {
	w := newWorld(t)
	dir := w.pictures("1.png")
	c := w.open()
	wait := w.listen(c)
	over := func(r tasks.StartRequest, s task.State) string {
		t.Helper()
		r.Folders = []task.FolderRequest{{Path: dir}}
		return wait(w.start(c, r).ID, s).ID
	}
	waiting := over(tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf"}, task.StateWaiting)
	if _, err := c.ResumeTask(t.Context(), waiting); codeOf(err) != problem.CodeTaskRunning {
		t.Errorf("one that waits: %v", err)
	}
	if _, err := c.CancelTask(t.Context(), waiting); err != nil {
		t.Fatal(err)
	}
	for name, id := range map[string]string{
		tasks.ResumeNoPlan: waiting,
		tasks.ResumeOver:   over(tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Accept: true}, task.StateDone),
	} {
		was, err := c.Task(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.ResumeTask(t.Context(), id)
		if p, is := errors.AsType[*problem.Problem](err); !is || p.Code != problem.CodeNotResumable || p.Cause != name {
			t.Errorf("%s: %v", name, err)
		}
		if now, err := c.Task(t.Context(), id); err != nil || now.State != was.State {
			t.Errorf("%s: %+v, %v", name, now, err)
		}
	}
	if _, err := c.ResumeTask(t.Context(), "0194ffff-9a80-7b3c-8d1e-2f4a6b8c0d1e"); codeOf(err) != problem.CodeNotFound {
		t.Errorf("one that is not there: %v", err)
	}
}

// Over the real file server and the real journal: what was made before the machine
// died is found again, or made again where the person took it back, and one undo
// takes back what there is.
func TestResumeOverTheRealShare(t *testing.T) {
	memdir.OnDisk(t) // folders of the system are not shared, /dev is one
	for name, undo := range map[string]bool{"as it was": false, "taken back in between": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			dir := w.pictures("1.png", "2.png")
			dying, merges := true, 0
			w.onMachine = func(rt *choretest.Runtime) error {
				rt.After = func(p wire.ToolParams) error {
					if p.Op != "pdf.merge" {
						return nil
					}
					if merges++; dying {
						return &vmhost.FailedError{Runtime: "vm", Reason: vmhost.ReasonExited}
					}
					return nil
				}
				return nil
			}
			openReal := func() *Controller {
				t.Helper()
				c, err := open(t.Context(), w.options(), realShares(w))
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = c.Close(context.Background()) })
				return c
			}
			c := openReal()
			id := w.start(c, tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Accept: true, Folders: []task.FolderRequest{{Path: dir}}}).ID
			if got := w.listen(c)(id, task.StateFailed); len(got.Results) != 0 {
				t.Fatalf("%+v", got)
			}
			if err := c.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			c, dying = openReal(), false
			if undo {
				if rep, err := c.Undo(t.Context(), id, history.UndoRequest{}); err != nil || len(rep.Undone) != 1 {
					t.Fatalf("%+v, %v", rep, err)
				}
			}
			if _, err := c.ResumeTask(t.Context(), id); err != nil {
				t.Fatal(err)
			}
			done := w.listen(c)(id, task.StateDone)
			if len(done.Results) != 1 || done.Results[0].Path != "Pictures.pdf" || len(done.Problems) != 0 {
				t.Errorf("%+v", done)
			}
			if want := map[bool]int{false: 1, true: 2}[undo]; merges != want {
				t.Errorf("merged %d times, want %d", merges, want)
			}
			if pages := choretest.Pages([]byte(files(t, dir)["Pictures.pdf"])); !slices.Equal(pages, []string{"1.png", "2.png"}) {
				t.Errorf("pages %q", pages)
			}
			if rep, err := c.Undo(t.Context(), id, history.UndoRequest{}); err != nil || len(rep.Conflicts) != 0 || len(files(t, dir)) != 2 {
				t.Errorf("%+v, %v", rep, err)
			}
		})
	}
}
