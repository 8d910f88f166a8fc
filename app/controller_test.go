package app

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/app/audit"
	"piwork/app/chore/choretest"
	"piwork/app/problem"
	"piwork/app/setup"
	"piwork/app/task"
	"piwork/pack"
	"piwork/vmhost/qemu"
)

func TestOneControllerPerDataDirectory(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	_, err := open(t.Context(), w.options(), w.seams)
	var locked *LockedError
	if !errors.As(err, &locked) || locked.PID != os.Getpid() || locked.Socket != c.Socket() {
		t.Fatalf("%+v", err)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Errorf("closed twice: %v", err)
	}
	if _, err := c.StartTask(t.Context(), StartRequest{Kind: task.KindExec, Argv: []string{"true"}}); codeOf(err) != problem.CodeShuttingDown {
		t.Error(err)
	}
	again := w.open()
	if again.Socket() != c.Socket() {
		t.Errorf("the socket moved from %s to %s", c.Socket(), again.Socket())
	}
	other := w.options()
	other.DataDir += "2"
	if second := w.openWith(other); second.Socket() == again.Socket() {
		t.Error("two controllers on one socket")
	}
}

// A holder that has not said who it is yet is waited for, a moment.
func TestLockWithoutAHolder(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	file := filepath.Join(c.o.DataDir, holderFile)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(100*time.Millisecond, func() { _ = os.WriteFile(file, data, 0o600) })
	defer late.Stop()
	_, err = open(t.Context(), w.options(), w.seams)
	var locked *LockedError
	if !errors.As(err, &locked) || locked.Socket != c.Socket() {
		t.Errorf("%+v", err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err = open(ctx, w.options(), w.seams); !errors.As(err, &locked) || locked.PID != 0 {
		t.Errorf("%+v", err)
	}
}

// When something fails while a controller opens, nothing stays taken.
func TestOpenFails(t *testing.T) {
	w := newWorld(t)
	broken := errors.New("broken")
	if _, err := open(t.Context(), w.options(), func(context.Context, Options) (seams, error) { return seams{}, broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
	config := filepath.Join(w.options().ConfigDir, configName)
	if err := os.WriteFile(config, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t.Context(), w.options(), w.seams); err == nil {
		t.Error("damaged settings are ignored")
	}
	if data, err := os.ReadFile(config); err != nil || string(data) != "{" {
		t.Errorf("%q, %v", data, err)
	}
	if err := os.Remove(config); err != nil {
		t.Fatal(err)
	}
	w.open()
}

// A program that was killed leaves tasks, executions and machines behind; the
// next one brings them into order.
func TestRecovery(t *testing.T) {
	w := newWorld(t)
	o := w.options()
	store, err := task.OpenStore(filepath.Join(o.DataDir, tasksDir))
	if err != nil {
		t.Fatal(err)
	}
	id, err := task.NewID()
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Create(task.Task{V: 1, ID: id, Kind: task.KindExec, State: task.StateRunning, Folders: []task.Folder{}}); err != nil {
		t.Fatal(err)
	}
	log, _, _, err := audit.Open(filepath.Join(o.DataDir, auditDir))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(log.Append(audit.Record{Event: audit.EventBegin, Exec: id + "/1", Task: id}), log.Close()); err != nil {
		t.Fatal(err)
	}
	vm := filepath.Join(o.DataDir, machineDir)
	for _, f := range []string{id + "/overlay.qcow2", id + "/console.log", id + "/qemu.log", "gone/overlay.qcow2", "gone/console.log"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(vm, f)), 0o700), os.WriteFile(filepath.Join(vm, f), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	first := w.open()
	stale := filepath.Join(first.runs.base, "t1")
	if err := errors.Join(first.Close(t.Context()), os.MkdirAll(stale, 0o700)); err != nil { // a killed one's sockets
		t.Fatal(err)
	}
	c := w.open()
	if _, err := os.Lstat(stale); !errors.Is(err, os.ErrNotExist) {
		t.Error("sockets of a killed controller are left")
	}
	got, err := c.Task(t.Context(), id)
	if err != nil || got.State != task.StateFailed || got.Error.Code != problem.CodeInterrupted {
		t.Errorf("%+v, %v", got, err)
	}
	records := w.audit(c)
	if len(records) != 2 || records[1].Exec != id+"/1" || records[1].Ended != audit.EndedInterrupted {
		t.Errorf("%+v", records)
	}
	var left []string
	err = filepath.WalkDir(vm, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			left = append(left, strings.TrimPrefix(p, vm+"/"))
		}
		return err
	})
	if want := []string{id + "/console.log", id + "/qemu.log"}; err != nil || !slices.Equal(left, want) {
		t.Errorf("%q, %v", left, err)
	}
	if changes, err := c.Changes(t.Context(), id); err != nil || changes == nil || len(changes) != 0 {
		t.Errorf("%v, %v", changes, err)
	}
}

// A record that cannot be read is shown as such and can be deleted.
func TestDamagedTaskIsListed(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	wait := w.listen(c)
	id := w.start(c, StartRequest{Kind: task.KindExec, Argv: []string{"true"}}).ID
	wait(id, task.StateDone)
	if err := os.WriteFile(filepath.Join(c.store.Dir(id), "task.json"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := c.Tasks(t.Context())
	if err != nil || len(list) != 1 || list[0].ID != id || list[0].Error.Code != problem.CodeRecordDamaged || time.Since(list[0].Created) > time.Minute {
		t.Errorf("%+v, %v", list, err)
	}
	if events, err := c.Timeline(t.Context(), id, 0); err != nil || len(events) == 0 {
		t.Errorf("%v, %v", events, err)
	}
	if _, err := c.Changes(t.Context(), id); codeOf(err) != problem.CodeRecordDamaged {
		t.Error(err)
	}
	if err := c.DeleteTask(t.Context(), id); err != nil {
		t.Error(err)
	}
}

func TestStatusAndSettings(t *testing.T) {
	w := newWorld(t)
	w.proveErr = &qemu.ProofError{Accel: qemu.AccelKVM, Stage: qemu.StageFirstByte, Err: errors.New("silence")}
	o := w.options()
	config := filepath.Join(o.ConfigDir, configName)
	if err := errors.Join(os.MkdirAll(o.ConfigDir, 0o700), os.WriteFile(config, []byte(`{"v":1,"theme":"dark"}`), 0o600)); err != nil {
		t.Fatal(err)
	}
	c := w.open()
	events, stop := c.Subscribe(0)
	defer stop()
	for range 3 {
		if rep, err := c.Status(t.Context(), false); err != nil || rep.Ready {
			t.Errorf("%+v, %v", rep, err)
		}
	}
	if len(w.proved) != 1 {
		t.Errorf("proved %v", w.proved)
	}
	if _, err := c.Status(t.Context(), true); err != nil || len(w.proved) != 2 {
		t.Errorf("proved %v, %v", w.proved, err)
	}
	if rep, err := c.SetSlowMode(t.Context(), true); err != nil || !rep.Ready || rep.Accel.Kind != "tcg" {
		t.Errorf("%+v, %v", rep, err)
	}
	for n := 0; n < 3; {
		if e := <-events; e.Kind == task.EventStatus {
			n++
			if rep := e.Data.(setup.Report); rep.Ready != (n == 3) {
				t.Errorf("report %d: %+v", n, rep)
			}
		}
	}
	var saved map[string]any
	data, err := os.ReadFile(config)
	if err != nil || json.Unmarshal(data, &saved) != nil || saved["theme"] != "dark" || saved["slowMode"] != true {
		t.Errorf("%s, %v", data, err)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	c = w.open()
	if rep, err := c.Status(t.Context(), false); err != nil || rep.Accel.ChosenBy != setup.BySettings {
		t.Errorf("%+v, %v", rep, err)
	}
	if rep, err := c.SetSlowMode(t.Context(), false); err != nil || rep.Ready {
		t.Errorf("%+v, %v", rep, err)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Setenv(EnvAccel, "tcg")
	c = w.openWith(w.options())
	if rep, err := c.Status(t.Context(), false); err != nil || rep.Accel.ChosenBy != setup.ByEnvironment {
		t.Errorf("%+v, %v", rep, err)
	}
}

func TestInstallPack(t *testing.T) {
	w := newWorld(t)
	w.packErr = errNoPack
	c := w.open()
	events, stop := c.Subscribe(0)
	defer stop()
	if rep, err := c.Status(t.Context(), false); err != nil || rep.Problems[0].Code != problem.CodePackMissing {
		t.Errorf("%+v, %v", rep, err)
	}
	w.onInstall = func(progress func(done, total int64)) error {
		return &pack.VerifyError{Kind: pack.KindBadSignature}
	}
	if _, err := c.InstallPack(t.Context(), "x", nil); codeOf(err) != problem.CodePackInvalid {
		t.Error(err)
	}
	w.onInstall = func(progress func(done, total int64)) error {
		for i := range 10_001 {
			progress(int64(i), 10_000)
		}
		return nil
	}
	calls := 0
	if info, err := c.InstallPack(t.Context(), "x", func(int64, int64) { calls++ }); err != nil || !info.Current || calls != 10_001 {
		t.Errorf("%+v, %v, %d calls", info, err, calls)
	}
	if rep, err := c.Status(t.Context(), false); err != nil || !rep.Ready {
		t.Errorf("%+v, %v", rep, err)
	}
	var told []task.PackData
	for _, e := range drain(events) {
		if d, ok := e.Data.(task.PackData); ok {
			told = append(told, d)
		}
	}
	if len(told) < 2 || len(told) > 1000 || told[len(told)-1] != (task.PackData{Done: 10_000, Total: 10_000}) {
		t.Errorf("%d events", len(told))
	}
}

func TestRequests(t *testing.T) {
	w := newWorld(t)
	dir := w.pictures("1.png")
	file := filepath.Join(dir, "1.png")
	exec := StartRequest{Kind: task.KindExec, Argv: []string{"true"}}
	chore := StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Folders: []FolderRequest{{Path: dir}}}
	with := func(r StartRequest, change func(*StartRequest)) StartRequest { change(&r); return r }
	folders := func(paths ...string) func(*StartRequest) {
		return func(r *StartRequest) {
			r.Folders = nil
			for _, p := range paths {
				r.Folders = append(r.Folders, FolderRequest{Path: p})
			}
		}
	}
	c := w.open()
	link := filepath.Join(w.base, "link")
	if err := os.Symlink(c.o.DataDir, link); err != nil {
		t.Skip(err)
	}
	sub := filepath.Join(dir, "sub")
	if err := os.Mkdir(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	w.refuse = func(p string) error {
		if p == file {
			return errors.New("not a folder")
		}
		return nil
	}
	rows := []struct {
		name string
		r    StartRequest
		code string
	}{
		{"nothing", StartRequest{}, problem.CodeBadRequest},
		{"unknown kind", StartRequest{Kind: "x"}, problem.CodeBadRequest},
		{"AI", StartRequest{Kind: task.KindAI}, problem.CodeUnsupported},
		{"unknown chore", StartRequest{Kind: task.KindChore, Chore: "x"}, problem.CodeUnknownChore},
		{"chore without a folder", with(chore, folders()), problem.CodeBadRequest},
		{"bad parameter", with(chore, func(r *StartRequest) { r.Params = map[string]any{"page": "a0"} }), problem.CodeBadRequest},
		{"no program", with(exec, func(r *StartRequest) { r.Argv = nil }), problem.CodeBadRequest},
		{"empty program", with(exec, func(r *StartRequest) { r.Argv = []string{""} }), problem.CodeBadRequest},
		{"NUL in an argument", with(exec, func(r *StartRequest) { r.Argv = []string{"a", "\x00"} }), problem.CodeBadRequest},
		{"argument that is not UTF-8", with(exec, func(r *StartRequest) { r.Argv = []string{"a", "\xff"} }), problem.CodeBadRequest},
		{"relative directory", with(exec, func(r *StartRequest) { r.Cwd = "x" }), problem.CodeBadRequest},
		{"no tool", StartRequest{Kind: task.KindTool}, problem.CodeBadRequest},
		{"network", with(exec, func(r *StartRequest) { r.Network = "all" }), problem.CodeBadRequest},
		{"accelerator", with(exec, func(r *StartRequest) { r.Accel = "kvm" }), problem.CodeBadRequest},
		{"mode", with(exec, func(r *StartRequest) { r.Folders = []FolderRequest{{Path: dir, Mode: "x"}} }), problem.CodeBadRequest},
		{"review", with(exec, func(r *StartRequest) { r.Folders = []FolderRequest{{Path: dir, Mode: task.ModeReview}} }), problem.CodeUnsupported},
		{"relative folder", with(exec, folders("x")), problem.CodeBadRequest},
		{"empty folder path", with(exec, folders("")), problem.CodeBadRequest},
		{"folder that is not UTF-8", with(exec, folders("/\xff")), problem.CodeBadRequest},
		{"a file", with(exec, folders(file)), problem.CodeUnknown},
		{"gone", with(exec, folders(filepath.Join(dir, "gone"))), problem.CodeUnknown},
		{"piwork's own data", with(exec, folders(c.o.DataDir)), problem.CodeFolderRefused},
		{"above piwork's own data", with(exec, folders(w.base)), problem.CodeFolderRefused},
		{"a link to piwork's own data", with(exec, folders(link)), problem.CodeFolderRefused},
		{"in piwork's settings", with(exec, folders(c.o.ConfigDir)), problem.CodeFolderRefused},
		{"the same folder twice", with(exec, folders(dir, dir)), problem.CodeFolderOverlap},
		{"a folder in another", with(exec, folders(dir, sub)), problem.CodeFolderOverlap},
		{"a folder around another", with(exec, folders(sub, dir)), problem.CodeFolderOverlap},
		{"too many folders", with(exec, folders(slices.Repeat([]string{dir}, 99)...)), problem.CodeBadRequest},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			if got, err := c.StartTask(t.Context(), r.r); codeOf(err) != r.code {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	if list, err := c.Tasks(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("refused requests left %v, %v", list, err)
	}
}

func TestFolderNames(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	mk := func(p ...string) string {
		dir := filepath.Join(append([]string{t.TempDir()}, p...)...)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	real := mk("real")
	link := filepath.Join(t.TempDir(), "Shown")
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	got, err := c.folders(StartRequest{Kind: task.KindExec, Folders: []FolderRequest{
		{Path: mk("Fotos")}, {Path: mk("Fotos") + "/", Mode: task.ModeReadWrite}, {Path: mk("Fotos (2)")}, {Path: link},
		{Path: mk("写真 'x'") + "/../写真 'x'"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range got {
		names = append(names, f.ID+"="+f.Name+"/"+string(f.Mode))
	}
	want := []string{"f1=Fotos/ro", "f2=Fotos (2)/rw", "f3=Fotos (2) (2)/ro", "f4=Shown/ro", "f5=写真 'x'/ro"}
	if !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
	if resolved, err := filepath.EvalSymlinks(real); err != nil || got[3].Path != resolved {
		t.Errorf("%s, %v", got[3].Path, err)
	}
}

func TestTitles(t *testing.T) {
	long := strings.Repeat("ä", 500)
	rows := []struct {
		r    StartRequest
		want string
	}{
		{StartRequest{Kind: task.KindExec, Argv: []string{"/usr/bin/ls", "-l", "a\nb"}}, "ls -l a b"},
		{StartRequest{Kind: task.KindExec, Argv: []string{"x"}, Title: " mine "}, "mine"},
		{StartRequest{Kind: task.KindChore, Chore: "c"}, "c: F"},
		{StartRequest{Kind: task.KindExec, Argv: []string{long}}, strings.Repeat("ä", maxTitle-1) + "…"},
	}
	for _, r := range rows {
		if got := title(r.r, task.Task{Folders: []task.Folder{{Name: "F"}}}); got != r.want {
			t.Errorf("%q, want %q", got, r.want)
		}
	}
}

func TestSocketsHaveShortPaths(t *testing.T) {
	w := newWorld(t)
	o := w.options()
	o.DataDir = filepath.Join(o.DataDir, strings.Repeat("x", 120))
	c := w.openWith(o)
	if len(c.Socket()) > maxSocketPath || !strings.HasPrefix(c.Socket(), c.runs.base) {
		t.Errorf("%s", c.Socket())
	}
	dir, err := c.runs.task()
	if err != nil {
		t.Fatal(err)
	}
	if len(filepath.Join(dir, "console.sock")) > maxSocketPath {
		t.Errorf("%s is long", dir)
	}
	if info, err := os.Stat(c.runs.base); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(c.runs.base); !errors.Is(err, os.ErrNotExist) {
		t.Error("the directory of sockets is left")
	}
}

// Somebody else's directory of that name is not used.
func TestRunDirIsPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no permission bits")
	}
	rows := map[string]func(dir string) error{
		"open to others": func(dir string) error { return errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o777)) },
		"a link":         func(dir string) error { return os.Symlink(t.TempDir(), dir) },
		"a file":         func(dir string) error { return os.WriteFile(dir, nil, 0o600) },
	}
	for name, plant := range rows {
		t.Run(name, func(t *testing.T) {
			data := t.TempDir()
			first, err := openRunDirs(data)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(first.close(), plant(first.base)); err != nil {
				t.Fatal(err)
			}
			defer os.Remove(first.base)
			second, err := openRunDirs(data)
			if err != nil {
				t.Fatal(err)
			}
			if second.base == first.base || !private(second.base) {
				t.Errorf("%s is used", second.base)
			}
			if err := second.close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestOptionsFromTheEnvironment(t *testing.T) {
	for name, value := range map[string]string{EnvDataDir: "/d", EnvConfigDir: "/c", EnvCacheDir: "/k", EnvRuntimeDir: "/r", EnvAccel: "tcg"} {
		t.Setenv(name, value)
	}
	o := Options{CacheDir: "/mine"}.WithDefaults()
	if o.DataDir != "/d" || o.ConfigDir != "/c" || o.CacheDir != "/mine" || o.PackDir != "/r" || o.Accel != "tcg" || o.Log == nil {
		t.Errorf("%+v", o)
	}
	for _, name := range []string{EnvDataDir, EnvConfigDir, EnvCacheDir, EnvRuntimeDir, EnvAccel} {
		t.Setenv(name, "")
	}
	o = Options{}.WithDefaults()
	for _, dir := range []string{o.DataDir, o.ConfigDir, o.CacheDir} {
		if filepath.Base(dir) != "piwork" || !filepath.IsAbs(dir) {
			t.Errorf("%q", dir)
		}
	}
	if o.PackDir != "" || o.Accel != "" {
		t.Errorf("%+v", o)
	}
}

func TestImageOf(t *testing.T) {
	files := func(roles ...string) *pack.Installed {
		in := &pack.Installed{Dir: "/p", ManifestSHA256: "abc", Manifest: pack.Manifest{GuestArch: "x86_64"}}
		for i := 0; i < len(roles); i += 2 {
			in.Manifest.Files = append(in.Manifest.Files, pack.File{Role: pack.Role(roles[i]), Path: roles[i+1]})
		}
		return in
	}
	guest := []string{"kernel", "guest/vmlinux", "initrd", "guest/initramfs.cpio", "rootfs", "guest/rootfs.img", "work", "guest/work.qcow2"}
	relocated := append(slices.Clone(guest),
		"qemu", "qemu/bin/qemu-system-x86_64", "qemu-loader", "qemu/lib/ld.so", "qemu-lib", "qemu/lib/a.so", "qemu-lib", "qemu/lib/b.so", "qemu-lib", "qemu/lib/sub/c.so",
		"qemu-module", "qemu/modules/tcg.so", "firmware", "qemu/share/bios.bin", "firmware", "qemu/share/keymaps/de")
	got, err := ImageOf(files(relocated...))
	want := qemu.Image{
		Program: []string{"/p/qemu/lib/ld.so", "--inhibit-cache", "--library-path", "/p/qemu/lib:/p/qemu/lib/sub", "/p/qemu/bin/qemu-system-x86_64"},
		Env:     []string{"LC_ALL=C", "QEMU_MODULE_DIR=/p/qemu/modules"}, DataDir: "/p/qemu/share", Arch: "x86_64",
		Kernel: "/p/guest/vmlinux", Initrd: "/p/guest/initramfs.cpio", RootFS: "/p/guest/rootfs.img", WorkBase: "/p/guest/work.qcow2", ID: "abc",
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	static := append(slices.Clone(guest), "qemu", "qemu/qemu")
	if got, err := ImageOf(files(static...)); err != nil || !slices.Equal(got.Program, []string{"/p/qemu/qemu"}) || len(got.Env) != 1 || got.DataDir != "" {
		t.Errorf("%+v, %v", got, err)
	}
	for i := 0; i < len(static); i += 2 {
		without := slices.Delete(slices.Clone(static), i, i+2)
		if _, err := ImageOf(files(without...)); !errors.Is(err, pack.ErrNoRole) {
			t.Errorf("without %s: %v", static[i], err)
		}
	}
	if _, err := ImageOf(files(append(relocated, "qemu-loader", "qemu/lib/ld2.so")...)); !errors.Is(err, pack.ErrNoRole) {
		t.Errorf("with two loaders: %v", err)
	}
}

// A controller that is closed while a machine hangs does not wait for ever.
func TestCloseWithoutPatience(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	wait := w.listen(c)
	hung := make(chan struct{})
	w.onMachine = func(rt *choretest.Runtime) error {
		rt.OnClose = func(ctx context.Context) error {
			close(hung)
			<-ctx.Done() // a guest that does not power off; then it is killed
			return nil
		}
		return nil
	}
	id := w.start(c, StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Folders: []FolderRequest{{Path: w.pictures("1.png")}}}).ID
	<-hung
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	began := time.Now()
	if err := c.Close(ctx); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > closeTimeout/2 {
		t.Errorf("took %v", took)
	}
	if got := wait(id, task.StateCancelled); got.Error.Cause != "closing" {
		t.Errorf("%+v", got.Error)
	}
}
