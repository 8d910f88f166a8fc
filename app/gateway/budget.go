package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"piwork/app/gateway/meter"
	"piwork/app/gateway/provider"
)

// What is taken for the length of an answer, in tokens.
const (
	assumedOutput = 8 << 10 // of one that nobody saw, and that the question does not bound
	maxOutput     = 1 << 20 // no model makes more
	outputRate    = 100     // in a second, where a stream broke off
	pictureTokens = 1 << 16 // of a picture: some 48,000 of gpt-4o-mini are the most that is known
)

// reserve takes what a question may cost off the budget, until settle gives it back.
// While the questions under way hold so much that it does not fit, it waits for them;
// alone it may begin with anything left, so that the last answer may pass the budget and
// no other does. What has no price is refused. What a provider alone knows the price of, or
// the input of, holds all that is left.
func (s *Session) reserve(ctx context.Context, p provider.Provider, op provider.Operation, q question, sent int64) (int64, *Error) {
	if !op.Meters {
		return 0, nil
	}
	price, known := s.g.Price(p, q.model)
	for {
		s.mu.Lock()
		left := s.budget - s.used.Cost
		var bad Code
		switch {
		case s.budget <= 0:
			s.mu.Unlock()
			return 0, nil
		case left <= 0:
			bad = CodeBudget
		case !known && (!p.Reports || s.silent), q.extra != "" && !p.Reports && price.Input > 0:
			bad = CodeUnpriced
		}
		hold := left
		if known {
			hold = bound(price, q, sent, longest(p, q))
			if q.alone && hold > 0 {
				hold = left
			}
		}
		begins := bad == "" && (s.held == 0 || s.held+hold <= left)
		if begins {
			s.held += hold
		}
		settled := s.settled
		s.mu.Unlock()
		switch {
		case bad != "":
			e := &Error{Code: bad, Provider: p.ID, Model: q.model}
			if bad == CodeUnpriced && known && q.extra != "" {
				e.Err = fmt.Errorf("the question has %.200q", q.extra)
			}
			return 0, e
		case begins:
			return hold, nil
		}
		select {
		case <-settled:
		case <-ctx.Done():
			return 0, &Error{Code: CodeBusy, Provider: p.ID}
		}
	}
}

// settle gives back what reserve took: what the answer cost was counted.
func (s *Session) settle(held int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held -= held
	close(s.settled)
	s.settled = make(chan struct{})
}

// longest is how many tokens one answer may have. A question that does not say is answered for
// as long as the context of its model has room.
func longest(p provider.Provider, q question) int64 {
	return cmp.Or(q.output, provider.Known(p, q.model, provider.Able{}).Context, maxOutput)
}

// bound is more than a question costs whose answers have so many tokens: no text has more tokens
// than bytes, and a provider may keep all of it.
func bound(price meter.Price, q question, sent, out int64) int64 {
	in, out := sent-q.spared, out*max(1, q.times)
	kept := meter.Tokens{CacheWrite: in, Output: out}
	if q.hour {
		kept.CacheHour = in
	}
	return max(price.Cost(kept), price.Cost(meter.Tokens{Input: in, Output: out}))
}

// most is about what a question uses whose answers have so many tokens.
func most(q question, sent, out int64) meter.Tokens {
	return meter.Tokens{Input: meter.GuessInput(sent), Output: min(out*max(1, q.times), maxOutput)}
}

// abandoned is what is counted for a question whose answer nobody waited for. A
// provider that does not stream works to the end. One that does stops with its reader,
// and is taken to have made outputRate until then: many tokens may come in one event,
// and what a model thinks in none. While it stalled it made nothing.
func (f *forward) abandoned(ctx context.Context) meter.Tokens {
	t := most(f.q, f.sent, cmp.Or(f.q.output, assumedOutput))
	if f.q.stream {
		t = most(f.q, f.sent, longest(f.p, f.q))
		worked := f.s.g.c.now().Sub(f.since)
		if errors.Is(context.Cause(ctx), errStalled) {
			worked -= f.s.g.c.Stall
		}
		t.Output = min(t.Output, int64(max(0, worked).Seconds()*outputRate))
	}
	t.Guessed = true
	return t
}
