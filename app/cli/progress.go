package cli

import (
	"fmt"
	"io"
	"sync"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
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

// bytes is counts for a file.
func (pr *progress) bytes(done, total int64) {
	words := size(done)
	if total > 0 {
		words = fmt.Sprintf("%s of %s", words, size(total))
	}
	pr.counts("", done, total, words)
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
