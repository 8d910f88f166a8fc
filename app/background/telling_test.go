package background

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"piwork/app/api/apitest"
	"piwork/app/background/notice"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/upkeep"
	"piwork/app/words"
)

// messages are what the person is told.
type messages struct {
	all  chan notice.Message
	fail error
}

func (m messages) Show(n notice.Message, clicked func()) error {
	if clicked != nil {
		clicked()
	}
	m.all <- n
	return m.fail
}
func (messages) Close() {}

type teller struct {
	*telling
	fake   *apitest.Fake
	shown  messages
	opened chan string
	alone  chan struct{}
}

func newTeller(s apitest.Script) *teller {
	t := &teller{fake: apitest.New(s), shown: messages{all: make(chan notice.Message, 16)}, opened: make(chan string, 16), alone: make(chan struct{}, 1)}
	t.telling = &telling{
		service: t.fake, shower: t.shown, alone: t.alone, words: words.For("de"), log: slog.New(slog.DiscardHandler),
		windows: func() int { return 0 }, held: func() []string { return nil }, open: func(link string) { t.opened <- link },
		attended: map[string]bool{},
	}
	return t
}

// A task that goes on, one that is over, and one that needs an answer are told of once, and a
// click opens the window on it.
func TestTelling(t *testing.T) {
	tl := newTeller(apitest.Script{Endless: true})
	go tl.run(t.Context())
	if _, err := tl.fake.StartTask(t.Context(), tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}, Detached: true}); err != nil {
		t.Fatal(err)
	}
	tl.alone <- struct{}{}
	if m := <-tl.shown.all; m.Title != "1 Aufgabe läuft im Hintergrund weiter" || m.Body == "" || m.Open != "Anzeigen" || <-tl.opened != "piwork://open" {
		t.Errorf("%+v", m)
	}
	done := newTeller(apitest.Script{})
	subscribed := make(chan struct{})
	go func() { close(subscribed); done.run(t.Context()) }()
	<-subscribed
	for done.fake.Subscribers() == 0 {
		time.Sleep(time.Millisecond)
	}
	for range 2 {
		made, err := done.fake.StartTask(t.Context(), tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}, Detached: true})
		if err != nil {
			t.Fatal(err)
		}
		if m := <-done.shown.all; m.ID != made.ID || m.Title == "" || m.Body != "Fertig" || <-done.opened != "piwork://task/"+made.ID {
			t.Errorf("%+v", m)
		}
		done.fake.Hangup() // as on whoever is too slow: it hears of the next one all the same
	}
}

// Nobody is told what a window or a command line shows, what they do not want to hear, or
// what is not so any more.
func TestNotTold(t *testing.T) {
	const id = "0190c2f0-0000-7000-8000-000000000001"
	event := func(s task.State) task.Event {
		return task.Event{Seq: 7, Task: id, Kind: task.EventState, Data: task.StateData{State: s}}
	}
	for name, change := range map[string]func(tl *teller){
		"a window is there":          func(tl *teller) { tl.windows = func() int { return 1 } },
		"a command line waits":       func(tl *teller) { tl.held = func() []string { return []string{id} } },
		"a command line waited":      func(tl *teller) { tl.attended[id] = true },
		"messages are not wanted":    func(tl *teller) { apitest.Give(tl.fake, upkeep.WindowSettings{}) },
		"the choice cannot be read":  func(tl *teller) { tl.fake.Refuse = map[string]error{"WindowSettings": errors.New("no")} },
		"a window told of it":        func(tl *teller) { apitest.Give(tl.fake, upkeep.NoticeClaimed{}) },
		"it goes on":                 func(*teller) {},
		"the person cancelled it":    nil,
		"nothing of it is different": func(*teller) {},
	} {
		t.Run(name, func(t *testing.T) {
			tl := newTeller(apitest.Script{})
			e := event(task.StateDone)
			if change == nil {
				e = event(task.StateCancelled)
			} else {
				change(tl)
			}
			about := task.Task{ID: id, State: task.StateDone, Kind: task.KindExec, Title: "x"}
			if name == "it goes on" {
				about.State = task.StateRunning
			}
			tl.service = one{tl.fake, about}
			if tl.hear(e) {
				tl.over(t.Context(), e)
			}
			tl.goesOn(t.Context())
			if want := map[bool]int{true: 1, false: 0}[name == "nothing of it is different"]; len(tl.shown.all) != want {
				t.Errorf("%d messages", len(tl.shown.all))
			}
			if len(tl.unsaid) > 1 || slices.ContainsFunc(tl.unsaid, func(u task.Event) bool { return u.Seq != e.Seq }) {
				t.Errorf("%+v", tl.unsaid)
			}
		})
	}
}

// one is a service with one task.
type one struct {
	*apitest.Fake
	about task.Task
}

func (o one) Task(context.Context, string) (task.Task, error) { return o.about, nil }
