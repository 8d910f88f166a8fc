package copied

import (
	"context"
	"strings"
	"testing"

	"piwork/vmhost"
	"piwork/vmhost/share/guard"
	"piwork/vmhost/share/journal"
)

// What the person appends to a file while that gets what the task appended to its copy stays, and the
// copy gets it, too; undo leaves it alone.
func TestPersonAppendsMeanwhile(t *testing.T) {
	const mine = "the person: pay Anna 100 EUR\n"
	task := strings.Repeat("task\n", 15_000)
	var w *world
	asked := 0
	g := guard.New(guard.Policy{Changes: guard.Limit{Free: 1}, Writes: int64(len(task)) - 1}, guard.Options{
		Ask: func(context.Context, vmhost.Question, <-chan vmhost.Question) (guard.Answer, error) {
			if asked++; asked == 1 {
				w.check(appendTo(w.here("rw/a.txt"), mine))
			}
			return guard.Answer{Decision: vmhost.Decision{Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeTask}}, nil
		}})
	t.Cleanup(g.Close)
	w = newWorld(t, Options{}, g)
	w.begin()
	w.check(appendTo(w.there("rw/a.txt"), task))
	w.end()
	want := "content of a.txt" + mine + task
	if asked == 0 || len(w.moved) > 0 {
		t.Errorf("asked %d times, beside it are %v", asked, w.moved)
	}
	if got := w.at(w.here("rw/a.txt")); got != want {
		t.Errorf("the file has %d bytes of %d: %.100q", len(got), len(want), got)
	}
	w.begin()
	if got := w.at(w.there("rw/a.txt")); got != want {
		t.Errorf("the copy has %d bytes of %d: %.100q", len(got), len(want), got)
	}
	w.end()
	undone(w, mine)
}

// What both have appended since the copy was made is in the file and beside it.
func TestBothAppended(t *testing.T) {
	w := newWorld(t, Options{}, nil)
	w.begin()
	w.check(appendTo(w.there("rw/a.txt"), "task\n"))
	w.check(appendTo(w.here("rw/a.txt"), "mine\n"))
	w.end()
	if here, beside := w.at(w.here("rw/a.txt")), w.at(w.here("rw/a (new).txt")); here != "content of a.txtmine\n" || beside != "content of a.txttask\n" {
		t.Errorf("%q, and beside it %q", here, beside)
	}
	undone(w, "mine\n")
}

// undone undoes the task and holds the person's file to having their line still.
func undone(w *world, mine string) {
	w.Helper()
	r, err := w.j.Undo(w.Context(), nil, journal.UndoOptions{})
	if got := w.at(w.here("rw/a.txt")); err != nil || !strings.Contains(got, mine) {
		w.Errorf("after undo %.100q: %+v %v", got, r, err)
	}
}
