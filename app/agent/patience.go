package agent

import "time"

// beats is how often patience is looked at within its limit.
const beats = 8

// Patience counts for how long nothing was heard. Time in which nobody could have
// heard anything does not count: where a look comes much later than it should, this
// computer slept, or this program was stopped.
type Patience struct {
	limit time.Duration
	at    time.Time // of the last look
	quiet time.Duration
}

// NewPatience begins to count at a time; after limit of silence it is at an end.
func NewPatience(limit time.Duration, at time.Time) *Patience { return &Patience{limit: limit, at: at} }

// Beat is how often to look.
func (p *Patience) Beat() time.Duration { return p.limit / beats }

// Over reports whether it is at an end; heard says that there was a sign since the
// last look, or that none could be expected.
func (p *Patience) Over(now time.Time, heard bool) bool {
	p.quiet += min(max(now.Sub(p.at), 0), 2*p.Beat())
	p.at = now
	if heard {
		p.quiet = 0
	}
	return p.quiet >= p.limit
}
