package background

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"time"

	"piwork/app/api"
	"piwork/app/background/notice"
	"piwork/app/executable"
	"piwork/app/task"
	"piwork/app/upkeep"
	"piwork/app/words"
)

const (
	// aloneAfter is how long no window is there before the person is told that work goes on: a
	// window that starts anew comes back before that.
	aloneAfter = 5 * time.Second
	// windowsFirst is how long windows may take to tell of an event themselves.
	windowsFirst = time.Second
	// hearAgain is how long it waits where it was hung up on.
	hearAgain = 100 * time.Millisecond
)

// telling has the system tell the person of tasks while no window does: once that they go on
// in the background, and each when it is over or needs an answer. Whoever waits at a command
// line sees that there. The person's choice about messages of windows holds here, too.
type telling struct {
	service api.Service
	shower  notice.Shower
	windows func() int
	held    func() []string // tasks that a command line waits for
	alone   <-chan struct{} // the last window went
	open    func(link string)
	words   *words.Catalogue
	log     *slog.Logger

	aloneAfter, windowsFirst time.Duration

	attended map[string]bool // tasks that a command line waited for
	unsaid   []task.Event    // that windows may tell of first
}

func (s *Server) telling() *telling {
	t := &telling{
		service: s.Controller, shower: s.o.Notices, held: s.API.Held, alone: s.alone, log: s.o.App.Log,
		windows: func() int { return int(s.windows.Load()) }, words: words.ForTerminal(os.Getenv, words.SystemLanguages()),
		aloneAfter: aloneAfter, windowsFirst: windowsFirst,
	}
	if s.o.Pages != nil { // else there is no window to open
		t.open = s.openWindow
	}
	return t
}

// openWindow starts the window of this program.
func (s *Server) openWindow(link string) {
	program, err := executable.Path()
	if err == nil {
		cmd := exec.CommandContext(context.Background(), program, link) // it outlives this process
		detach(cmd)
		if err = cmd.Start(); err == nil {
			err = cmd.Wait()
		}
	}
	if err != nil {
		s.o.App.Log.Warn("controller: open the window", "error", err)
	}
}

// run tells until ctx ends.
func (t *telling) run(ctx context.Context) {
	events, stop := t.service.Subscribe(task.EventFilter{})
	defer func() { stop() }()
	defer t.shower.Close()
	t.attended = map[string]bool{}
	seen := int64(1) // 0 is for all that there are
	var left, first, again <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.alone:
			left = time.After(t.aloneAfter)
		case <-left:
			left = nil
			t.goesOn(ctx)
		case <-first:
			first = nil
			for _, e := range t.unsaid {
				t.over(ctx, e)
			}
			t.unsaid = nil
		case <-again:
			events, stop = t.service.Subscribe(task.EventFilter{After: seen})
		case e, ok := <-events:
			if !ok { // it is hung up on whoever cannot follow, as while a message is shown
				if ctx.Err() != nil {
					return
				}
				t.log.Warn("controller: some of what happens was missed and is heard again", "after", seen)
				stop()
				again = time.After(hearAgain)
				events = nil
				continue
			}
			seen = max(seen, e.Seq)
			if t.hear(e) && first == nil {
				first = time.After(t.windowsFirst)
			}
		}
	}
}

// hear notes who waits for a task, and reports whether the event is to be told of.
func (t *telling) hear(e task.Event) bool {
	d, ok := e.Data.(task.StateData)
	if !ok || e.Task == "" {
		return false
	}
	if slices.Contains(t.held(), e.Task) {
		t.attended[e.Task] = true
	}
	attended := t.attended[e.Task]
	if d.State.Final() {
		delete(t.attended, e.Task)
	}
	if attended || t.windows() > 0 || said[d.State] == "" {
		return false
	}
	t.unsaid = append(t.unsaid, e)
	return true
}

// said are the words for what a task has become.
var said = map[task.State]string{
	task.StateDone: "background.done", task.StateFailed: "background.failed", task.StateWaiting: "background.waiting",
}

// over tells of a task that is over or needs an answer.
func (t *telling) over(ctx context.Context, e task.Event) {
	about, err := t.service.Task(ctx, e.Task)
	if err != nil {
		return // it was deleted meanwhile
	}
	d, _ := e.Data.(task.StateData)
	if about.State != d.State || !t.wanted(ctx) {
		return
	}
	if c, err := t.service.ClaimNotice(ctx, upkeep.NoticeClaim{Event: e.Seq}); err != nil || !c.First {
		return
	}
	t.words.Task(&about)
	t.show(notice.Message{ID: about.ID, Title: cmp.Or(about.Title, "piwork"), Body: t.words.Text(said[d.State], nil), Link: "piwork://task/" + about.ID})
}

// goesOn tells that tasks are at work and no window is there.
func (t *telling) goesOn(ctx context.Context) {
	all, err := t.service.FindTasks(ctx, task.Filter{States: task.Unfinished})
	if err != nil || t.windows() > 0 {
		return
	}
	held := t.held()
	all = slices.DeleteFunc(all, func(one task.Task) bool { return slices.Contains(held, one.ID) })
	if len(all) == 0 || !t.wanted(ctx) {
		return
	}
	t.show(notice.Message{
		ID: "background", Title: t.words.Text("background.goes-on", map[string]any{"count": len(all)}),
		Body: t.words.Text("background.goes-on-until", nil), Link: "piwork://open",
	})
}

func (t *telling) wanted(ctx context.Context) bool {
	s, err := t.service.WindowSettings(ctx)
	return err == nil && s.Notify // nobody is disturbed by mistake
}

func (t *telling) show(m notice.Message) {
	var clicked func()
	if t.open != nil {
		m.Open = t.words.Text("background.show", nil)
		clicked = func() { t.open(m.Link) }
	}
	if err := t.shower.Show(m, clicked); err != nil {
		t.log.Info("controller: no message was shown", "error", err)
	}
}
