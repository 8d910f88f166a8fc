package update

import (
	"context"
	"errors"
	"io"
	"time"
)

// trickle is how many bytes must come in the time of a stall: fewer amount to
// nothing.
const trickle = 1 << 10

// watchdog ends a request when (nearly) nothing comes for too long. Only time in
// which data is waited for counts, not what is done with it: a slow disk is no
// stalled network. It is used by one goroutine.
type watchdog struct {
	cancel context.CancelCauseFunc
	stall  time.Duration
	timer  *time.Timer
	left   time.Duration
	since  time.Time
	gained int
}

// watch returns a context that ends with errStalled, and who sees to it. Call
// cancel in the end.
func watch(ctx context.Context, stall time.Duration) (context.Context, *watchdog) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &watchdog{cancel: cancel, stall: stall, left: stall}
	w.timer = time.AfterFunc(stall, func() { cancel(errStalled) })
	w.since = time.Now()
	return ctx, w
}

// wait begins a time of waiting.
func (w *watchdog) wait() {
	w.since = time.Now()
	w.timer.Reset(max(w.left, time.Millisecond))
}

// came ends it: n bytes are there.
func (w *watchdog) came(n int) {
	w.timer.Stop()
	w.left -= time.Since(w.since)
	if w.gained += n; w.gained >= trickle {
		w.left, w.gained = w.stall, 0
	}
}

// fresh begins again, e.g. when an answer has begun.
func (w *watchdog) fresh() {
	w.timer.Stop()
	w.left, w.gained = w.stall, 0
}

// end frees what the watchdog holds, and ends the request.
func (w *watchdog) end() {
	w.timer.Stop()
	w.cancel(errDone)
}

// body is the content of an answer, under a watchdog.
type body struct {
	io.ReadCloser
	w       *watchdog
	explain func(error) error
	count   func(n int) // told what came
}

// Read returns what is known about a failure, see Client.explain.
func (b *body) Read(p []byte) (int, error) {
	b.w.wait()
	n, err := b.ReadCloser.Read(p)
	b.w.came(n)
	if b.count != nil && n > 0 {
		b.count(n)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = b.explain(err)
	}
	return n, err
}

// Close ends the request.
func (b *body) Close() error {
	b.w.end()
	return b.ReadCloser.Close()
}
