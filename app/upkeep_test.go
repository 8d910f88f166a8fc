package app

import (
	"archive/zip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piwork/app/consent"
	"piwork/app/models"
	"piwork/app/problem"
	"piwork/app/runtimepack"
	"piwork/app/runtimepack/updater"
	"piwork/app/saved"
	"piwork/app/task"
	"piwork/app/upkeep"
)

// put writes a file of a test, with its directories.
func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// record writes the record of a task that is over.
func record(t *testing.T, c *Controller, change func(*task.Task)) task.Task {
	t.Helper()
	id, err := task.NewID()
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().UTC()
	got := task.Task{V: 1, ID: id, Kind: task.KindExec, State: task.StateDone, Created: now, Timing: task.Timing{Ended: &now}, Folders: []task.Folder{}, Network: task.NetworkOff}
	if change != nil {
		change(&got)
	}
	if err := c.store.Create(got); err != nil {
		t.Fatal(err)
	}
	return got
}

// A report of a fault holds what helps, and nothing of the person: not what tasks
// were asked, not what they are called, no path, no key.
func TestDiagnosticsTellNothing(t *testing.T) {
	w := newWorld(t)
	t.Setenv("CANARY_API_KEY", "sk-ant-CANARY0123456789")
	c := w.open()
	over := record(t, c, func(got *task.Task) {
		got.Title, got.Argv, got.Kind = "Canary divorce", []string{"sh", "-c", "canary"}, task.KindAI
		got.Folders = []task.Folder{{ID: "f1", Path: "/mnt/Canary folder", Name: "Canary folder", Mode: task.ModeReadOnly}}
		got.Params = map[string]any{"password": "CANARY"}
		got.Results = []task.Result{{Folder: "f1", Path: "Canary.pdf"}}
		got.Error = problem.New(problem.CodeInputBroken).With("path", "/mnt/canary").Because(os.ErrPermission)
		got.AI = &task.AI{Model: "anthropic/x", Pending: []task.Pending{{Text: "canary"}}}
	})
	vm := filepath.Join(c.o.DataDir, machineDir)
	put(t, filepath.Join(vm, "qemu.log"), "qemu: -drive file="+filepath.Join(c.o.DataDir, "vm/x y/CANARY")+"\nCould not open '/mnt/Canary folder/a': Permission denied\nAuthorization: Bearer CANARY\n")
	put(t, filepath.Join(vm, over.ID, "work", "qemu.log"), "CANARY, which a program of a sandbox wrote")
	put(t, filepath.Join(vm, over.ID, "console.log"), "[    0.1] Linux version 6.12\r\nDear diary, canary\r\n[    1.0] open /folders/Canary folder/x: eof\r\n")
	put(t, filepath.Join(vm, "controller.log"), `-22T08:00:00Z","msg":"canary"}`+"\n"+
		`{"time":"2026-11-22T08:00:00Z","level":"WARN","msg":"api: refused","who":"canary@9f2c01aa","why":"no token that is valid","times":3}`+"\n"+
		`{"time":"2026-11-22T08:00:01Z","level":"ERROR","msg":"api: failed","request":"r-1","title":"Canary","error":"open /mnt/Canary folder/a: permission denied"}`+"\n"+
		"panic: canary\n")
	d, err := c.Diagnostics(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, f := range d.Files {
		all[f.Name] = f.Text
		if strings.Contains(strings.ToLower(f.Text), "canary") || strings.Contains(f.Text, w.base) {
			t.Errorf("%s: %s", f.Name, f.Text)
		}
		if int64(len(f.Text)) != f.Bytes {
			t.Errorf("%s: %d bytes, said %d", f.Name, len(f.Text), f.Bytes)
		}
	}
	for name, want := range map[string]string{
		"about.json": `"version": "1.2.3"`, "doctor.json": `"ready"`, "machines.json": `"host"`, "settings.json": `"slowMode"`, "storage.json": `"journals"`,
		"audit.json": `"ok": true`, "tasks.json": problem.CodeInputBroken, "logs/qemu.log": "Permission denied",
		"logs/" + over.ID + ".console.log": "Linux version 6.12\n", "README.txt": "Taken out",
		"logs/controller.log": `"why":"no token that is valid","times":3}`,
	} {
		if !strings.Contains(all[name], want) {
			t.Errorf("%s has no %q: %q", name, want, all[name])
		}
	}

	// What is written is what was shown, also when something changed since.
	path := filepath.Join(t.TempDir(), "Report.ZIP")
	put(t, filepath.Join(vm, "qemu.log"), "changed")
	f, err := c.WriteDiagnostics(t.Context(), upkeep.DiagnosticsRequest{Path: path, ID: d.ID})
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.OpenReader(path)
	if err != nil || f.Path != path {
		t.Fatal(f, err)
	}
	defer z.Close()
	if len(z.File) != len(d.Files) {
		t.Errorf("%d files, shown were %d", len(z.File), len(d.Files))
	}
	for _, file := range z.File {
		r, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		if data, err := io.ReadAll(r); err != nil || string(data) != all[file.Name] {
			t.Errorf("%s: %q (%v)", file.Name, data, err)
		}
	}
	if _, err := c.WriteDiagnostics(t.Context(), upkeep.DiagnosticsRequest{Path: path, ID: "other"}); codeOf(err) != problem.CodeChangedSince {
		t.Errorf("a preview that is gone: %v", err)
	}
	for _, path := range []string{"report.zip", filepath.Join(t.TempDir(), "report"), filepath.Join(t.TempDir(), ".bashrc")} {
		if _, err := c.WriteDiagnostics(t.Context(), upkeep.DiagnosticsRequest{Path: path}); codeOf(err) != problem.CodeBadRequest {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := c.WriteDiagnostics(t.Context(), upkeep.DiagnosticsRequest{Path: path}); codeOf(err) != problem.CodeOutputExists {
		t.Errorf("over a file that is there: %v", err)
	}
	if _, err := c.WriteDiagnostics(t.Context(), upkeep.DiagnosticsRequest{Path: path, Replace: true}); err != nil {
		t.Errorf("without a preview: %v", err)
	}
}

// A log is one of the list, never a path.
func TestLogs(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	over := record(t, c, nil)
	vm := filepath.Join(c.o.DataDir, machineDir)
	put(t, filepath.Join(vm, "qemu.log"), "0123456789")
	put(t, filepath.Join(vm, over.ID, "console.log.1"), "old")
	put(t, filepath.Join(vm, over.ID, "disk.img"), "no log")
	put(t, filepath.Join(c.o.DataDir, "secret.log"), "none of these")
	put(t, filepath.Join(vm, over.ID, "work", "qemu.log"), "a program's own")
	if err := os.Chmod(filepath.Join(vm, over.ID, "work"), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(vm, over.ID, "work"), 0o700) })
	if err := os.Symlink(filepath.Join(c.o.DataDir, "secret.log"), filepath.Join(vm, "link.log")); err != nil {
		t.Log(err) // not everybody may on Windows
	}
	list, err := c.Logs(t.Context())
	if err != nil || len(list.Logs) != 2 {
		t.Fatalf("%+v %v", list, err)
	}
	byName := map[string]upkeep.LogInfo{}
	for _, l := range list.Logs {
		byName[l.Name] = l
	}
	if l := byName[over.ID+".console.log.1"]; l.Task != over.ID || l.Bytes != 3 {
		t.Errorf("%+v", l)
	}
	for tail, want := range map[int64]string{0: "0123456789", 3: "789", 1 << 40: "0123456789"} {
		if got, err := c.Log(t.Context(), "qemu.log", tail); err != nil || string(got) != want {
			t.Errorf("the last %d: %q %v", tail, got, err)
		}
	}
	for _, name := range []string{"", "../secret.log", "secret.log", "link.log", over.ID + ".disk.img", filepath.Join(vm, "qemu.log")} {
		if _, err := c.Log(t.Context(), name, 0); codeOf(err) != problem.CodeNotFound {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// Cleaning takes what nobody needs, and undo only from somebody who knows.
func TestCleanStorage(t *testing.T) {
	w := newWorld(t)
	w.phase = updater.PhasePaused // a download that a person does not want to go on with
	c := w.open()
	over := record(t, c, nil)
	vm := filepath.Join(c.o.DataDir, machineDir)
	put(t, filepath.Join(vm, "qemu.log"), "1")
	put(t, filepath.Join(vm, "qemu.log.1"), "22")
	put(t, filepath.Join(vm, over.ID, "console.log"), "333")
	put(t, filepath.Join(c.o.CacheDir, runtimepack.DownloadsDir, "x.tar.zst"), "4444")
	put(t, filepath.Join(c.o.DataDir, runtimepack.PacksDir, ".assembly-0123456789abcdef", "tree", "manifest.json"), "7777777") // fetched in part
	put(t, filepath.Join(c.o.DataDir, runtimepack.AddOnsDir, "office", ".assembly-0123456789abcdef", "tree", "manifest.json"), "88888888")
	put(t, filepath.Join(c.store.Dir(over.ID), "results", "r.pdf"), "55555")
	put(t, filepath.Join(c.store.JournalDir(over.ID)+".gone", "old"), "666666")
	look := func() map[upkeep.StorageKind]upkeep.StorageItem {
		s, err := c.Storage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if s.FreeBytes <= 0 {
			t.Errorf("%d bytes free", s.FreeBytes)
		}
		out := map[upkeep.StorageKind]upkeep.StorageItem{}
		for _, i := range s.Items {
			out[i.What] = i
			if i.Cleanable != (i.Frees > 0) || i.Frees > i.Bytes || i.What != upkeep.StorageImages && !filepath.IsAbs(i.Path) {
				t.Errorf("%+v", i)
			}
		}
		return out
	}
	items := look()
	if l := items[upkeep.StorageLogs]; l.Bytes != 6 || l.Frees != 5 {
		t.Errorf("logs: %+v", l)
	}
	if d := items[upkeep.StorageDownloads]; d.Bytes != 19 || d.Frees != 19 {
		t.Errorf("downloads: %+v", d)
	}
	if r, a := items[upkeep.StorageRuntime], items[upkeep.StorageAddOns]; r.Bytes != 0 || a.Bytes != 0 {
		t.Errorf("%+v, %+v", r, a)
	}
	if j := items[upkeep.StorageJournals]; j.Bytes != 6 || j.Frees != 6 || !j.LosesUndo {
		t.Errorf("journals: %+v", j)
	}
	if r := items[upkeep.StorageTasks]; r.Bytes < 5 || r.Cleanable {
		t.Errorf("tasks: %+v", r)
	}
	for _, r := range []upkeep.CleanRequest{{What: []upkeep.StorageKind{upkeep.StorageTasks}}, {What: []upkeep.StorageKind{"/"}}, {What: []upkeep.StorageKind{upkeep.StorageLogs, upkeep.StorageJournals}}} {
		if _, err := c.CleanStorage(t.Context(), r); codeOf(err) != problem.CodeBadRequest {
			t.Errorf("%+v: %v", r, err)
		}
	}
	if look()[upkeep.StorageLogs].Bytes != 6 {
		t.Error("a request that was refused cleaned something")
	}
	got, err := c.CleanStorage(t.Context(), upkeep.CleanRequest{What: []upkeep.StorageKind{upkeep.StorageLogs, upkeep.StorageDownloads, upkeep.StorageLogs}})
	if err != nil || got.Freed != 24 {
		t.Errorf("%+v %v", got, err)
	}
	got, err = c.CleanStorage(t.Context(), upkeep.CleanRequest{What: []upkeep.StorageKind{upkeep.StorageJournals}, LoseUndo: true})
	if err != nil || got.Freed != 6 {
		t.Errorf("%+v %v", got, err)
	}
	if _, err := os.Stat(filepath.Join(c.store.Dir(over.ID), "results", "r.pdf")); err != nil {
		t.Error(err)
	}
	if items := look(); items[upkeep.StorageLogs].Bytes != 1 || items[upkeep.StorageJournals].Bytes != 0 {
		t.Errorf("%+v", items)
	}
}

// A task at work keeps its logs and its undo.
func TestCleaningLeavesTasksAtWorkAlone(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	live := record(t, c, func(got *task.Task) { got.State, got.Ended = task.StateRunning, nil })
	log := filepath.Join(c.o.DataDir, machineDir, live.ID, "console.log")
	put(t, log, "1")
	kept := filepath.Join(c.store.JournalDir(live.ID), "x")
	put(t, kept, "2")
	got, err := c.CleanStorage(t.Context(), upkeep.CleanRequest{What: []upkeep.StorageKind{upkeep.StorageLogs, upkeep.StorageJournals}, LoseUndo: true})
	if err != nil || got.Freed != 0 {
		t.Errorf("%+v %v", got, err)
	}
	for _, path := range []string{log, kept} {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
}

// Whatever a person chooses is told to all clients: every window shows it.
func TestChoicesAreTold(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	events, stop := c.Subscribe(task.EventFilter{Kinds: []task.EventKind{task.EventSettings}})
	defer stop()
	ctx := t.Context()
	for what, choose := range map[string]func() error{
		"the window": func() error {
			_, err := c.SetWindowSettings(ctx, upkeep.WindowSettings{Close: upkeep.CloseStop})
			return err
		},
		"a saved chore": func() error {
			_, err := c.SaveChore(ctx, saved.SaveChoreRequest{Name: "x", Chore: "pictures-to-pdf"})
			return err
		},
		"a rule": func() error {
			_, err := c.AddNetworkRule(ctx, consent.NetworkRuleRequest{Host: "example.org", Answer: "allow"})
			return err
		},
		"a key": func() error { _, err := c.SetKey(ctx, "anthropic", models.KeyRequest{Key: testKey}); return err },
	} {
		if err := choose(); err != nil {
			t.Fatal(what, err)
		}
		if e := <-events; e.Kind != task.EventSettings {
			t.Errorf("%s: %+v", what, e)
		}
	}
}

func TestWindowSettings(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	if s, err := c.WindowSettings(t.Context()); err != nil || s != (upkeep.WindowSettings{Close: upkeep.CloseAsk, Notify: true}) {
		t.Errorf("%+v %v", s, err)
	}
	want := upkeep.WindowSettings{Close: upkeep.CloseBackground}
	if s, err := c.SetWindowSettings(t.Context(), want); err != nil || s != want {
		t.Errorf("%+v %v", s, err)
	}
	if _, err := c.SetWindowSettings(t.Context(), upkeep.WindowSettings{Close: "explode"}); codeOf(err) != problem.CodeBadRequest {
		t.Error(err)
	}
	if _, err := c.SetWindowSettings(t.Context(), upkeep.WindowSettings{Close: upkeep.CloseAsk, Language: "fr"}); codeOf(err) != problem.CodeBadRequest {
		t.Error(err)
	}
	want.Theme, want.Signs = "dark", "off"
	if s, err := c.SetWindowSettings(t.Context(), want); err != nil || s != want {
		t.Errorf("%+v %v", s, err)
	}
	if s, err := c.SetWindowSettings(t.Context(), upkeep.WindowSettings{Close: want.Close, Theme: "dark"}); err != nil || s != want {
		t.Errorf("what a client does not know of: %+v %v", s, err)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s, err := w.open().WindowSettings(t.Context()); err != nil || s != want {
		t.Errorf("after a restart: %+v %v", s, err)
	}
}
