package desktop

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"piwork/app/api"
	"piwork/app/client"
	"piwork/app/task"
	"piwork/app/words"
)

const (
	retryPause = 300 * time.Millisecond
	askWithin  = 3 * time.Second  // how many tasks run
	endWithin  = 20 * time.Second // to end what this process has
)

// opener makes a session: the controller of this process, or of another.
type opener func(ctx context.Context) (*client.Session, error)

// link is the window's way to a controller. When the process that has it goes
// away, the link opens another, and the page hears a reset. Its methods may be
// called from several goroutines.
type link struct {
	open opener
	log  *slog.Logger

	language atomic.Value // string: what the page asked for last

	mu     sync.RWMutex
	sess   *client.Session
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
func (l *link) set(s *client.Session) error {
	l.mu.Lock()
	closed := l.closed
	if !closed {
		l.sess, l.h = s, s.Handler()
	}
	l.mu.Unlock()
	if !closed {
		return nil
	}
	ctx, stop := context.WithTimeout(context.Background(), endWithin)
	defer stop()
	return errors.Join(errLinkClosed, s.Close(ctx))
}

func (l *link) isClosed() bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.closed
}

func (l *link) session() *client.Session {
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

// pump carries events to the page until ctx ends, and keeps the link up.
func (l *link) pump(ctx context.Context, emit func(task.Event)) {
	var after int64
	for ctx.Err() == nil {
		s := l.session()
		stream, stop := untilMoved(ctx, s)
		err := s.API.Events(stream, after, func(e task.Event) error {
			after = max(after, e.Seq)
			language, _ := l.language.Load().(string)
			emit(api.InWords(words.For(language), e))
			return nil
		}, nil)
		stop()
		if ctx.Err() != nil {
			return
		}
		l.log.Debug("window: the stream of events ended", "reason", err)
		if moved(s) || s.Own == nil && !l.alive(ctx) {
			if l.reopen(ctx) {
				after = 0
				emit(task.Event{V: task.RecordVersion, Time: time.Now().UTC(), Kind: task.EventReset, Data: struct{}{}})
				continue
			}
		}
		select { // a window that is too slow, or a computer that is too busy
		case <-time.After(retryPause):
		case <-ctx.Done():
		}
	}
}

func (l *link) alive(ctx context.Context) bool {
	ctx, stop := context.WithTimeout(ctx, askWithin)
	defer stop()
	_, err := l.session().Health(ctx)
	return err == nil
}

// moved reports whether the data of this process's controller is elsewhere now.
func moved(s *client.Session) bool {
	select {
	case <-s.Moved():
		return true
	default:
		return false
	}
}

// untilMoved is a context that ends when the data was moved, too.
func untilMoved(ctx context.Context, s *client.Session) (context.Context, context.CancelFunc) {
	ctx, stop := context.WithCancel(ctx)
	go func() {
		select {
		case <-s.Moved():
			stop()
		case <-ctx.Done():
		}
	}()
	return ctx, stop
}

// reopen replaces the session of a process that is gone, or whose data was moved.
// That one ends first: it has the new place, too. A link that is closed opens nothing:
// at a log-out the process that has the controller may end before this one.
func (l *link) reopen(ctx context.Context) bool {
	if l.isClosed() {
		return false
	}
	old := l.session()
	if moved(old) {
		end, stop := context.WithTimeout(ctx, endWithin)
		if err := old.Close(end); err != nil {
			l.log.Warn("window: close the old place", "error", err)
		}
		stop()
	}
	s, err := l.open(ctx)
	if err == nil {
		err = l.set(s)
	}
	if err != nil {
		l.log.Warn("window: no controller yet", "error", err)
		return false
	}
	if err := old.Close(ctx); err != nil {
		l.log.Debug("window: close the old session", "error", err)
	}
	return true
}

// running counts the tasks at work that would end with this program. One that
// waits for the person is not at work: nothing is lost when it is cancelled.
func (l *link) running(ctx context.Context) int {
	ctx, stop := context.WithTimeout(ctx, askWithin)
	defer stop()
	s := l.session()
	if s.Own == nil {
		return 0 // they are of another process
	}
	tasks, err := s.Tasks(ctx)
	if err != nil {
		l.log.Warn("window: count the tasks", "error", err)
	}
	n := 0
	for _, t := range tasks {
		if !t.State.Final() && t.State != task.StateWaiting {
			n++
		}
	}
	return n
}

// close ends what this process has, once and for good: a second one waits for the
// first.
func (l *link) close() {
	l.once.Do(func() {
		ctx, stop := context.WithTimeout(context.Background(), endWithin)
		defer stop()
		l.mu.Lock()
		l.closed = true
		s := l.sess
		l.mu.Unlock()
		if s == nil {
			return
		}
		if err := s.Close(ctx); err != nil {
			l.log.Warn("window: close", "error", err)
		}
	})
}
