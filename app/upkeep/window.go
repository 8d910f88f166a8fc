package upkeep

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"piwork/app/problem"
)

// WindowSettings says how the window behaves.
func (u *Upkeep) WindowSettings(context.Context) (WindowSettings, error) {
	s := u.o.Window.Get()
	if !slices.Contains([]string{CloseBackground, CloseStop}, s.Close) {
		s.Close = CloseAsk // also what another version of the program wrote
	}
	return s, nil
}

// SetWindowSettings saves the choices.
func (u *Upkeep) SetWindowSettings(ctx context.Context, s WindowSettings) (WindowSettings, error) {
	if !slices.Contains([]string{CloseAsk, CloseBackground, CloseStop}, s.Close) {
		return WindowSettings{}, problem.BadRequest("close", "%q is none of ask, background, stop", s.Close)
	}
	for _, c := range lookChoices {
		if v := *c.of(&s); v != "" && !slices.Contains(c.choices, v) {
			return WindowSettings{}, problem.BadRequest(c.name, "%q is none of %s", v, strings.Join(c.choices, ", "))
		}
	}
	err := u.o.Window.Update(func(now *WindowSettings) error {
		for _, c := range lookChoices {
			*c.of(&s) = cmp.Or(*c.of(&s), *c.of(now))
		}
		*now = s
		return nil
	})
	if err != nil {
		return WindowSettings{}, problem.From(err)
	}
	return u.WindowSettings(ctx)
}

// lookChoices are what can be chosen of how windows look.
var lookChoices = []struct {
	name    string
	choices []string
	of      func(*WindowSettings) *string
}{
	{"theme", []string{"system", "light", "dark"}, func(s *WindowSettings) *string { return &s.Theme }},
	{"language", []string{"system", "en", "de"}, func(s *WindowSettings) *string { return &s.Language }},
	{"motion", []string{"system", "less"}, func(s *WindowSettings) *string { return &s.Motion }},
	{"signs", []string{"on", "off"}, func(s *WindowSettings) *string { return &s.Signs }},
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

// ClaimNotice reports whether a window is the first to tell of an event.
func (u *Upkeep) ClaimNotice(_ context.Context, r NoticeClaim) (NoticeClaimed, error) {
	return NoticeClaimed{First: u.noticed.take(r.Event)}, nil
}
