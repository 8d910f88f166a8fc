package desktop

import (
	"context"
	"strings"
	"sync"
	"time"
)

// logoutWithin is how long the system is held up at most: what a machine has to end
// in order, and a moment. Windows names who holds it up after 5 s, with the reason,
// and lets the person go on at once.
const logoutWithin = 12 * time.Second

// sessionEvent is what the system says about the end of the person's session: by a
// log-out, a restart, or when it is switched off.
type sessionEvent int

const (
	endAsked sessionEvent = iota // may it end? It may still be called off, by any program
	endOff                       // it goes on after all
	endTold                      // it ends now; a signal says this, too
	endOver                      // everything that this process has is over
)

// sessionStep is what is done about an event, in this order.
type sessionStep struct {
	hold    bool // say what the system would wait for
	begin   bool // begin to end the tasks in order, and then the program
	wait    bool // until that is over, within logoutWithin of its begin
	release bool // unsay it
}

// sessionEnd decides what is done when the session ends: nobody is asked anything,
// tasks end in order, and what was begun is not begun twice, nor called back. Nothing
// is begun before it is certain: tasks that were ended for a log-out that another
// program refused would be lost for nothing. The zero value is ready.
type sessionEnd struct {
	held, ending, over bool
}

func (s *sessionEnd) on(e sessionEvent, atWork bool) (do sessionStep) {
	switch e {
	case endAsked:
		do.hold = atWork && !s.held && !s.ending
		s.held = s.held || do.hold
	case endOff:
		do.release = s.held
		s.held = false
	case endTold:
		do.begin = !s.ending
		do.hold = do.begin && atWork && !s.held
		do.wait = !s.over
		do.release = s.held || do.hold
		s.held, s.ending = false, true
	case endOver:
		s.ending, s.over = true, true
	}
	return do
}

// excuse tells the system, and by it the person, what is waited for.
type excuse interface {
	hold()
	release()
}

// logout does what sessionEnd decides. Its methods may be called from several
// goroutines; what one calls, it calls on its own.
type logout struct {
	atWork func() bool
	begin  func() // begins to end the program, and returns; finished is called when it is done
	bound  func() (context.Context, context.CancelFunc)

	mu      sync.Mutex
	state   sessionEnd
	late    context.Context // since the begin
	relieve context.CancelFunc
	over    chan struct{}
}

func newLogout(atWork func() bool, begin func()) *logout {
	return &logout{atWork: atWork, begin: begin, over: make(chan struct{}), bound: func() (context.Context, context.CancelFunc) {
		return context.WithTimeout(context.Background(), logoutWithin)
	}}
}

// hear is the system that says something. It returns when the system may go on; by is
// nil where nothing can be said to it.
func (l *logout) hear(e sessionEvent, by excuse) {
	atWork := by != nil && e != endOff && l.atWork()
	l.mu.Lock()
	do := l.state.on(e, atWork)
	if do.begin {
		l.late, l.relieve = l.bound()
	}
	late := l.late
	l.mu.Unlock()
	if do.hold {
		by.hold()
	}
	if do.begin {
		l.begin()
	}
	if do.wait {
		select {
		case <-l.over:
		case <-late.Done():
		}
	}
	if do.release && by != nil {
		by.release()
	}
}

// finished says that everything that this process has is over.
func (l *logout) finished() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state.over {
		return
	}
	l.state.on(endOver, false)
	close(l.over)
	if l.relieve != nil {
		l.relieve()
	}
}

// logoutReason is what the system shows while it waits, in the first of the person's
// languages (BCP 47) that there is. Windows cuts it after 255 characters.
func logoutReason(languages []string) string {
	for _, l := range languages {
		switch primary, _, _ := strings.Cut(strings.ToLower(l), "-"); primary {
		case "de":
			return "piwork beendet seine Aufgaben. Was sie schon geändert haben, bleibt erhalten und lässt sich zurücknehmen."
		case "en":
			return logoutReasonEnglish
		}
	}
	return logoutReasonEnglish
}

const logoutReasonEnglish = "piwork is ending its tasks. What they changed so far is kept and can be taken back."
