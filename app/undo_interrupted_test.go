package app

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"piwork/app/audit/audittest"
	"piwork/app/chore/choretest"
	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/upkeep"
	"piwork/scripts/lib/memdir"
	"piwork/vmhost/share/journal"
)

// interrupt leaves the journal of a task as a power cut does in the middle of an undo: the log
// says that one began, and a marker lies beside it.
func interrupt(t *testing.T, dir string) {
	t.Helper()
	record := fmt.Sprintf(`{"k":"undo","t":%d}`, time.Now().UnixMilli())
	body := append(binary.LittleEndian.AppendUint32(nil, uint32(len(record))), record...)
	frame := binary.LittleEndian.AppendUint32(nil, uint32(len(body)))
	frame = binary.LittleEndian.AppendUint32(frame, crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
	log, err := os.OpenFile(filepath.Join(dir, "log"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = log.Write(append(frame, body...))
	if err := errors.Join(err, log.Close(), os.WriteFile(filepath.Join(dir, "unfinished"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
}

// An undo that was cut off in the middle, of a task that is over, is finished by the next start
// of the program. Nobody has to ask for it.
func TestStartFinishesUndo(t *testing.T) {
	memdir.OnDisk(t) // folders of the system are not shared, /dev is one
	w, c, dir, id := changing(t, task.ModeReadWrite, func(rt *choretest.Runtime) error {
		files, is := rt.Files.(*mounted)
		if !is {
			return errors.New("no share")
		}
		return errors.Join(twoFiles(rt), files.overwrite("/folders/things/old.txt", []byte("new")))
	})
	kept := c.store.JournalDir(id)
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	interrupt(t, kept)
	if err := os.Remove(filepath.Join(dir, "one.txt")); err != nil { // as far as it came
		t.Fatal(err)
	}
	c, err := open(t.Context(), w.options(), realShares(w))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background())
	whole := func() bool {
		data, err := os.ReadFile(filepath.Join(dir, "old.txt"))
		return err == nil && string(data) == "old" && slices.Equal(names(t, dir), []string{"old.txt"})
	}
	said := func() *task.UndoData {
		events, err := c.Timeline(t.Context(), id, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if e.Kind != task.EventUndo {
				continue
			}
			var data task.UndoData
			text, err := json.Marshal(e.Data)
			if err := errors.Join(err, json.Unmarshal(text, &data)); err != nil {
				t.Fatal(err)
			}
			return &data
		}
		return nil
	}
	for until := time.Now().Add(20 * time.Second); (!whole() || said() == nil) && time.Now().Before(until); {
		time.Sleep(10 * time.Millisecond)
	}
	if !whole() {
		t.Errorf("nobody finished it: the folder has %q", names(t, dir))
	}
	if s := said(); s == nil || len(s.Undone) != 3 || len(s.Conflicts) > 0 {
		t.Errorf("the timeline says %+v", s)
	}
}

// listening is the write end of a log that hears whether a text was written.
type listening struct {
	text  string
	heard chan struct{}
}

func (l listening) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte(l.text)) {
		select {
		case l.heard <- struct{}{}:
		default:
		}
	}
	return len(line), nil
}

// cutOff is a controller with a task whose undo was cut off, and whose folder is away. What the
// start of the program does about it is over: it has the task for a moment.
func cutOff(t *testing.T) (c *Controller, dir, id string) {
	t.Helper()
	memdir.OnDisk(t) // folders of the system are not shared, /dev is one
	w, c, dir, id := changing(t, task.ModeReadWrite, twoFiles)
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	interrupt(t, c.store.JournalDir(id))
	if err := errors.Join(os.Remove(filepath.Join(dir, "one.txt")), os.Rename(dir, dir+".away")); err != nil {
		t.Fatal(err)
	}
	w.diskMB = 10_000
	o := w.options()
	o.fixedBy = "" // the data can be moved
	log := listening{"an interrupted undo waits for its folder", make(chan struct{}, 1)}
	o.Log = slog.New(slog.NewTextHandler(log, nil))
	c, err := open(t.Context(), o, realShares(w))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	<-log.heard
	return c, dir, id
}

// A task whose undo was cut off is not deleted while its folder is away: its journal is all that
// makes the folder whole again. Whoever asks for it hears of the way out.
func TestInterruptedUndoIsNotDeleted(t *testing.T) {
	c, dir, id := cutOff(t)
	err := c.DeleteTask(t.Context(), id, false)
	if p := problem.From(err); err == nil || p.Code != problem.CodeUndoWaits || p.Cause != "missing" || p.Params["task"] != id || len(p.Fix) != 1 || p.Fix[0].Code != problem.FixDeleteAnyway {
		t.Errorf("deleted while the folder is away: %+v", p)
	}
	if _, err := c.Undo(t.Context(), id, history.UndoRequest{}); codeOf(err) != problem.CodeUndoWaits {
		t.Errorf("undone while the folder is away: %v", err)
	}
	got, err := c.CleanStorage(t.Context(), upkeep.CleanRequest{What: []upkeep.StorageKind{upkeep.StorageJournals}, LoseUndo: true})
	if err != nil || !slices.Equal(got.Waiting, []string{id}) {
		t.Errorf("cleaned while the folder is away: %+v, %v", got, err)
	}
	if s := moveTo(t, c, t.TempDir()); s.Problem == nil || s.Problem.Code != problem.CodeMoveRefused || s.Problem.Params["task"] != id || len(s.Problem.Fix) != 1 || s.Problem.Fix[0].Code != problem.FixAbandonUndo {
		t.Errorf("moved while the folder is away: %+v", s)
	}
	if !journal.Unfinished(c.store.JournalDir(id)) {
		t.Fatal("the journal is gone")
	}
	if err := os.Rename(dir+".away", dir); err != nil {
		t.Fatal(err)
	}
	if err := c.DeleteTask(t.Context(), id, true); err != nil {
		t.Error(err)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"old.txt"}) {
		t.Errorf("the undo was not finished: %q", got)
	}
	if _, err := c.Task(t.Context(), id); codeOf(err) != problem.CodeNotFound {
		t.Errorf("the task is left: %v", err)
	}
	if got := audittest.Decisions(t, c.audit); slices.Contains(got, "undo-data abandoned person") {
		t.Errorf("nothing was abandoned: %q", got)
	}
}

// When the folder is gone for good, the person can delete the task nevertheless, which the audit
// log has.
func TestInterruptedUndoIsDeletedAnyway(t *testing.T) {
	c, _, id := cutOff(t)
	if err := c.DeleteTask(t.Context(), id, true); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Task(t.Context(), id); codeOf(err) != problem.CodeNotFound {
		t.Errorf("the task is left: %v", err)
	}
	got := audittest.Decisions(t, c.audit)
	if want := []string{"undo-data abandoned person", "task removed person"}; len(got) < 2 || !slices.Equal(got[len(got)-2:], want) {
		t.Errorf("%q, want %q at its end", got, want)
	}
}
