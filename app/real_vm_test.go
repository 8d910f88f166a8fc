//go:build vm

package app

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/app/audit"
	"piwork/app/history"
	"piwork/app/machines"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/pack/packtest"
	"piwork/pack/trust"
	"piwork/scripts/lib/tier"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// The controller with everything real: the pack named by PIWORK_RUNTIME_DIR, its
// virtual machines in slow mode, the share, the journal.

// realController opens a controller in a fresh place.
func realController(t *testing.T) *Controller {
	t.Helper()
	return openReal(t, realOptions(t))
}

// realOptions are those of a fresh place. The pack is signed by the developer key
// of whoever runs the tests.
func realOptions(t *testing.T) Options {
	t.Helper()
	packDir := os.Getenv(EnvRuntimeDir)
	if packDir == "" {
		t.Fatalf("%s does not name an unpacked runtime pack", EnvRuntimeDir)
	}
	keys, err := os.ReadFile(filepath.Join(Options{}.WithDefaults().ConfigDir, trust.DeveloperFile))
	if err != nil {
		t.Fatal(err)
	}
	base := t.TempDir()
	o := Options{
		DataDir: filepath.Join(base, "data"), ConfigDir: filepath.Join(base, "config"), CacheDir: filepath.Join(base, "cache"),
		PackDir: packDir, Accel: "tcg", Version: "0.1.0", Developer: true,
	}
	if err := errors.Join(os.Mkdir(o.ConfigDir, 0o700), os.WriteFile(filepath.Join(o.ConfigDir, trust.DeveloperFile), keys, 0o600)); err != nil {
		t.Fatal(err)
	}
	return o
}

func openReal(t *testing.T, o Options) *Controller {
	t.Helper()
	c, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		if err := c.Close(ctx); err != nil {
			t.Error(err)
		}
		if qemus := left(t, c.o.DataDir); len(qemus) > 0 {
			t.Errorf("still there: %q", qemus)
		}
	})
	return c
}

// processes are the command lines of those of QEMU that name something.
func processes(t *testing.T, what string) []string {
	t.Helper()
	return slices.DeleteFunc(commandLines(t, what), func(line string) bool { return !strings.Contains(line, "qemu") })
}

// left are processes that something which died leaves behind, on a busy computer for some seconds.
func left(t *testing.T, what string) []string {
	t.Helper()
	return leftOf(t, func() []string { return processes(t, what) })
}

// leftOf is left of another list. How long it took is logged: the promise is a second.
func leftOf(t *testing.T, list func() []string) []string {
	t.Helper()
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		all := list()
		if took := time.Since(began); len(all) == 0 || took > 20*time.Second {
			t.Logf("%d left after %v", len(all), took)
			return all
		}
	}
}

// commandLines are those that name something.
func commandLines(t *testing.T, what string) (out []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if data, err := os.ReadFile(f); err == nil && bytes.Contains(data, []byte(what)) {
			out = append(out, string(bytes.ReplaceAll(data, []byte{0}, []byte(" "))))
		}
	}
	return out
}

func ended(t *testing.T, c *Controller, id string) task.Task {
	t.Helper()
	return meanwhile(t, c, id, func(now task.Task) bool { return now.State.Final() })
}

// meanwhile waits, for as long as the task does something, until what it does is seen.
func meanwhile(t *testing.T, c *Controller, id string, seen func(task.Task) bool) task.Task {
	t.Helper()
	events, stop := c.Subscribe(task.EventFilter{})
	defer stop()
	const stall = 5 * time.Minute
	limit := time.After(stall)
	for {
		got, err := c.Task(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if seen(got) {
			return got
		}
		if got.State.Final() {
			t.Fatalf("the task is %s, %+v", got.State, got.Error)
		}
		select {
		case <-events: // it does something
			limit = time.After(stall)
		case <-time.After(100 * time.Millisecond):
		case <-limit:
			t.Fatalf("the task is still %s", got.State)
		}
	}
}

func TestRealStatusAndExec(t *testing.T) {
	c := openReal(t, warmOptions(t))
	rep, err := c.Status(t.Context(), false)
	if err != nil || !rep.Ready || rep.Accel.Kind != "tcg" || rep.Accel.BootMS == 0 || !rep.Pack.Developer || !rep.Pack.Verified {
		t.Fatalf("%+v, %v", rep, err)
	}
	ro, rw := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(ro, "in"), []byte("from the host"), 0o644); err != nil {
		t.Fatal(err)
	}
	events, stop := c.Subscribe(task.EventFilter{})
	defer stop()
	script := `cat in; id -u; echo "$GIVEN"; touch x 2>/dev/null && echo WRITTEN; echo made > "$1/out"; ls -d /cache 2>/dev/null; exit 7`
	began, err := c.StartTask(t.Context(), tasks.StartRequest{
		Kind: task.KindExec, Argv: []string{"sh", "-c", script, "sh", "/folders/" + filepath.Base(rw)},
		Env: map[string]string{"GIVEN": "a=ü b"}, Limits: wire.Limits{WallMS: 600_000},
		Folders: []task.FolderRequest{{Path: ro}, {Path: rw, Mode: task.ModeReadWrite}},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := ended(t, c, began.ID)
	if got.ExitCode == nil || *got.ExitCode != 7 || got.Error.Code != problem.CodeExitStatus {
		t.Fatalf("%+v, %+v", got, got.Error)
	}
	var out []byte
	for _, e := range queued(events) {
		if d, ok := e.Data.(task.OutputData); ok && d.Stream == wire.Stdout {
			out = append(out, d.Data...)
		}
	}
	if string(out) != "from the host1000\na=ü b\n" {
		t.Errorf("output %q", out)
	}
	if data, err := os.ReadFile(filepath.Join(rw, "out")); err != nil || string(data) != "made\n" {
		t.Errorf("%q, %v", data, err)
	}
	if left, err := os.ReadDir(ro); err != nil || len(left) != 1 {
		t.Errorf("the read-only folder has %v, %v", left, err)
	}
	if rep, err := c.Undo(t.Context(), began.ID, history.UndoRequest{}); err != nil || len(rep.Undone) != 1 {
		t.Errorf("%+v, %v", rep, err)
	}
	if left, err := os.ReadDir(rw); err != nil || len(left) != 0 {
		t.Errorf("left after the undo: %v, %v", left, err)
	}
	var domains []string
	if _, err := audit.Verify(filepath.Join(c.o.DataDir, auditDir, audit.LogName), c.audit.Public(), func(r audit.Record) { domains = append(domains, r.Domain) }); err != nil || !slices.Equal(domains, []string{"vm", "", ""}) {
		t.Errorf("%q, %v", domains, err)
	}
	inSession(t, c, vmhost.KindVM)
	asAssistant(t, c, vmhost.KindVM)
}

// awkwardPictures makes a folder with real pictures under names as people have
// them, and two files that are none.
func awkwardPictures(t *testing.T) (dir string, good int) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), `Söhne & "Töchter"`)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	names := []string{"IMG_2.jpg", "IMG_10.jpg", "-rf.png", "a b.jpg", `it's "x".png`, "\u00e4-nfc.png", "a\u0308-nfd.jpg", "写真.png", "line\nbreak.jpg", "$(id).png"}
	for i, n := range names {
		img := image.NewRGBA(image.Rect(0, 0, 40+i, 30))
		for x := range 40 {
			img.Set(x, i, color.RGBA{uint8(20 * i), 200, uint8(x), 255})
		}
		var b bytes.Buffer
		err := png.Encode(&b, img)
		if strings.HasSuffix(n, ".jpg") {
			b.Reset()
			err = jpeg.Encode(&b, img, nil)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, n), b.Bytes(), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for n, content := range map[string]string{"broken.jpg": "\xff\xd8\xff\xe0 no picture", "empty.png": ""} {
		if err := os.WriteFile(filepath.Join(dir, n), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir, len(names)
}

func TestRealChore(t *testing.T) {
	c := openReal(t, warmOptions(t))
	dir, good := awkwardPictures(t)
	before, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	began, err := c.StartTask(t.Context(), tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Accept: true, Folders: []task.FolderRequest{{Path: dir}}})
	if err != nil {
		t.Fatal(err)
	}
	got := ended(t, c, began.ID)
	if got.State != task.StateDone || len(got.Results) != 1 || got.Results[0].Path != "Pictures.pdf" {
		t.Fatalf("%+v, %+v, %+v", got.State, got.Error, got.Results)
	}
	plan, err := c.Plan(t.Context(), began.ID)
	if err != nil || len(plan.Operations[0].In) != good {
		t.Errorf("%d inputs, %v", len(plan.Operations[0].In), err)
	}
	var left []string
	for _, p := range got.Problems {
		left = append(left, p.Code+" "+p.Params["name"].(string))
	}
	slices.Sort(left)
	if !slices.Equal(left, []string{"input-broken broken.jpg", "input-broken empty.png"}) {
		t.Errorf("problems %q", left)
	}
	f, r, err := c.OpenResult(t.Context(), began.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	pdf, err := io.ReadAll(f)
	if cerr := f.Close(); err != nil || cerr != nil || int64(len(pdf)) != r.Size || !bytes.HasPrefix(pdf, []byte("%PDF-")) {
		t.Errorf("%d bytes of PDF, %v", len(pdf), err)
	}
	changes, err := c.Changes(t.Context(), began.ID)
	if err != nil || len(changes) != 1 || changes[0].Path != "Pictures.pdf" || changes[0].After.SHA256 != r.SHA256 {
		t.Errorf("%+v, %v", changes, err)
	}
	if rep, err := c.Undo(t.Context(), began.ID, history.UndoRequest{}); err != nil || len(rep.Undone) != 1 {
		t.Errorf("%+v, %v", rep, err)
	}
	after, err := os.ReadDir(dir)
	if err != nil || len(after) != len(before) {
		t.Errorf("left: %v, %v", after, err)
	}
}

// A task that is cancelled in the middle of its work takes its machine along.
func TestRealCancel(t *testing.T) {
	c := openReal(t, warmOptions(t))
	events, stop := c.Subscribe(task.EventFilter{})
	defer stop()
	began, err := c.StartTask(t.Context(), tasks.StartRequest{Kind: task.KindExec, Argv: []string{"sh", "-c", "echo up; sleep 600"}})
	if err != nil {
		t.Fatal(err)
	}
	for up := false; !up; {
		select {
		case e := <-events:
			_, up = e.Data.(task.OutputData)
			if d, ok := e.Data.(task.StateData); ok && d.State.Final() {
				t.Fatalf("%+v", d)
			}
		case <-time.After(2 * time.Minute):
			t.Fatal("the program did not start")
		}
	}
	if len(processes(t, c.o.DataDir)) == 0 {
		t.Error("no machine is seen, so that its end proves nothing")
	}
	if got, err := c.CancelTask(t.Context(), began.ID); err != nil || got.State != task.StateCancelled {
		t.Errorf("%+v, %v", got, err)
	}
	if qemus := left(t, c.o.DataDir); len(qemus) > 0 {
		t.Errorf("still there: %q", qemus)
	}
	overlay := filepath.Join(c.o.DataDir, machineDir, began.ID)
	left, err := os.ReadDir(overlay)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range left {
		if !strings.HasSuffix(e.Name(), ".log") {
			t.Errorf("left: %s", e.Name())
		}
	}
}

// envChild makes the test binary the program that is killed: it names the data
// directory, then the folder.
const envChild = "PIWORK_TEST_CHILD"

// TestKilledChild is that program. It never ends by itself.
func TestKilledChild(t *testing.T) {
	base, dir, ok := strings.Cut(os.Getenv(envChild), "\n")
	if !ok {
		t.Skip("only as the child of TestRealKill")
	}
	c, err := Open(t.Context(), Options{
		DataDir: filepath.Join(base, "data"), ConfigDir: filepath.Join(base, "config"), CacheDir: filepath.Join(base, "cache"),
		Accel: "tcg", Version: "0.1.0", Developer: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	script := `echo changed > old; grep -o '/folders [a-z0-9]*' /proc/mounts > new; rm gone; sleep 600`
	_, err = c.StartTask(t.Context(), tasks.StartRequest{
		Kind: task.KindExec, Argv: []string{"sh", "-c", script}, Folders: []task.FolderRequest{{Path: dir, Mode: task.ModeReadWrite}},
	})
	if err != nil {
		t.Fatal(err)
	}
	select {}
}

// overEachWay does a test with folders that go over each way which this system has. An
// ordinary run plays the one that is chosen there.
func overEachWay(t *testing.T, test func(t *testing.T, kind machines.ShareKind)) {
	t.Helper()
	t.Run("over 9p", func(t *testing.T) {
		if runtime.GOOS == "linux" {
			tier.Rest(t, "virtio-fs")
		}
		packtest.Needs9P(t)
		test(t, machines.Share9P)
	})
	if runtime.GOOS == "linux" {
		t.Run("over virtio-fs", func(t *testing.T) { test(t, machines.ShareVirtioFS) })
	}
}

// The program is killed in the middle of a task: one second later its machine
// is gone too, and what the task did until then is listed and taken back by the
// next run of the program.
func TestRealKill(t *testing.T) { overEachWay(t, realKill) }

// realKill has the child do its task with folders of a kind, and kills it.
func realKill(t *testing.T, kind machines.ShareKind) {
	first := openReal(t, warmOptions(t))
	m, err := first.PrepareMachines(t.Context())
	if err == nil && kind == machines.Share9P && m.Share.Kind != kind {
		m.Settings.Share = kind
		m, err = first.SetMachines(t.Context(), m.Settings)
	}
	if err != nil || m.Share.Kind != kind {
		t.Fatalf("%+v, %v", m.Share, err)
	}
	o := first.Options()
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, n := range []string{"old", "gone"} {
		if err := os.WriteFile(filepath.Join(dir, n), []byte("before "+n), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestKilledChild$")
	child.Env = append(os.Environ(), envChild+"="+filepath.Dir(o.DataDir)+"\n"+dir)
	var said bytes.Buffer
	child.Stdout, child.Stderr = &said, &said
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = child.Process.Kill() })
	for limit := time.Now().Add(3 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if _, err := os.Lstat(filepath.Join(dir, "gone")); errors.Is(err, os.ErrNotExist) {
			break
		}
		if time.Now().After(limit) {
			t.Fatalf("the task did nothing:\n%s", said.String())
		}
	}
	if len(processes(t, o.DataDir)) == 0 {
		t.Error("no machine is seen, so that its end proves nothing")
	}
	if how, err := os.ReadFile(filepath.Join(dir, "new")); err != nil || strings.TrimSpace(string(how)) != "/folders "+string(kind) {
		t.Errorf("folders are %q, %v", how, err)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // it was killed: that is no news
	if qemus := left(t, o.DataDir); len(qemus) > 0 {
		t.Errorf("left behind: %q", qemus)
	}
	c := openReal(t, o)
	tasks, err := c.Tasks(t.Context())
	if err != nil || len(tasks) != 1 || tasks[0].State != task.StateFailed || tasks[0].Error.Code != problem.CodeInterrupted {
		t.Fatalf("%+v, %v", tasks, err)
	}
	changes, err := c.Changes(t.Context(), tasks[0].ID)
	var got []string
	for _, ch := range changes {
		got = append(got, string(ch.Effect)+" "+ch.Path)
	}
	slices.Sort(got)
	if err != nil || !slices.Equal(got, []string{"change old", "create new", "delete gone"}) {
		t.Errorf("%q, %v", got, err)
	}
	rep, err := c.Undo(t.Context(), tasks[0].ID, history.UndoRequest{})
	if err != nil || len(rep.Undone) != 3 || len(rep.Conflicts) != 0 {
		t.Errorf("%+v, %v", rep, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("%v, %v", entries, err)
	}
	for _, n := range []string{"old", "gone"} {
		info, err := os.Stat(filepath.Join(dir, n))
		data, rerr := os.ReadFile(filepath.Join(dir, n))
		if err != nil || rerr != nil || string(data) != "before "+n || info.Mode().Perm() != 0o640 {
			t.Errorf("%s is %q, %v", n, data, errors.Join(err, rerr))
		}
	}
	if rep, err := c.AuditVerify(t.Context()); err != nil || !rep.OK || rep.Records != 3 {
		t.Errorf("%+v, %v", rep, err)
	}
}
