//go:build vm

package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piwork/app/consent"
	"piwork/app/history"
	"piwork/app/machines"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/scripts/lib/tier"
	"piwork/vmhost"
	"piwork/vmhost/share/guard"
	"piwork/vmhost/wire"
)

// A script in a real machine deletes 50 originals. It is asked about once; while
// the person thinks the machine stands still, for longer than the script may run.
// Refused is EACCES in the guest; allowed is done, and can be undone.
func TestRealQuestion(t *testing.T) {
	tier.Rest(t, "TestRealAI")
	overEachWay(t, realQuestion)
}

const (
	thinkingTime = 14 * time.Second
	scriptTime   = 12 * time.Second
)

func realQuestion(t *testing.T, kind machines.ShareKind) {
	c := openReal(t, warmOptions(t))
	c.Patience = time.Second
	if _, err := c.SetMachines(t.Context(), machines.Settings{Share: kind, Instant: true}); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "Photos")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	const n = 50
	for i := range n {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%02d.jpg", i)), []byte("original"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	left := func() int {
		list, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	script := `touch own && rm own || exit 90
for f in *.jpg; do rm -f "$f" 2>>/tmp/refused; done
grep -c "Permission denied" /tmp/refused
exit 0`
	for _, answer := range []string{vmhost.AnswerDeny, vmhost.AnswerAllow} {
		events, stop := c.Subscribe(task.EventFilter{})
		began, err := c.StartTask(t.Context(), tasks.StartRequest{
			Kind: task.KindExec, Argv: []string{"sh", "-c", script}, Limits: wire.Limits{WallMS: scriptTime.Milliseconds()},
			Folders: []task.FolderRequest{{Path: dir, Mode: task.ModeReadWrite}},
		})
		if err != nil {
			t.Fatal(err)
		}
		q := openQuestion(t, c, began.ID)
		if q.Kind != vmhost.AskMassChange || q.Text.Params["done"] != guard.ForCommands.Deletes.Free || left() != n-guard.ForCommands.Deletes.Free {
			t.Errorf("%+v, %d files", q, left())
		}
		if used, why := c.Live(began.ID).Machine().(machines.SharingRuntime).Share(); (used == wire.KindVirtio9P) != (kind == machines.Share9P) || (used == wire.KindVirtioFS) != (kind == machines.ShareVirtioFS) {
			t.Errorf("the folders are there by %s (%v)", used, why)
		}
		standsStill(t, c, began.ID)
		time.Sleep(thinkingTime)
		if got, err := c.Task(t.Context(), began.ID); err != nil || got.State != task.StateWaiting {
			t.Fatalf("%+v %v", got, err)
		}
		if _, err := c.Answer(t.Context(), began.ID, q.ID, consent.AnswerRequest{Answer: answer}); err != nil {
			t.Fatal(err)
		}
		got := ended(t, c, began.ID)
		var out []byte
		for _, e := range queued(events) {
			if d, ok := e.Data.(task.OutputData); ok && d.Stream == wire.Stdout && e.Task == began.ID {
				out = append(out, d.Data...)
			}
		}
		stop()
		want, refused := n-guard.ForCommands.Deletes.Free, fmt.Sprint(n-guard.ForCommands.Deletes.Free)
		if answer == vmhost.AnswerAllow {
			want, refused = 0, "0"
		}
		if got.State != task.StateDone || left() != want || strings.TrimSpace(string(out)) != refused {
			t.Errorf("%s: %s %+v, %d files left, %s refused", answer, got.State, got.Error, left(), out)
		}
		if rep, err := c.Undo(t.Context(), began.ID, history.UndoRequest{}); err != nil || len(rep.Conflicts) > 0 || left() != n {
			t.Errorf("undo: %+v %v, %d files", rep, err, left())
		}
	}
}

// openQuestion waits for the question of a task.
func openQuestion(t *testing.T, c *Controller, id string) (q vmhost.Question) {
	t.Helper()
	meanwhile(t, c, id, func(task.Task) bool {
		list, err := c.Questions(t.Context(), id)
		if err != nil || len(list) != 1 {
			return false
		}
		q = list[0]
		return true
	})
	return q
}

// standsStill waits until the machine of a task does.
func standsStill(t *testing.T, c *Controller, id string) {
	t.Helper()
	rt, ok := c.Live(id).Machine().(interface{ Paused() bool })
	if !ok {
		t.Fatal("the machine cannot stand still")
	}
	for end := time.Now().Add(time.Minute); !rt.Paused(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the machine does not stand still")
		}
	}
}
