package policy

import (
	"slices"
	"strings"
)

// listed are the exceptions of rules, which are found once.
type listed struct {
	of   *Rules
	list []RuleException
}

// mine are the exceptions of the person's rules of now.
func (e *Engine) mine() []RuleException {
	rules := e.Rules()
	if l := e.listed.Load(); l != nil && l.of == rules {
		return l.list
	}
	l := &listed{of: rules}
	for _, c := range rules.layers[1] {
		list, _ := c.exceptions()
		l.list = append(l.list, list...)
	}
	e.listed.Store(l)
	return l.list
}

// Expire removes the exceptions that have ended from the person's file, and returns them: once it
// was seen that one is over, no clock that is set back makes it hold again. One that was changed
// by hand stays. ErrChanged is of a file that somebody writes at this moment.
func (e *Engine) Expire(other Ended) (gone []RuleException, err error) {
	over := func(x RuleException) bool { return !x.Edited && e.ended(x, other) }
	if !slices.ContainsFunc(e.mine(), over) {
		return nil, nil
	}
	text, err := e.Text()
	if err != nil {
		return nil, err
	}
	now, ok := without(text, func(x RuleException) bool {
		if !over(x) {
			return false
		}
		gone = append(gone, x)
		return true
	})
	if !ok || len(gone) == 0 {
		return nil, nil
	}
	if err := e.Write(now, &text); err != nil {
		return nil, err
	}
	return gone, nil
}

// Timed reports whether a written rule about hosts looks at the clock: what it says of a
// connection may be something else a moment later, although no file changes.
func (s *Rules) Timed() bool { return s.timed }

// looksAtClock reports whether the conditions of a rule about hosts name the time.
func (c *compiled) looksAtClock() bool {
	return c.concerns(Connect) && slices.ContainsFunc([]string{"now", "hour", "weekday"}, func(word string) bool { return strings.Contains(c.Cedar, word) })
}
