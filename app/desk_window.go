package app

import (
	"context"
	"slices"
	"sync"

	"piwork/app/problem"
)

// WindowSettings says how the window behaves; see Service.
func (c *Controller) WindowSettings(context.Context) (WindowSettings, error) {
	s := c.config.Get().Window
	if !slices.Contains([]string{CloseBackground, CloseStop}, s.Close) {
		s.Close = CloseAsk // also what another version of the program wrote
	}
	return s, nil
}

// SetWindowSettings saves the choices.
func (c *Controller) SetWindowSettings(ctx context.Context, s WindowSettings) (WindowSettings, error) {
	if !slices.Contains([]string{CloseAsk, CloseBackground, CloseStop}, s.Close) {
		return WindowSettings{}, problem.BadRequest("close", "%q is none of ask, background, stop", s.Close)
	}
	if err := c.config.Update(func(all *choices) error { all.Window = s; return nil }); err != nil {
		return WindowSettings{}, problem.From(err)
	}
	return c.WindowSettings(ctx)
}

const maxClaims = 256 // events that windows may be slow about

// claims are events that a window told of or showed, the oldest first. The zero value is
// ready; it may be used by several goroutines.
type claims struct {
	mu   sync.Mutex
	seqs []int64
}

// take reports whether nobody took the event before.
func (c *claims) take(seq int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if slices.Contains(c.seqs, seq) {
		return false
	}
	c.seqs = append(c.seqs[max(0, len(c.seqs)-maxClaims+1):], seq)
	return true
}

// ClaimNotice reports whether a window is the first to tell of an event; see Service.
func (c *Controller) ClaimNotice(_ context.Context, r NoticeClaim) (NoticeClaimed, error) {
	return NoticeClaimed{First: c.noticed.take(r.Event)}, nil
}
