package history

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"piwork/app/audit/audittest"
	"piwork/app/problem"
	"piwork/app/settings"
	"piwork/app/task"
	"piwork/scripts/lib/memdir"
	"piwork/vmhost/share"
	"piwork/vmhost/share/journal"
)

// hears is a log that calls a function at each message.
type hears func()

func (h hears) Enabled(context.Context, slog.Level) bool  { return true }
func (h hears) Handle(context.Context, slog.Record) error { h(); return nil }
func (h hears) WithAttrs([]slog.Attr) slog.Handler        { return h }
func (h hears) WithGroup(string) slog.Handler             { return h }

// interrupted makes the journal of a task that changed a file of its folder, and whose undo was cut
// off when it had just begun. The folder is away; back brings it again.
func interrupted(t *testing.T, h *History, id, dir string) (back func()) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	file, jdir, died := filepath.Join(dir, "a"), h.o.Store.JournalDir(id), filepath.Join(t.TempDir(), "journal")
	check(os.WriteFile(file, []byte("before"), 0o644))
	log := slog.New(hears(func() { // the folder that is away is met once more when the undo has begun
		if _, err := os.Lstat(died); journal.Unfinished(jdir) && errors.Is(err, fs.ErrNotExist) {
			check(os.CopyFS(died, os.DirFS(jdir)))
		}
	}))
	j, err := journal.Open(jdir, journal.Options{Log: log})
	check(err)
	set := share.NewSet(share.Options{})
	f, err := set.Add(share.Folder{ID: "f1", Path: dir, Name: "letters"}, j)
	check(err)
	check(set.Lookup(f.Name).Remove("a"))
	set.Close()
	check(os.Rename(dir, dir+".away"))
	_, err = j.Undo(t.Context(), nil, journal.UndoOptions{})
	check(errors.Join(err, j.Close(), os.RemoveAll(jdir), os.Rename(died, jdir)))
	return func() { check(os.Rename(dir+".away", dir)) }
}

// Undo that was cut off and waits for its folder is not given up, neither because it is old nor
// when somebody asks for it, who hears why: only with it the folder is ever whole again.
func TestInterruptedUndoIsNotGivenUp(t *testing.T) {
	memdir.OnDisk(t)
	h, id, dir := finished(t, task.ModeReadWrite, nil)
	choice, err := settings.Open(filepath.Join(t.TempDir(), "x.json"), UndoSettings{Days: 1}, func() {})
	if err != nil {
		t.Fatal(err)
	}
	h.o.Choice = settings.Of(choice, func(all *UndoSettings) *UndoSettings { return all })
	if _, err := h.o.Store.Update(id, func(one *task.Task) error {
		one.Ended = new(time.Now().Add(-48 * time.Hour))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	back := interrupted(t, h, id, dir)
	if space, err := h.UndoSpace(t.Context(), id); err != nil || !space.Unfinished || space.Expires != nil {
		t.Errorf("%+v, %v: it does not go by itself", space, err)
	}
	h.Expire(t.Context(), true)
	if !journal.Unfinished(h.o.Store.JournalDir(id)) {
		t.Fatal("it was given up for its age")
	}
	_, err = h.ForgetUndo(t.Context(), id, false)
	if p := problem.From(err); err == nil || p.Code != problem.CodeUndoWaits || p.Cause != "missing" || p.Params["path"] != dir || p.Params["task"] != id {
		t.Errorf("%v", err)
	}
	if !journal.Unfinished(h.o.Store.JournalDir(id)) {
		t.Fatal("it was given up by somebody who asked")
	}
	back()
	if _, err := h.ForgetUndo(t.Context(), id, false); err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "a")); err != nil || string(b) != "before" {
		t.Errorf("it was not finished before it was given up: %q %v", b, err)
	}
	if _, err := os.Lstat(h.o.Store.JournalDir(id)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// When the folder is gone for good, the person can give up the undo that waits for it: its changes
// stay listed, and the audit log has that they are half undone.
func TestInterruptedUndoIsAbandoned(t *testing.T) {
	memdir.OnDisk(t)
	h, id, dir := finished(t, task.ModeReadWrite, nil)
	back := interrupted(t, h, id, dir)
	if space, err := h.ForgetUndo(t.Context(), id, true); err != nil || !space.Forgotten || space.Unfinished {
		t.Fatalf("%+v, %v", space, err)
	}
	if list, err := h.Changes(t.Context(), id); err != nil || len(list) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	if got, want := audittest.Decisions(t, h.o.Audit), []string{"undo-data abandoned person", "undo-data removed person"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	back()
	if _, err := os.Lstat(filepath.Join(dir, "a")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something finished it: %v", err)
	}
}

// A folder that comes back after the undo was given up, and before what it changed is listed, is
// left as it is: the audit log says so.
func TestAbandonedUndoIsNotFinished(t *testing.T) {
	memdir.OnDisk(t)
	h, id, dir := finished(t, task.ModeReadWrite, nil)
	back := sync.OnceFunc(interrupted(t, h, id, dir))
	h.o.Log = slog.New(hears(back)) // it hears that the folder cannot be opened
	h.o.Open = Journals(h.o.Log, nil)
	if space, err := h.ForgetUndo(t.Context(), id, true); err != nil || !space.Forgotten {
		t.Fatalf("%+v, %v", space, err)
	}
	if _, err := os.Lstat(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "a")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something finished it: %v", err)
	}
	if list, err := h.Changes(t.Context(), id); err != nil || len(list) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
}

// An undo that can never be finished, for a journal that is damaged, can be given up with its task.
// That the list of its changes cannot be kept is said, and nothing else was done or written down.
func TestDamagedUndoIsAbandoned(t *testing.T) {
	memdir.OnDisk(t)
	h, id, dir := finished(t, task.ModeReadWrite, nil)
	interrupted(t, h, id, dir)
	if err := os.WriteFile(filepath.Join(h.o.Store.JournalDir(id), "log"), []byte("something else, and long enough"), 0o600); err != nil {
		t.Fatal(err)
	}
	one, err := h.o.Store.Get(id)
	if err != nil {
		t.Fatal(err)
	}
	for _, abandon := range []bool{false, true} {
		if _, err := h.ForgetUndo(t.Context(), id, abandon); problem.From(err).Code != problem.CodeRecordDamaged {
			t.Errorf("abandon %v: %v", abandon, err)
		}
	}
	if err := h.FinishOrAbandon(t.Context(), one, false); problem.From(err).Code != problem.CodeRecordDamaged {
		t.Error(err)
	}
	if got := audittest.Decisions(t, h.o.Audit); len(got) > 0 {
		t.Errorf("%q", got)
	}
	if err := h.FinishOrAbandon(t.Context(), one, true); err != nil {
		t.Error(err)
	}
	if got, want := audittest.Decisions(t, h.o.Audit), []string{"undo-data abandoned person"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
