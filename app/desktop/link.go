package desktop

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"piwork/app/api"
	"piwork/app/api/answer"
	"piwork/app/background"
	"piwork/app/task"
	"piwork/app/words"
	"piwork/vmhost"
)

const (
	retryPause = 300 * time.Millisecond
	askWithin  = 3 * time.Second  // how many tasks run
	endWithin  = 20 * time.Second // to end the tasks in order
)

// opener makes a session: the controller of this process, or of another.
type opener func(ctx context.Context) (*background.Session, error)

// link is the window's way to a controller. When the process that has it goes
// away, the link opens another, and the page hears a reset. Its methods may be
// called from several goroutines.
type link struct {
	open opener
	log  *slog.Logger

	language atomic.Value // string: what the page asked for last

	mu     sync.RWMutex
	sess   *background.Session
	h      http.Handler
	closed bool

	once sync.Once // close
}

var errLinkClosed = errors.New("the window is about to end")

func newLink(open opener, log *slog.Logger) *link { return &link{open: open, log: log} }

// connect opens the first session.
func (l *link) connect(ctx context.Context) error {
	s, err := l.open(ctx)
	if err != nil {
		return err
	}
	return l.set(s)
}

// set makes s the session. It ends s when the link was closed while s was opened.
func (l *link) set(s *background.Session) error {
	l.mu.Lock()
	closed := l.closed
	if !closed {
		l.sess, l.h = s, s.Handler()
	}
	l.mu.Unlock()
	if !closed {
		return nil
	}
	s.Close()
	return errLinkClosed
}

func (l *link) isClosed() bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.closed
}

func (l *link) session() *background.Session {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.sess
}

// ServeHTTP answers the page's requests with the present session.
func (l *link) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.language.Store(r.Header.Get("Accept-Language"))
	l.mu.RLock()
	h := l.h
	l.mu.RUnlock()
	h.ServeHTTP(w, r)
}

// words are in the language that the page asked for last; before it asked, in the system's.
func (l *link) words() *words.Catalogue {
	if language, _ := l.language.Load().(string); language != "" {
		return words.For(language)
	}
	return words.ForTerminal(os.Getenv, words.SystemLanguages())
}

// eventLost is what the page hears when no controller answers, once: a reset follows when
// one does again. It is no event of a controller.
const eventLost task.EventKind = "lost"

// pump carries events to the page until ctx ends, and keeps the link up.
func (l *link) pump(ctx context.Context, emit func(task.Event)) {
	var after int64
	lost := false
	tell := func(kind task.EventKind) {
		emit(task.Event{V: task.RecordVersion, Time: time.Now().UTC(), Kind: kind, Data: struct{}{}})
	}
	for ctx.Err() == nil {
		if !lost { // else the page hears first that there is a controller again
			err := l.session().API.Events(ctx, task.EventFilter{After: after}, func(e task.Event) error {
				after = max(after, e.Seq)
				emit(answer.InWords(l.words(), e))
				return nil
			}, nil)
			if ctx.Err() != nil {
				return
			}
			l.log.Debug("window: the stream of events ended", "reason", err)
		}
		alive := l.alive(ctx)
		if !alive && l.reopen(ctx) {
			alive, lost, after = true, true, 0
		}
		if alive && lost {
			lost = false
			tell(task.EventReset)
			continue
		}
		if !alive && !lost && ctx.Err() == nil && !l.isClosed() {
			lost = true
			tell(eventLost)
		}
		select { // a window that is too slow, or a computer that is too busy
		case <-time.After(retryPause):
		case <-ctx.Done():
		}
	}
}

// alive reports whether the controller of the session answers: the socket may be that of
// another one meanwhile.
func (l *link) alive(ctx context.Context) bool {
	ctx, stop := context.WithTimeout(ctx, askWithin)
	defer stop()
	s := l.session()
	now, err := s.ProcessStatus(ctx)
	return err == nil && now.PID == s.Process.PID && now.Since.Equal(s.Process.Since)
}

// reopen replaces the session with a controller that is gone, or whose data was moved. A
// link that is closed opens nothing: at a log-out the controller may end before this
// process.
func (l *link) reopen(ctx context.Context) bool {
	if l.isClosed() {
		return false
	}
	old := l.session()
	s, err := l.open(ctx)
	if err == nil {
		err = l.set(s)
	}
	if err != nil {
		l.log.Warn("window: no controller yet", "error", err)
		return false
	}
	old.Close()
	return true
}

// unseen are the tasks that nobody would see when this window is closed: none while another
// window is open, and none that a command line waits for. A task that asks something in the
// middle of its work is at work; one that waits with its plan has changed nothing yet. Those
// of other programs wait for these.
func (l *link) unseen(ctx context.Context) (work, plans []task.Task, err error) {
	ctx, stop := context.WithTimeout(ctx, askWithin)
	defer stop()
	s := l.session()
	p, err := s.ProcessStatus(ctx)
	if err != nil || p.Windows > 1 || p.Working == 0 {
		return nil, nil, err
	}
	all, err := s.FindTasks(ctx, task.Filter{States: task.Unfinished})
	if err != nil {
		return nil, nil, err
	}
	asked, err := s.Questions(ctx, "")
	if err != nil {
		return nil, nil, err
	}
	for _, t := range all {
		asks := func(q vmhost.Question) bool { return q.Task == t.ID }
		switch {
		case slices.Contains(p.Held, t.ID):
		case t.State != task.StateWaiting || t.Chore == "" || slices.ContainsFunc(asked, asks):
			work = append(work, t)
		case t.Client == "":
			plans = append(plans, t)
		}
	}
	return work, plans, nil
}

// windows counts those that listen to the controller: this one, too, once it does.
func (l *link) windows(ctx context.Context) int {
	ctx, stop := context.WithTimeout(ctx, askWithin)
	defer stop()
	p, err := l.session().ProcessStatus(ctx)
	if err != nil {
		l.log.Warn("window: count the windows", "error", err)
	}
	return p.Windows
}

// running counts the tasks at work that nobody would see without this window.
func (l *link) running(ctx context.Context) (int, error) {
	work, _, err := l.unseen(ctx)
	if err != nil {
		l.log.Warn("window: count the tasks", "error", err)
	}
	return len(work), err
}

// cancel cancels the tasks that nobody would see without this window: those that wait with
// their plans, which nobody looks at any more, and with all also those at work.
func (l *link) cancel(ctx context.Context, all bool) {
	work, list, err := l.unseen(ctx)
	if err != nil {
		l.log.Warn("window: find the tasks to cancel", "error", err)
	}
	if all {
		list = append(list, work...)
	}
	ctx, stop := context.WithTimeout(ctx, askWithin)
	defer stop()
	for _, t := range list {
		if _, err := l.session().CancelTask(ctx, t.ID); err != nil {
			l.log.Warn("window: cancel a task", "task", t.ID, "error", err)
		}
	}
}

// close ends the session, once and for good; with all also the controller, whose tasks end
// in order. A second one waits for the first.
func (l *link) close(all bool) {
	l.once.Do(func() {
		l.mu.Lock()
		l.closed = true
		s := l.sess
		l.mu.Unlock()
		if s == nil {
			return
		}
		if all {
			ctx, stop := context.WithTimeout(context.Background(), endWithin)
			defer stop()
			if err := errors.Join(s.EndProcess(ctx, api.EndRequest{Cancel: true}), s.AwaitEnd(ctx)); err != nil {
				l.log.Warn("window: end the tasks", "error", err)
			}
		}
		s.Close()
	})
}
