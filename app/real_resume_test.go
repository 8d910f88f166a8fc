//go:build vm

package app

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/scripts/lib/tier"
)

// envRealKilled is the base directory of a program that is to be killed while a
// real machine works for it; its folder to tidy is in there, too.
const envRealKilled = "PIWORK_TEST_REAL_KILLED"

// TestRealResumeAfterKill kills the program in the middle of tidying many files in
// a real machine. The next run of it says so and goes on: in the end all is as
// planned, and taken back as one.
func TestRealResumeAfterKill(t *testing.T) {
	if base := os.Getenv(envRealKilled); base != "" {
		beKilledTidying(t, base)
		return
	}
	tier.Rest(t, "TestRealKill")
	o := warmOptions(t)
	base := filepath.Dir(o.DataDir)
	dir := filepath.Join(base, "Downloads")
	if err := os.Rename(mixed(t, tidied), dir); err != nil {
		t.Fatal(err)
	}
	before := exactly(t, dir)
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestRealResumeAfterKill$", "-test.v")
	cmd.Env = append(os.Environ(), envRealKilled+"="+base)
	if out, err := cmd.CombinedOutput(); err == nil || bytes.Contains(out, []byte("--- FAIL")) || bytes.Contains(out, []byte("panic:")) {
		t.Fatalf("%v\n%s", err, out)
	}
	if left := left(t, o.DataDir); len(left) > 0 {
		t.Errorf("its machine lives on: %q", left)
	}

	c := openReal(t, o)
	all, err := c.Tasks(t.Context())
	if err != nil || len(all) != 1 || all[0].State != task.StateFailed || all[0].Error == nil || all[0].Error.Code != problem.CodeInterrupted {
		t.Fatalf("%+v, %v", all, err)
	}
	id := all[0].ID
	plan, err := c.Plan(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	half := exactly(t, dir)
	moved := 0
	for _, op := range plan.Operations {
		if _, there := half[strings.TrimPrefix(op.Out, "/folders/Downloads/")]; there {
			moved++
		}
	}
	if moved == 0 || moved == len(plan.Operations) {
		t.Fatalf("when it was killed %d of %d were moved", moved, len(plan.Operations))
	}
	if _, err := c.ResumeTask(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	got := ended(t, c, id)
	if got.State != task.StateDone || got.Error != nil || len(got.Problems) > 0 {
		t.Fatalf("%s, %+v, %+v", got.State, got.Error, got.Problems)
	}
	testAsPlanned(t, plan, before, exactly(t, dir))
	rep, err := c.Undo(t.Context(), id, history.UndoRequest{})
	if err != nil || len(rep.Conflicts) > 0 {
		t.Fatalf("%+v, %v", rep.Conflicts, err)
	}
	if d := differences(before, exactly(t, dir)); len(d) > 0 {
		t.Errorf("undone, there differs %q", d)
	}
	t.Logf("killed after %d of %d operations", moved, len(plan.Operations))
}

// beKilledTidying tidies, and is gone when a third of the files has another place.
func beKilledTidying(t *testing.T, base string) {
	c := openReal(t, Options{
		DataDir: filepath.Join(base, "data"), ConfigDir: filepath.Join(base, "config"), CacheDir: filepath.Join(base, "cache"),
		PackDir: os.Getenv(EnvRuntimeDir), Accel: "tcg", Version: "0.1.0", Developer: true,
	})
	dir := filepath.Join(base, "Downloads")
	count := func() int {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, e := range entries {
			if !e.IsDir() {
				n++
			}
		}
		return n
	}
	all := count()
	began, err := c.StartTask(context.Background(), tasks.StartRequest{
		Kind: task.KindChore, Chore: "cleanup-downloads", Accept: true, Detached: true, Folders: []task.FolderRequest{{Path: dir}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for count() > all*2/3 {
		<-time.After(time.Millisecond)
		if now, err := c.Task(context.Background(), began.ID); err != nil || now.State.Final() {
			t.Fatalf("%+v, %v", now, err)
		}
	}
	killSelf(t)
}
