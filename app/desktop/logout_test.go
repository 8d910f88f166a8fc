package desktop

import (
	"context"
	"log/slog"
	"path/filepath"
	"reflect"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf16"

	"piwork/app"
	"piwork/app/api/apitest"
	"piwork/app/background"
	"piwork/app/task"
	"piwork/app/tasks"
)

// Nobody is asked; tasks end in order once the session is certain to end; what was begun
// is neither begun again nor called back.
func TestSessionEnd(t *testing.T) {
	type heard struct {
		e      sessionEvent
		atWork bool
		do     sessionStep
	}
	for name, all := range map[string][]heard{
		"nothing at work": {
			{endAsked, false, sessionStep{}},
			{endTold, false, sessionStep{begin: true, wait: true}},
			{endOver, false, sessionStep{}},
		},
		"at work": {
			{endAsked, true, sessionStep{hold: true}},
			{endTold, true, sessionStep{begin: true, wait: true, release: true}},
		},
		"told at once, as by a signal": {
			{endTold, true, sessionStep{hold: true, begin: true, wait: true, release: true}},
		},
		"a second event changes nothing": {
			{endAsked, true, sessionStep{hold: true}},
			{endAsked, true, sessionStep{}},
			{endTold, true, sessionStep{begin: true, wait: true, release: true}},
			{endAsked, true, sessionStep{}},
			{endTold, true, sessionStep{wait: true}},
			{endOff, true, sessionStep{}},
			{endTold, true, sessionStep{wait: true}},
		},
		"called off, and another time": {
			{endAsked, true, sessionStep{hold: true}},
			{endOff, true, sessionStep{release: true}},
			{endOff, true, sessionStep{}},
			{endAsked, true, sessionStep{hold: true}},
			{endTold, true, sessionStep{begin: true, wait: true, release: true}},
		},
		"work that ended while it was asked": {
			{endAsked, true, sessionStep{hold: true}},
			{endTold, false, sessionStep{begin: true, wait: true, release: true}},
		},
		"everything was over": {
			{endOver, false, sessionStep{}},
			{endAsked, true, sessionStep{}},
			{endTold, true, sessionStep{}},
		},
	} {
		var s sessionEnd
		for i, h := range all {
			if do := s.on(h.e, h.atWork); do != h.do {
				t.Errorf("%s, event %d: %+v instead of %+v", name, i, do, h.do)
			}
		}
	}
}

// diary is an excuse of a test.
type diary struct{ did []string }

func (d *diary) hold()    { d.did = append(d.did, "hold") }
func (d *diary) release() { d.did = append(d.did, "release") }

// The system goes on when everything is over.
func TestLogoutWaits(t *testing.T) {
	d := &diary{}
	var l *logout
	l = newLogout(func() bool { return true }, func() {
		d.did = append(d.did, "begin")
		go l.finished()
	})
	l.hear(endAsked, d)
	l.hear(endTold, d)
	select {
	case <-l.over:
	default:
		t.Error("the system went on before everything was over")
	}
	l.finished()
	l.hear(endTold, d)
	if want := []string{"hold", "begin", "release"}; !reflect.DeepEqual(d.did, want) {
		t.Errorf("%q", d.did)
	}
}

// What does not end holds up the system no longer than is allowed, counted from the
// begin, also for a second event. A signal has nobody to tell.
func TestLogoutIsBounded(t *testing.T) {
	bounds, begun := 0, 0
	l := newLogout(func() bool { t.Error("asked what is at work, and nobody can be told"); return true }, func() { begun++ })
	l.bound = func() (context.Context, context.CancelFunc) {
		bounds++
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		return ctx, cancel
	}
	l.hear(endTold, nil)
	l.hear(endTold, nil)
	if bounds != 1 || begun != 1 {
		t.Errorf("%d bounds, begun %d times", bounds, begun)
	}
	l.finished()
}

// The reason is in the person's language, and short enough to be shown whole.
func TestLogoutReason(t *testing.T) {
	english, german := logoutReason(nil), logoutReason([]string{"de-CH"})
	for _, s := range []string{english, german} {
		if n := len(utf16.Encode([]rune(s))); n == 0 || n > 255 {
			t.Errorf("%d characters: %s", n, s)
		}
	}
	if english == german || logoutReason([]string{"fr-FR", "de"}) != german ||
		logoutReason([]string{"en-GB", "de-DE"}) != english || logoutReason([]string{"den"}) != english {
		t.Errorf("%q %q", english, german)
	}
}

// A window whose controller ended before it, at a log-out, starts none; what it found
// when the link was closed is let go of.
func TestClosedLinkOpensNothing(t *testing.T) {
	late := &controller{Fake: apitest.New(apitest.Script{}), socket: filepath.Join(t.TempDir(), "s"), closed: make(chan struct{})}
	var opened atomic.Int32
	open := opening(t, func(context.Context, app.Options) (background.Controller, error) { return late, nil })
	var l *link
	l = newLink(func(ctx context.Context) (*background.Session, error) {
		opened.Add(1)
		l.close(true)
		return open(ctx)
	}, slog.New(slog.DiscardHandler))
	if err := l.connect(t.Context()); err == nil {
		t.Error("a closed link has a session")
	}
	if l.reopen(t.Context()) || opened.Load() != 1 {
		t.Errorf("opened %d times", opened.Load())
	}
}

// At the end of the person's session the controller ends, its tasks in order.
func TestLogoutEndsTheController(t *testing.T) {
	t.Setenv(app.EnvDataDir, t.TempDir())
	f := &controller{Fake: apitest.New(apitest.Script{Endless: true}), socket: filepath.Join(t.TempDir(), "s"), closed: make(chan struct{})}
	l := newLink(opening(t, func(context.Context, app.Options) (background.Controller, error) { return f, nil }), slog.New(slog.DiscardHandler))
	if err := l.connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := f.StartTask(t.Context(), tasks.StartRequest{Kind: task.KindExec, Detached: true}); err != nil {
		t.Fatal(err)
	}
	l.close(true)
	select {
	case <-f.closed:
	case <-time.After(20 * time.Second):
		t.Error("the controller goes on")
	}
}
