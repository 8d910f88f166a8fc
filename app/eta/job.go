package eta

import (
	"math"
	"time"
)

const (
	// prior is how much of its own time, in seconds, a job has to see of an
	// operation before that counts as much as what was learned before.
	prior = 10.0
	// seenEnough is after how many seconds of an operation that was never seen
	// before its rate is taken for known.
	seenEnough = 2.0
	// unknownShare is how much of what is left may be of operations whose rate is
	// unknown.
	unknownShare = 0.2

	follow     = 4.0 // seconds in which an answer comes half of the way to a better one
	growBy     = 1.2 // an answer grows when the work needs more than this times as long,
	growFrom   = 2.0 // in seconds and at least this much longer,
	growAfter  = 4.0 // for as many seconds
	maxSeconds = 7 * 24 * 3600
)

// Job is one piece of work under way. The zero value is not one; see [New]. It
// is not safe for use by several goroutines at once.
type Job struct {
	rates *Rates
	mode  string
	parts map[string]*part

	at    time.Time // of the last answer; zero before the first
	shown float64   // the last answer
	late  float64   // for how many seconds it has been clearly too short
}

// part is what is to be done and was done of one operation.
type part struct {
	todo Work
	done Work // by calls that ended
	now  Work // by the call under way
	own  rate // as this job saw it, of calls that ended
	cur  rate // likewise of the call under way
}

// New returns a job whose operations run in a mode of the machine.
func New(rates *Rates, mode string) *Job {
	return &Job{rates: rates, mode: mode, parts: map[string]*part{}}
}

func (j *Job) part(op string) *part {
	p := j.parts[op]
	if p == nil {
		p = &part{}
		j.parts[op] = p
	}
	return p
}

// Expect adds work that is to be done.
func (j *Job) Expect(op string, w Work) {
	p := j.part(op)
	p.todo.Items += w.Items
	p.todo.Bytes += w.Bytes
}

// Running says how far the call under way is, and for how long it runs, in
// seconds.
func (j *Job) Running(op string, w Work, seconds float64) {
	p := j.part(op)
	p.now = w
	p.cur = rate{}
	if r := (rate{Weight: w.weight(), Seconds: seconds}); r.valid() {
		p.cur = r
	}
}

// Ended says what a call did, and how long it took, in seconds. With learn the
// rate is kept for other jobs.
func (j *Job) Ended(op string, w Work, seconds float64, learn bool) {
	p := j.part(op)
	p.done.Items += w.Items
	p.done.Bytes += w.Bytes
	p.now, p.cur = Work{}, rate{}
	if !learn {
		return
	}
	if r := (rate{Weight: w.weight(), Seconds: seconds}); r.valid() {
		p.own = p.own.plus(r)
	}
	j.rates.Learn(op, j.mode, w, seconds)
}

// rate of an operation, and whether it is known well enough.
func (j *Job) rate(op string, p *part) (rate, bool) {
	own := p.own.plus(p.cur)
	learned := j.rates.of(op, j.mode)
	if learned.valid() {
		// The own calls are part of what was learned by now, which does no harm:
		// they are the newest of it.
		return learned.keeps(prior).plus(own), true
	}
	return own, own.valid() && own.Seconds >= seenEnough
}

// left is how many seconds the rest takes, as far as that is known.
func (j *Job) left() (float64, bool) {
	var seconds, known, unknown, slowest float64
	for op, p := range j.parts {
		rest := Work{
			Items: max(0, p.todo.Items-p.done.Items-p.now.Items), Bytes: max(0, p.todo.Bytes-p.done.Bytes-p.now.Bytes),
		}.weight()
		if rest == 0 {
			continue
		}
		r, ok := j.rate(op, p)
		if !ok {
			unknown += rest
			continue
		}
		known += rest
		seconds += rest * r.Seconds / r.Weight
		slowest = max(slowest, r.Seconds/r.Weight)
	}
	if unknown > unknownShare*(known+unknown) {
		return 0, false
	}
	return seconds + unknown*slowest, true
}

// Left returns how many seconds the rest takes, as it may be shown at a time, and
// whether that is known. Times must not go back.
func (j *Job) Left(now time.Time) (int64, bool) {
	guess, ok := j.left()
	if !ok || guess > maxSeconds {
		j.at, j.late = time.Time{}, 0
		return 0, false
	}
	if j.at.IsZero() {
		j.at, j.shown, j.late = now, guess, 0
		return seconds(j.shown), true
	}
	dt := max(0, now.Sub(j.at).Seconds())
	j.at = now
	due := max(0, j.shown-dt) // what is left if the last answer was right
	switch {
	case guess <= due:
		j.late = 0
		j.shown = guess + (due-guess)*math.Exp2(-dt/follow)
	case guess <= due*growBy || guess <= due+growFrom:
		// A little slower than said: the answer stands still until it is right
		// again.
		j.late = 0
		j.shown = min(j.shown, guess)
	default:
		if j.late += dt; j.late < growAfter {
			j.shown = min(j.shown, guess)
		} else {
			j.shown = max(j.shown, due+(guess-due)*(1-math.Exp2(-dt/follow)))
		}
	}
	return seconds(j.shown), true
}

func seconds(s float64) int64 { return int64(math.Ceil(s)) }
