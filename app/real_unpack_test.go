//go:build vm

package app

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"piwork/app/consent"
	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/scripts/lib/tier"
	"piwork/vmhost"
)

// Archives of more than 50 MB and 250 files go through a task of their own: what grows
// is asked about and unpacked after a yes, what leads away is named, and all is undone.
func TestRealUnpacking(t *testing.T) {
	tier.Rest(t, "TestOperations of pack/guest/guestvm")
	dir := filepath.Join(t.TempDir(), "Arch")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	pack := func(name string, write func(*gzip.Writer) error) {
		t.Helper()
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if err := errors.Join(write(w), w.Close(), os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	const files, each = 250, 220_000
	noise := rand.NewChaCha8([32]byte{7})
	pack("many.tar.gz", func(w *gzip.Writer) error {
		out := tar.NewWriter(w)
		data := make([]byte, each)
		for i := range files + 1 {
			name := fmt.Sprintf("photos/IMG_%04d.jpg", i)
			if i == files {
				name = "../../evil.txt"
			}
			_, _ = noise.Read(data)
			if err := out.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: each, Typeflag: tar.TypeReg}); err != nil {
				return err
			}
			if _, err := out.Write(data); err != nil {
				return err
			}
		}
		return out.Close()
	})
	pack("zeros.gz", func(w *gzip.Writer) error { _, err := w.Write(make([]byte, 20<<20)); return err })
	before := exactly(t, dir)
	c := openReal(t, warmOptions(t))
	events, stop := c.Subscribe(task.EventFilter{})
	defer stop()
	began, err := c.StartTask(t.Context(), tasks.StartRequest{
		Kind: task.KindChore, Chore: "unpack-archives", Accept: true, Folders: []task.FolderRequest{{Path: dir, Mode: task.ModeReadWrite}},
	})
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	limit := time.After(15 * time.Minute)
	for over := false; !over; {
		select {
		case e := <-events:
			switch d := e.Data.(type) {
			case vmhost.Question:
				if asked++; d.Kind != vmhost.AskUnpack || len(d.Items) != 1 || d.Items[0] != "zeros.gz" {
					t.Errorf("asked %+v", d)
				}
				if _, err := c.Answer(t.Context(), began.ID, d.ID, consent.AnswerRequest{Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeOnce}); err != nil {
					t.Fatal(err)
				}
			case task.StateData:
				over = d.State.Final()
			}
		case <-limit:
			t.Fatal(timelineText(t, c, began.ID))
		}
	}
	got := ended(t, c, began.ID)
	if got.State != task.StateDone || asked != 1 || len(got.Results) != files+1 {
		t.Errorf("%s, %+v, asked %d times, %d results", got.State, got.Error, asked, len(got.Results))
	}
	if p := got.Problems; len(p) != 1 || p[0].Code != problem.CodeEntryLeftOut || p[0].Cause != "outside" || p[0].Params["entry"] != "../../evil.txt" {
		t.Errorf("%+v", p)
	}
	if r, err := c.Undo(t.Context(), began.ID, history.UndoRequest{}); err != nil || len(r.Conflicts) > 0 {
		t.Fatalf("%+v %v", r, err)
	}
	if d := differences(before, exactly(t, dir)); len(d) > 0 {
		t.Errorf("undone, there differs %q", d)
	}
}
