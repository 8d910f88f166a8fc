package update

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// Pauses after failures.
const (
	firstPause = time.Second
	maxPause   = time.Minute
	maxWait    = 5 * time.Minute  // that a server may ask for; a longer one is a failure
	shunned    = 15 * time.Minute // after what trying again does not mend
)

// pause is how long a mirror is left alone after its nth failure in a row: twice
// as long each time, and never the same, so that clients that failed together do
// not come back together.
func pause(n int) time.Duration {
	d := maxPause
	if n = max(n, 1); n < 8 {
		d = min(firstPause<<(n-1), maxPause)
	}
	return d/2 + time.Duration(rand.Int64N(int64(d/2)+1))
}

// tries is one call's way through the mirrors. Its methods may be called from
// several goroutines.
type tries struct {
	c        *Client
	path     string
	attempts int
	settle   func() error // asked after each failure: an error ends the call; may be nil

	mu    sync.Mutex
	fails map[*mirror]int       // in a row
	since map[*mirror]time.Time // of the last failure
	out   map[*mirror]*Error    // given up for this call
}

func (c *Client) tries(path string, attempts int) *tries {
	return &tries{
		c: c, path: path, attempts: attempts,
		fails: map[*mirror]int{}, since: map[*mirror]time.Time{}, out: map[*mirror]*Error{},
	}
}

// pick returns the mirror to ask, and how long to wait before. When none is left
// it returns why.
func (t *tries) pick(now time.Time) (*mirror, time.Duration, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var best *mirror
	var bestWait time.Duration
	var bestShun, bestWhole bool
	for _, m := range t.c.mirrors {
		if t.out[m] != nil {
			continue
		}
		m.mu.Lock()
		wait, shun, whole := max(m.until.Sub(now), 0), m.shun.After(now), m.facts[t.path].ranges == rangesIgnored
		m.mu.Unlock()
		// Ready before waiting, good before bad, parts before the whole, then the
		// order of the list.
		better := best == nil
		if !better {
			switch {
			case (wait == 0) != (bestWait == 0):
				better = wait == 0
			case shun != bestShun:
				better = bestShun
			case whole != bestWhole:
				better = bestWhole
			default:
				better = wait < bestWait
			}
		}
		if better {
			best, bestWait, bestShun, bestWhole = m, wait, shun, whole
		}
	}
	if best == nil {
		return nil, 0, t.whyNone()
	}
	if t.fails[best] == 0 {
		bestWait = 0 // what an earlier call met is no reason to keep a person waiting
	}
	return best, bestWait, nil
}

func (t *tries) whyNone() error {
	errs := make([]*Error, 0, len(t.out))
	for _, m := range t.c.mirrors {
		if e := t.out[m]; e != nil {
			errs = append(errs, e)
		}
	}
	return worst(errs)
}

// others reports whether a mirror besides m may know ranges.
func (t *tries) others(m *mirror) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.ContainsFunc(t.c.mirrors, func(o *mirror) bool {
		return o != m && t.out[o] == nil && o.know(t.path).ranges != rangesIgnored
	})
}

// worked notes that m delivered.
func (t *tries) worked(m *mirror) {
	t.mu.Lock()
	delete(t.fails, m)
	t.mu.Unlock()
	m.mu.Lock()
	m.fails, m.shun = 0, time.Time{}
	m.mu.Unlock()
}

// failed notes how a request that began at started failed. Requests that were
// under way together and failed together count once.
func (t *tries) failed(m *mirror, started time.Time, err error) {
	var e *Error
	if !errors.As(err, &e) {
		e = &Error{Code: CodeInterrupted, Server: m.name(), Err: err}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if e.lasting || e.Wait > maxWait {
		t.out[m] = e
		switch e.Code {
		case CodeNotFound, CodeDenied: // says nothing about other files
		default:
			m.mu.Lock()
			m.shun = time.Now().Add(shunned)
			m.mu.Unlock()
		}
		t.c.log.Warn("mirror given up", "mirror", m.name(), "file", t.path, "error", e)
		return
	}
	if t.fails[m] > 0 && !started.After(t.since[m]) {
		return
	}
	now := time.Now()
	t.fails[m]++
	t.since[m] = now
	m.mu.Lock()
	m.fails++
	d := max(pause(m.fails), e.Wait)
	m.until = now.Add(d)
	m.mu.Unlock()
	if t.fails[m] >= t.attempts {
		t.out[m] = e
	}
	t.c.log.Info("mirror failed", "mirror", m.name(), "file", t.path, "times", t.fails[m], "wait", d.Round(time.Millisecond), "error", e)
}

// each asks mirrors in turn until one call of ask succeeds or none is left.
func (t *tries) each(ctx context.Context, ask func(*mirror) error) error {
	for {
		m, wait, err := t.pick(time.Now())
		if err != nil {
			return err
		}
		if err := sleep(ctx, wait); err != nil {
			return err
		}
		started := time.Now()
		err = ask(m)
		var own *ownError
		switch {
		case err == nil:
			t.worked(m)
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &own):
			return own.error
		}
		t.failed(m, started, err)
		if t.settle != nil {
			if err := t.settle(); err != nil {
				return err
			}
		}
	}
}

// ownError marks a failure that no other mirror would mend.
type ownError struct{ error }

func (e *ownError) Unwrap() error { return e.error }

// sleep waits for d or the end of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
