package cli

import (
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"piwork/app/task"
)

// progress is one line on stderr: what is waited for, and a bar when it can be
// counted. Without a terminal it writes nothing. It may be used by several
// goroutines; after stop it writes nothing more.
type progress struct {
	mu    sync.Mutex
	p     *mpb.Progress
	bar   *mpb.Bar
	text  string
	items string
	pace  pace
}

// newProgress starts the line.
func (e *env) newProgress(text string) *progress {
	pr := &progress{text: text}
	if e.quiet || e.json || !e.IsTerminal(e.Stderr) {
		return pr
	}
	pr.p = mpb.New(mpb.WithOutput(e.Stderr), mpb.WithWidth(60))
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
func (pr *progress) set(text, items string) *mpb.Bar {
	pr.mu.Lock()
	defer pr.mu.Unlock()
	if text != "" {
		pr.text = text
	}
	pr.items = items
	return pr.bar
}

// step says what is waited for now.
func (pr *progress) step(text string) {
	if bar := pr.set(text, ""); bar != nil {
		bar.SetTotal(0, false)
		bar.SetCurrent(0)
	}
}

// counts says how much of text is done; "" is what was waited for already.
func (pr *progress) counts(text string, done, total int64, words string) {
	if bar := pr.set(text, words); bar != nil && total > 0 {
		bar.SetTotal(total, false)
		bar.SetCurrent(min(done, total-1)) // full would end the bar
	}
}

// bytes is counts for a file, with its speed and what is left as soon as they
// are known.
func (pr *progress) bytes(done, total int64) {
	pr.mu.Lock()
	rate := pr.pace.add(time.Now(), done)
	pr.mu.Unlock()
	pr.fetched("", done, total, rate, -1)
}

// fetched is counts for bytes whose speed is known: rate in bytes per second,
// eta in seconds, less than 0 when it is to be worked out.
func (pr *progress) fetched(text string, done, total, rate, eta int64) {
	pr.counts(text, done, total, fetchedWords(done, total, rate, eta))
}

func fetchedWords(done, total, rate, eta int64) string {
	words := size(done)
	if total > 0 {
		words = fmt.Sprintf("%s of %s", words, size(total))
	}
	if rate > 0 {
		words += ", " + size(rate) + "/s"
		if eta < 0 && total > done {
			eta = (total - done) / rate
		}
		if eta > 0 {
			words += ", " + left(eta)
		}
	}
	return words
}

// workWords say how far a task is.
func workWords(p task.ProgressData) string {
	if p.Total == 0 { // nobody knows yet
		return shown(p.Item)
	}
	words := fmt.Sprintf("%d of %d", p.Done, p.Total)
	if p.TotalBytes > 0 {
		words += fmt.Sprintf(" (%s of %s)", size(p.Bytes), size(p.TotalBytes))
	}
	if p.ETA != nil && p.Done < p.Total {
		words += ", " + left(*p.ETA)
	}
	if p.Item != "" {
		words += "  " + shown(p.Item)
	}
	return words
}

// left says how long something still takes, as rough as a guess is.
func left(seconds int64) string {
	switch {
	case seconds < 60:
		return fmt.Sprintf("about %d s left", max(5, (seconds+4)/5*5))
	case seconds < 3600:
		return fmt.Sprintf("about %d min left", (seconds+30)/60)
	default:
		return fmt.Sprintf("about %d h left", (seconds+1800)/3600)
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

// stop takes the line away.
func (pr *progress) stop() {
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
