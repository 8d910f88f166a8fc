package terminal

import (
	"io"
	"math"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// Progress is one line on stderr: what is waited for, and a bar when it can be
// counted. Without a terminal it writes nothing. It may be used by several
// goroutines; after stop it writes nothing more.
type Progress struct {
	mu    sync.Mutex
	p     *mpb.Progress
	bar   *mpb.Bar
	text  string
	items string
	pace  pace
}

// StartProgress starts the line.
func (t *Terminal) StartProgress(text string) *Progress {
	pr := &Progress{text: text}
	if t.Quiet || t.JSON || !t.IsTerminal(t.Stderr) {
		return pr
	}
	pr.p = mpb.New(mpb.WithOutput(t.Stderr), mpb.WithWidth(60))
	pr.bar = pr.p.New(0,
		mpb.BarStyle().Lbound("[").Filler("#").Tip("#").Padding(" ").Rbound("]"),
		mpb.BarRemoveOnComplete(),
		mpb.BarFillerMiddleware(func(bar mpb.BarFiller) mpb.BarFiller {
			return mpb.BarFillerFunc(func(w io.Writer, s decor.Statistics) error {
				if s.Total <= 0 { // not to be counted: no bar that stands still
					return nil
				}
				return bar.Fill(w, s)
			})
		}),
		mpb.PrependDecorators(decor.Any(func(decor.Statistics) string {
			pr.mu.Lock()
			defer pr.mu.Unlock()
			return pr.text + " "
		})),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) string {
			pr.mu.Lock()
			defer pr.mu.Unlock()
			return pr.items
		})),
	)
	return pr
}

// The lock is never held while the bar is called: its goroutine takes it too.
func (pr *Progress) set(text, items string) *mpb.Bar {
	pr.mu.Lock()
	defer pr.mu.Unlock()
	if text != "" {
		pr.text = text
	}
	pr.items = items
	return pr.bar
}

// Step says what is waited for now.
func (pr *Progress) Step(text string) {
	if bar := pr.set(text, ""); bar != nil {
		bar.SetTotal(0, false)
		bar.SetCurrent(0)
	}
}

// Counts says how much of text is done; "" is what was waited for already.
func (pr *Progress) Counts(text string, done, total int64, words string) {
	if bar := pr.set(text, words); bar != nil && total > 0 {
		bar.SetTotal(total, false)
		bar.SetCurrent(min(done, total-1)) // full would end the bar
	}
}

// Bytes is counts for a file, with its speed and what is left as soon as they
// are known.
func (pr *Progress) Bytes(done, total int64) {
	pr.mu.Lock()
	rate := pr.pace.add(time.Now(), done)
	pr.mu.Unlock()
	pr.Fetched("", done, total, rate, -1)
}

// Fetched is counts for bytes whose speed is known: rate in bytes per second,
// eta in seconds, less than 0 when it is to be worked out.
func (pr *Progress) Fetched(text string, done, total, rate, eta int64) {
	pr.Counts(text, done, total, fetchedWords(done, total, rate, eta))
}

func fetchedWords(done, total, rate, eta int64) string {
	words := Size(done)
	if total > 0 {
		words = Text("progress-of", "done", words, "total", Size(total))
	}
	if rate > 0 {
		words += ", " + Size(rate) + "/s"
		if eta < 0 && total > done {
			eta = (total - done) / rate
		}
		if eta > 0 {
			words += ", " + Left(eta)
		}
	}
	return words
}

// Left says how long something still takes, as rough as a guess is.
func Left(seconds int64) string {
	switch {
	case seconds < 60:
		return Text("left-seconds", "count", max(5, (seconds+4)/5*5))
	case seconds < 3600:
		return Text("left-minutes", "count", (seconds+30)/60)
	default:
		return Text("left-hours", "count", (seconds+1800)/3600)
	}
}

// pace measures a speed over the last seconds.
type pace struct {
	at   time.Time
	done int64
	rate float64 // bytes per second
}

const (
	paceEvery = 250 * time.Millisecond
	paceHalf  = 3.0 // seconds in which an old speed loses half of its weight
)

// add takes how much is done at a time and returns the speed, 0 until it is
// known.
func (p *pace) add(now time.Time, done int64) int64 {
	if p.at.IsZero() || done < p.done {
		*p = pace{at: now, done: done}
		return 0
	}
	dt := now.Sub(p.at)
	if dt < paceEvery {
		return int64(p.rate)
	}
	seen := float64(done-p.done) / dt.Seconds()
	if p.rate == 0 {
		p.rate = seen
	} else {
		keep := math.Exp2(-dt.Seconds() / paceHalf)
		p.rate = keep*p.rate + (1-keep)*seen
	}
	p.at, p.done = now, done
	return int64(p.rate)
}

// Stop takes the line away.
func (pr *Progress) Stop() {
	pr.mu.Lock()
	p, bar := pr.p, pr.bar
	pr.p, pr.bar = nil, nil
	pr.mu.Unlock()
	if p == nil {
		return
	}
	bar.Abort(true)
	p.Wait()
}
