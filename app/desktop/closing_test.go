package desktop

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"piwork/app/api"
	"piwork/app/upkeep"
	"piwork/app/words"
)

// desk is a window of a test: it notes what it is told.
type desk struct {
	did  []string
	told []api.WindowEvent
	yes  bool // what a person answers to the system's dialog
}

func (d *desk) emit(e api.WindowEvent) { d.told = append(d.told, e) }
func (d *desk) show()                  { d.did = append(d.did, "show") }
func (d *desk) hide()                  { d.did = append(d.did, "hide") }
func (d *desk) quit()                  { d.did = append(d.did, "quit") }
func (d *desk) ask(int) bool           { d.did = append(d.did, "ask"); return d.yes }

// rig is a conduct with tasks at work and a choice.
type rig struct {
	*conduct
	*desk
	tasks   int
	unknown error // how many there are
	choice  string
	failed  error
}

func newRig(tasks int, choice string) *rig {
	r := &rig{desk: &desk{}, tasks: tasks, choice: choice}
	r.conduct = &conduct{host: r.desk, running: func() (int, error) { return r.tasks, r.unknown }, stop: func(all bool) { r.did = append(r.did, map[bool]string{true: "stop", false: "plans"}[all]) }, settings: func() string { return r.choice },
		remember: func(_ context.Context, s string) error { r.choice = s; return r.failed }}
	return r
}

// Without tasks nobody is asked; with tasks once, and what was chosen is kept to.
func TestClose(t *testing.T) {
	for _, choice := range []string{upkeep.CloseAsk, upkeep.CloseStop, upkeep.CloseBackground} {
		plans := []string{"plans"}
		if choice == upkeep.CloseBackground {
			plans = nil
		}
		if r := newRig(0, choice); r.close() != leave || !slices.Equal(r.did, plans) {
			t.Errorf("nothing runs: %q", r.did)
		}
		r := newRig(0, choice)
		r.unknown = errors.New("no answer")
		if r.close() != leave || r.did != nil {
			t.Errorf("nobody knows what runs: %q", r.did)
		}
	}
	if r := newRig(1, upkeep.CloseStop); r.close() != leave || !reflect.DeepEqual(r.did, []string{"stop"}) {
		t.Errorf("stop: %q", r.did)
	}
	if r := newRig(1, upkeep.CloseBackground); r.close() != behind || !reflect.DeepEqual(r.did, []string{"hide"}) {
		t.Errorf("background: %q", r.did)
	}
	for answer, want := range map[string][]string{api.AnswerStop: {"stop", "quit"}, api.AnswerBackground: {"hide"}, api.AnswerCancel: nil} {
		r := newRig(2, upkeep.CloseAsk)
		r.listens()
		if r.close() != stay || len(r.told) != 1 || r.told[0].What != api.WindowCloseAsked || r.told[0].Running != 2 {
			t.Fatalf("%+v", r.told)
		}
		if err := r.answer(t.Context(), api.CloseRequest{Answer: answer, Remember: true}); err != nil || !reflect.DeepEqual(r.did, want) {
			t.Errorf("%s: %q %v", answer, r.did, err)
		}
		if kept := map[string]string{api.AnswerStop: upkeep.CloseStop, api.AnswerBackground: upkeep.CloseBackground, api.AnswerCancel: upkeep.CloseAsk}[answer]; r.choice != kept {
			t.Errorf("%s: %s is remembered", answer, r.choice)
		}
		if answer == api.AnswerStop && r.close() != leave {
			t.Error("a window that was told to stop asks again")
		}
	}
}

// A page that is not there, or does not answer, hinders nobody.
func TestCloseWithoutAPage(t *testing.T) {
	r := newRig(1, upkeep.CloseAsk)
	if r.close() != behind || !reflect.DeepEqual(r.did, []string{"ask", "hide"}) {
		t.Errorf("no page: %q", r.did)
	}
	r = newRig(1, upkeep.CloseAsk)
	r.yes = true
	r.listens()
	if r.close() != stay || r.close() != leave || !reflect.DeepEqual(r.did, []string{"ask", "stop"}) {
		t.Errorf("a page that hangs: %q", r.did)
	}
	r = newRig(1, upkeep.CloseAsk)
	r.listens()
	if err := r.answer(t.Context(), api.CloseRequest{Answer: api.AnswerStop}); err != nil || len(r.did) > 0 {
		t.Errorf("an answer that nobody asked for: %q %v", r.did, err)
	}
	r.failed = errors.New("no space")
	r.close()
	if err := r.answer(t.Context(), api.CloseRequest{Answer: api.AnswerStop, Remember: true}); err == nil || len(r.did) > 0 {
		t.Errorf("what could not be remembered: %q %v", r.did, err)
	}
	if err := r.answer(t.Context(), api.CloseRequest{Answer: api.AnswerStop}); err != nil || !reflect.DeepEqual(r.did, []string{"stop", "quit"}) {
		t.Errorf("a second answer after that: %q %v", r.did, err)
	}
	r = newRig(1, upkeep.CloseAsk)
	r.listens()
	r.close()
	r.wanted(api.OpenWish{})
	if err := r.answer(t.Context(), api.CloseRequest{Answer: api.AnswerStop}); err != nil || !reflect.DeepEqual(r.did, []string{"show", "stop", "quit"}) {
		t.Errorf("an answer after another start: %q %v", r.did, err)
	}
}

// The system asks in the language of the page, and the text can be answered by yes or no.
func TestCloseQuestion(t *testing.T) {
	for language, want := range map[string]closeQuestion{
		"en": {title: "A task is running", text: "Stop it and close piwork? ", stop: "Stop and close", keep: "Continue in background"},
		"de": {title: "Eine Aufgabe läuft noch", text: "Anhalten und piwork schließen? ", stop: "Anhalten und schließen", keep: "Im Hintergrund fortsetzen"},
	} {
		got := askInWords(words.For(language), 1)
		text := got.text
		if got.text = want.text; got != want || !strings.HasPrefix(text, want.text) {
			t.Errorf("%s: %+v %s", language, got, text)
		}
		if several := askInWords(words.For(language), 1200); !strings.HasPrefix(several.title, "1.200 ") && !strings.HasPrefix(several.title, "1,200 ") {
			t.Errorf("%s: %+v", language, several)
		}
	}
}

// A hidden window ends with its last task, also with one that ended while its person
// was asked, and comes back when it is wanted.
func TestBehind(t *testing.T) {
	r := newRig(1, upkeep.CloseBackground)
	r.close()
	if r.rested(); len(r.did) != 1 {
		t.Errorf("a task is at work: %q", r.did)
	}
	r.wanted(api.OpenWish{})
	r.tasks = 0
	if r.rested(); !reflect.DeepEqual(r.did, []string{"hide", "show"}) {
		t.Errorf("the window is there: %q", r.did)
	}
	r.tasks = 1
	r.close()
	r.tasks = 0
	if r.rested(); !reflect.DeepEqual(r.did, []string{"hide", "show", "hide", "quit"}) {
		t.Errorf("%q", r.did)
	}
	r = newRig(1, upkeep.CloseAsk)
	r.listens()
	r.close()
	r.tasks = 0
	_ = r.answer(t.Context(), api.CloseRequest{Answer: api.AnswerBackground})
	if !reflect.DeepEqual(r.did, []string{"hide", "quit"}) {
		t.Errorf("it ended while the question was open: %q", r.did)
	}
	r = newRig(1, upkeep.CloseBackground)
	r.close()
	r.tasks, r.unknown = 0, errors.New("no answer")
	if r.rested(); !reflect.DeepEqual(r.did, []string{"hide"}) {
		t.Errorf("nobody knows what runs: %q", r.did)
	}
}

// What the window is to open is told once: to a page that listens, or when it does.
func TestWishes(t *testing.T) {
	r := newRig(0, upkeep.CloseAsk)
	r.wanted(api.OpenWish{Chore: "a"})
	r.wanted(api.OpenWish{})
	if len(r.told) != 0 {
		t.Errorf("nobody listens: %+v", r.told)
	}
	if got := r.listens(); !reflect.DeepEqual(got, []api.OpenWish{{Chore: "a"}}) {
		t.Errorf("%+v", got)
	}
	r.wanted(api.OpenWish{Paths: []string{"/x"}})
	if len(r.told) != 1 || r.told[0].What != api.WindowOpen || !reflect.DeepEqual(r.told[0].Paths, []string{"/x"}) {
		t.Errorf("%+v", r.told)
	}
	if got := r.listens(); len(got) != 0 {
		t.Errorf("told twice: %+v", got)
	}
	r = newRig(0, upkeep.CloseAsk)
	for range 3 * maxWishes {
		r.wanted(api.OpenWish{Chore: "b"})
	}
	if got := r.listens(); len(got) != maxWishes {
		t.Errorf("%d wishes wait", len(got))
	}
}
