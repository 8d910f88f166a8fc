//go:build vm

package app

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"piwork/app/history"
	"piwork/app/machines"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/pack/packtest"
	"piwork/scripts/lib/tier"
)

// steps of a task, as its timeline has them.
func realSteps(t *testing.T, c *Controller, id string) []string {
	t.Helper()
	w := &world{t: t}
	var steps []string
	for _, k := range w.kinds(c, id) {
		if s, ok := strings.CutPrefix(k, "step:"); ok {
			steps = append(steps, s)
		}
	}
	return steps
}

// leftBehind are files of machines that are over, besides their logs.
func leftBehind(t *testing.T, c *Controller) (left []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(c.o.DataDir, machineDir), func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !machines.IsLog(d.Name()) {
			left = append(left, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	runs, err := os.ReadDir(c.runs.Base)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range runs {
		if r.IsDir() {
			left = append(left, r.Name())
		}
	}
	return left
}

func realExec(t *testing.T, c *Controller, dir string, argv ...string) task.Task {
	t.Helper()
	r := tasks.StartRequest{Kind: task.KindExec, Argv: argv}
	if dir != "" {
		r.Folders = []task.FolderRequest{{Path: dir, Mode: task.ModeReadWrite}}
	}
	began, err := c.StartTask(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return began
}

// Machines are restored from a template that is made once, several at a time, also
// by the next run of the program; without it they boot, and do the same.
func TestRealWarmPool(t *testing.T) {
	tier.Rest(t, "TestRealChore, in a machine that is restored")
	c := realController(t)
	m, err := c.PrepareMachines(t.Context())
	if err != nil || m.Instant.State != machines.WarmReady || m.Instant.Mode != machines.WarmTemplate || m.Instant.Bytes == 0 {
		t.Fatalf("%+v, %+v, %v", m.Instant, m.Instant.Problem, err)
	}
	if left := left(t, c.o.CacheDir); len(left) > 0 {
		t.Errorf("an idle program has %q", left)
	}
	dirs := make([]string, 4)
	ids := make([]string, len(dirs))
	for i := range dirs {
		dirs[i] = t.TempDir()
		ids[i] = realExec(t, c, dirs[i], "sh", "-c", "cat /etc/machine-id /proc/sys/kernel/random/uuid > made").ID
	}
	seen := map[string]bool{}
	for i, id := range ids {
		if got := ended(t, c, id); got.State != task.StateDone {
			t.Fatalf("%+v", got.Error)
		}
		if steps := realSteps(t, c, id); !slices.Contains(steps, "restore") || slices.Contains(steps, "kernel") {
			t.Errorf("steps %q", steps)
		}
		data, err := os.ReadFile(filepath.Join(dirs[i], "made"))
		if err != nil || seen[string(data)] || len(data) < 60 {
			t.Errorf("%q, %v", data, err)
		}
		seen[string(data)] = true
	}
	if left := leftBehind(t, c); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	o := c.Options()
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	c = openReal(t, o)
	began := time.Now()
	id := realExec(t, c, dirs[0], "sh", "-c", "touch again").ID
	if got := ended(t, c, id); got.State != task.StateDone {
		t.Fatalf("%+v", got.Error)
	}
	t.Logf("from the click to the end of a task: %v", time.Since(began))
	if steps := realSteps(t, c, id); !slices.Contains(steps, "restore") {
		t.Errorf("steps of the next run %q", steps)
	}

	if _, err := c.SetMachines(t.Context(), machines.Settings{AtOnce: 1}); err != nil { // and not at once
		t.Fatal(err)
	}
	waited := 0 // one of two does: which of them gets to a machine first is nobody's promise
	for _, id := range []string{realExec(t, c, dirs[1], "sh", "-c", "sleep 1; touch cold").ID, realExec(t, c, "", "true").ID} {
		if got := ended(t, c, id); got.State != task.StateDone {
			t.Fatalf("%+v", got.Error)
		}
		if steps := realSteps(t, c, id); !slices.Contains(steps, "kernel") || slices.Contains(steps, "restore") {
			t.Errorf("steps of a machine that boots %q", steps)
		}
		if slices.Contains(realSteps(t, c, id), "turn") {
			waited++
		}
	}
	if waited != 1 {
		t.Errorf("%d of two waited", waited)
	}
	if files, err := filepath.Glob(filepath.Join(o.CacheDir, machines.TemplatesDir, "*", "ram")); err != nil || len(files) > 0 {
		t.Errorf("left of the template: %q, %v", files, err)
	}
}

// A QEMU that is killed in the middle of a task ends that task, with what it did
// until then, and nothing else.
func TestRealQEMUKilled(t *testing.T) {
	tier.Rest(t, "TestFaultsForReal of vmhost/vm")
	c := realController(t)
	dir := t.TempDir()
	id := realExec(t, c, dir, "sh", "-c", "echo half > half; sleep 600").ID
	meanwhile(t, c, id, func(task.Task) bool {
		_, err := os.Lstat(filepath.Join(dir, "half"))
		return err == nil
	})
	killed := 0
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		if err == nil && pid > 1 && pid != os.Getpid() && strings.Contains(string(data), id) && strings.Contains(string(data), "qemu-system") {
			if err := syscall.Kill(pid, syscall.SIGKILL); err == nil {
				killed++
			}
		}
	}
	if killed == 0 {
		t.Fatal("no machine is seen")
	}
	got := ended(t, c, id)
	if got.State != task.StateFailed || got.Error.Code != problem.CodeVMFailed || got.Error.Cause != "exited" {
		t.Errorf("%+v, %+v", got.State, got.Error)
	}
	if said := failureInWords(t, c, id, "en"); !strings.HasPrefix(said, "The workroom closed unexpectedly\n") {
		t.Errorf("it says %q", said)
	}
	if left := leftBehind(t, c); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	if qemus := left(t, c.o.DataDir); len(qemus) > 0 {
		t.Errorf("still there: %q", qemus)
	}
	if rep, err := c.Undo(t.Context(), id, history.UndoRequest{}); err != nil || len(rep.Undone) != 1 {
		t.Errorf("%+v, %v", rep, err)
	}
	if got := ended(t, c, realExec(t, c, "", "true").ID); got.State != task.StateDone {
		t.Errorf("the next: %+v", got.Error)
	}
}

// Folders are virtio-fs of a task's machine where that was proven, once in each boot
// of the computer, and go over 9p where a person wants that.
func TestRealFastShare(t *testing.T) {
	tier.Rest(t, "TestSharedWorkForReal of vmhost/vm")
	c := openReal(t, madeOptions(t))
	m, err := c.PrepareMachines(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := cmp.Or(map[string]machines.ShareKind{"linux": machines.ShareVirtioFS}[runtime.GOOS], machines.Share9P)
	if m.Share.Kind != want {
		t.Fatalf("%+v", m.Share)
	}
	dir := t.TempDir()
	over := func() string {
		t.Helper()
		if got := ended(t, c, realExec(t, c, dir, "sh", "-c", "grep -o '/folders [a-z0-9]*' /proc/mounts > how; echo more >> kept").ID); got.State != task.StateDone {
			t.Fatalf("%+v", got.Error)
		}
		b, err := os.ReadFile(filepath.Join(dir, "how"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(strings.TrimPrefix(string(b), "/folders "))
	}
	if got := over(); got != string(want) {
		t.Errorf("over %q", got)
	}
	packtest.Needs9P(t)
	m.Settings.Share = machines.Share9P
	if m, err := c.SetMachines(t.Context(), m.Settings); err != nil || m.Share != (machines.Share{Kind: machines.Share9P, Reason: machines.ShareChosen}) {
		t.Errorf("%+v, %v", m.Share, err)
	}
	if got := over(); got != string(machines.Share9P) {
		t.Errorf("over %q, and 9p was chosen", got)
	}
	o := c.Options()
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	c = openReal(t, o) // it knows, without another proof
	if _, err := c.Status(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	m.Settings.Share = machines.ShareAuto
	if m, err := c.SetMachines(t.Context(), m.Settings); err != nil || m.Share.Kind != want {
		t.Errorf("%+v, %v", m.Share, err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "kept")); err != nil || string(b) != "more\nmore\n" {
		t.Errorf("%q, %v", b, err)
	}
	if left := leftBehind(t, c); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}
