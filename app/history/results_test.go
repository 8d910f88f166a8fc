package history

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"piwork/app/audit/audittest"
	"piwork/app/events"
	"piwork/app/problem"
	"piwork/app/registry"
	"piwork/app/task"
	"piwork/scripts/lib/memdir"
	"piwork/vmhost/share"
	"piwork/vmhost/share/journal"
)

// finished is a task that is over and made results in a folder of a mode, which is returned.
func finished(t *testing.T, mode task.Mode, open Opener, results ...string) (h *History, id, dir string) {
	t.Helper()
	store, err := task.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if id, err = task.NewID(); err != nil {
		t.Fatal(err)
	}
	base, err := share.RealPath(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(base, "letters")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	one := task.Task{V: task.RecordVersion, ID: id, Kind: task.KindExec, State: task.StateDone, Created: time.Now(), Folders: []task.Folder{{ID: "f1", Name: "letters", Path: dir, Mode: mode}}}
	for _, name := range results {
		one.Results = append(one.Results, task.Result{Folder: "f1", Path: name})
	}
	if err := store.Create(one); err != nil {
		t.Fatal(err)
	}
	log, broker := slog.New(slog.DiscardHandler), events.New(time.Now)
	t.Cleanup(broker.Close)
	if open == nil {
		open = Journals(log, nil)
	}
	return New(Options{Audit: audittest.Open(t), Store: store, Registry: registry.New(store, broker, log), Events: broker, Log: log, Now: time.Now, Open: open, Spool: t.TempDir()}), id, dir
}

// stage has a file wait in front of the folder of a task.
func stage(t *testing.T, h *History, id, name, content string) {
	t.Helper()
	one, err := h.o.Store.Get(id)
	if err != nil {
		t.Fatal(err)
	}
	err = h.WithJournal(one, func(j Journal) error {
		return writeStaged(j, name, content)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func writeStaged(j Journal, name, content string) error {
	real, _ := j.(*taskJournal)
	l, err := real.Layer("f1")
	if err != nil {
		return err
	}
	f, _, err := l.Store().Create(name, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.WriteAt([]byte(content), 0); err != nil {
		return err
	}
	return f.Close()
}

// What waits in front of a folder that is gone is not lost silently: who asks hears of the
// folder, and an export says what is missing in it.
func TestFolderOfWaitingChangesIsGone(t *testing.T) {
	memdir.OnDisk(t)
	h, id, dir := finished(t, task.ModeReview, nil, "new.txt")
	if err := os.MkdirAll(h.o.Store.JournalDir(id), 0o700); err != nil {
		t.Fatal(err)
	}
	stage(t, h, id, "new.txt", "dear")
	list, err := h.Changes(t.Context(), id)
	if err != nil || len(list) != 1 || !list[0].Staged {
		t.Fatalf("%+v %v", list, err)
	}
	if change, waits := Waiting(list, task.Result{Folder: "f1", Path: "new.txt"}); !waits || change.ID != list[0].ID {
		t.Errorf("%+v %t", change, waits)
	}
	if _, waits := Waiting(list, task.Result{Folder: "f2", Path: "new.txt"}); waits {
		t.Error("a file of another folder waits")
	}
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"changes": second(h.Changes(t.Context(), id)),
		"compare": second(h.CompareChange(t.Context(), id, list[0].ID)),
		"apply":   second(h.Apply(t.Context(), id, ApplyRequest{})),
	} {
		if p := problem.From(err); p == nil || p.Code != problem.CodeFolderRefused || p.Cause != string(share.RefusedMissing) || p.Params["path"] != dir {
			t.Errorf("%s: %v", what, err)
		}
	}
	missing := exported(t, h, id)
	if len(missing) != 2 || missing[0].Result != nil || missing[0].Problem.Code != problem.CodeFolderRefused ||
		missing[1].Result == nil || missing[1].Problem.Code != problem.CodeFolderRefused {
		t.Errorf("%+v", missing)
	}
	if err := os.Rename(dir+".away", dir); err != nil {
		t.Fatal(err)
	}
	if missing := exported(t, h, id); missing != nil {
		t.Errorf("it is back: %+v", missing)
	}
}

func second[T any](_ T, err error) error { return err }

// exported reads missing.json of an export; nil where it has none.
func exported(t *testing.T, h *History, id string) (missing []gone) {
	t.Helper()
	out, err := h.ExportTask(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	data, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Open("changes.json"); err != nil {
		t.Error(err)
	}
	f, err := z.Open("missing.json")
	if err != nil {
		return nil
	}
	defer f.Close()
	if err := json.NewDecoder(f).Decode(&missing); err != nil {
		t.Fatal(err)
	}
	return missing
}

// A result that is no file is said to be none, and hinders no other in an export.
func TestResultThatIsNoFile(t *testing.T) {
	h, id, dir := finished(t, task.ModeReadWrite, nil, "letter.txt", "dir", "none.txt", "pipe")
	if err := os.WriteFile(filepath.Join(dir, "letter.txt"), []byte("dear"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "dir"), 0o700); err != nil {
		t.Fatal(err)
	}
	makePipe(t, filepath.Join(dir, "pipe"))
	for i, want := range []string{"", problem.CodeFileKind, problem.CodeNotFound, problem.CodeFileKind} {
		f, _, err := h.OpenResult(t.Context(), id, i)
		if err == nil {
			_ = f.Close()
		}
		if p := problem.From(err); (want == "") != (p == nil) || p != nil && p.Code != want {
			t.Errorf("result %d: %v", i, err)
		}
	}
	if missing := exported(t, h, id); len(missing) != 3 {
		t.Errorf("%+v", missing)
	}
}

// Of a result that somebody replaces while it is opened, one file or the other is opened, or it
// is said.
func TestResultChangedWhileOpened(t *testing.T) {
	h, id, dir := finished(t, task.ModeReadWrite, nil, "a")
	file := filepath.Join(dir, "a")
	write := func() error {
		return errors.Join(os.WriteFile(file+".new", nil, 0o600), os.Rename(file+".new", file))
	}
	if err := write(); err != nil {
		t.Fatal(err)
	}
	stop, done := context.WithTimeout(t.Context(), time.Second)
	over := make(chan struct{})
	go func() {
		defer close(over)
		for stop.Err() == nil {
			_ = write()
		}
	}()
	defer func() { done(); <-over }()
	for stop.Err() == nil {
		f, _, err := h.OpenResult(t.Context(), id, 0)
		if err == nil {
			_ = f.Close()
			continue
		}
		if p := problem.From(err); p.Code != problem.CodeChangedSince || p.Cause != "meanwhile" {
			t.Fatal(err)
		}
		return
	}
	t.Log("it was never replaced in between")
}

// alive is a task that goes on.
type alive struct{ done chan struct{} }

func (alive) Working() bool           { return true }
func (alive) Ending() bool            { return false }
func (a alive) Done() <-chan struct{} { return a.done }
func (alive) WithJournal(do func(Journal) error) (bool, error) {
	return true, do(twoChanges{})
}

// Who waits to list the changes of a task that is over, and goes on then, gets those of the
// task that runs.
func TestChangesOfATaskThatGoesOn(t *testing.T) {
	h, id, _ := finished(t, task.ModeReadWrite, func(string, []task.Folder, Room) (Journal, error) { return twoChanges{}, nil })
	if err := os.MkdirAll(h.o.Store.JournalDir(id), 0o700); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		release, err := h.o.Registry.Hold(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		var list []journal.Change
		over := make(chan error)
		go func() {
			var err error
			list, err = h.Changes(context.Background(), id)
			over <- err
		}()
		synctest.Wait() // it waits for who holds the task
		end, err := h.o.Registry.Begin(id, alive{make(chan struct{})}, func() error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		release()
		if err := <-over; err != nil || len(list) != 2 {
			t.Errorf("%+v %v", list, err)
		}
		h.o.Registry.End(id, nil)
		end()
	})
}

// failing is a file on a disk with a bad sector after its first bytes.
type failing struct{ io.Reader }

func (failing) Close() error { return nil }

// A result that can be opened but not read to its end is named in missing.json, and the
// export is whole with the others.
func TestExportOfAResultOnABadSector(t *testing.T) {
	bad := errors.New("input/output error")
	results := []task.Result{{Path: "bad.txt"}, {Path: "good.txt"}}
	var out bytes.Buffer
	x := exporter{zip: zip.NewWriter(&out), taken: map[string]bool{}}
	x.results(results, func(i int) (io.ReadCloser, error) {
		if i == 0 {
			return failing{io.MultiReader(strings.NewReader("half of"), iotest.ErrReader(bad))}, nil
		}
		return io.NopCloser(strings.NewReader("dear")), nil
	}, nil)
	if err := errors.Join(x.err, x.zip.Close()); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) []byte {
		data, err := fs.ReadFile(z, name)
		if err != nil {
			t.Error(err)
		}
		return data
	}
	if got := string(read("results/good.txt")); got != "dear" {
		t.Errorf("%q", got)
	}
	var missing []gone
	if err := json.Unmarshal(read("missing.json"), &missing); err != nil || len(missing) != 1 || missing[0].Result.Path != "bad.txt" || missing[0].Problem == nil {
		t.Errorf("%+v %v", missing, err)
	}
}

// An export that cannot be written fails: it is not taken for a result that cannot be read.
func TestExportThatCannotBeWritten(t *testing.T) {
	r, w := io.Pipe()
	_ = r.Close()
	x := exporter{zip: zip.NewWriter(w), taken: map[string]bool{}}
	x.results([]task.Result{{Path: "a"}}, func(int) (io.ReadCloser, error) {
		return io.NopCloser(io.LimitReader(rand.Reader, 1<<20)), nil
	}, nil)
	if !errors.Is(x.err, io.ErrClosedPipe) {
		t.Error(x.err)
	}
}
