package copied

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"piwork/vmhost"
	"piwork/vmhost/share/guard"
)

// TestChangedWhileAsked: what a person changes while a question about the file is open stays,
// and the task's goes beside it.
func TestChangedWhileAsked(t *testing.T) {
	inPlace := func(file string) error { return os.WriteFile(file, []byte(strings.Repeat("mine", 20)), 0o644) }
	byRename := func(file string) error {
		return errors.Join(os.WriteFile(file+"~", []byte("mine"), 0o600), os.Rename(file+"~", file))
	}
	large := strings.Repeat("larger\n", 15_000)
	for name, tt := range map[string]struct {
		policy guard.Policy
		save   func(file string) error
		mine   string
	}{
		"before it is written, in place":  {guard.Policy{}, inPlace, strings.Repeat("mine", 20)},
		"before it is written, by rename": {guard.Policy{}, byRename, "mine"},
		"in the middle, by rename":        {guard.Policy{Changes: guard.Limit{Free: 1}, Writes: int64(len(large)) - 1}, byRename, "mine"},
	} {
		t.Run(name, func(t *testing.T) {
			var w *world
			asked := 0
			g := guard.New(tt.policy, guard.Options{Ask: func(context.Context, vmhost.Question, <-chan vmhost.Question) (guard.Answer, error) {
				if asked++; asked == 1 {
					w.check(tt.save(w.here("rw/a.txt")))
				}
				return guard.Answer{Decision: vmhost.Decision{Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeTask}}, nil
			}})
			t.Cleanup(g.Close)
			w = newWorld(t, Options{}, g)
			w.begin()
			write(w, w.there("rw/a.txt"), large)
			w.end()
			if asked == 0 {
				t.Fatal("nobody was asked")
			}
			if got := w.at(w.here("rw/a.txt")); got != tt.mine {
				t.Errorf("the person's file is %.40q", got)
			}
			if got := w.at(w.here("rw/a (new).txt")); got != large {
				t.Errorf("beside it are %d bytes", len(got))
			}
			if info, err := os.Stat(w.here("rw/a.txt")); err == nil && tt.mine == "mine" && info.Mode().Perm() != 0o600 {
				t.Errorf("the person's file has the mode %v", info.Mode())
			}
			if len(w.moved) != 1 {
				t.Errorf("%+v", w.moved)
			}
		})
	}
}

// asks has a person be asked about every change.
type asks struct{}

func (asks) Concerned() bool { return true }
func (asks) Decide(guard.Intent) (guard.Verdict, []string) {
	return guard.Ask, []string{"rule"}
}

// TestNewFileIsAskedAboutOnce: a yes for once is for the file that was made, not for one that
// has its name the next time.
func TestNewFileIsAskedAboutOnce(t *testing.T) {
	asked := 0
	g := guard.New(guard.Policy{}, guard.Options{Over: asks{}, Ask: func(context.Context, vmhost.Question, <-chan vmhost.Question) (guard.Answer, error) {
		if asked++; asked > 10 {
			return guard.Answer{}, errors.New("asked without end")
		}
		return guard.Answer{Decision: vmhost.Decision{Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeOnce}}, nil
	}})
	t.Cleanup(g.Close)
	w := newWorld(t, Options{}, g)
	w.begin()
	write(w, w.there("rw/new"), "content")
	w.end()
	if got := w.at(w.here("rw/new")); got != "content" || asked == 0 {
		t.Errorf("%q, asked %d times", got, asked)
	}
}
