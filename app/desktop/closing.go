package desktop

import (
	"context"
	"slices"
	"sync"

	"piwork/app/api"
	"piwork/app/upkeep"
	"piwork/app/words"
)

// host is what a window can do with itself: Wails, or a test.
type host interface {
	emit(e api.WindowEvent)
	show()
	hide()
	quit()                       // closes the window; asks nothing
	ask(running int) (stop bool) // by a dialog of the system, for a page that does not answer
}

// decision is what closing the window does.
type decision int

const (
	leave  decision = iota // the window ends
	stay                   // the window stays
	behind                 // it goes, and tasks go on
)

// closeQuestion is what the system asks for a page that does not answer. The buttons are
// verbs where the system lets a dialog have them, yes and no where not.
type closeQuestion struct{ title, text, stop, keep string }

func askInWords(c *words.Catalogue, running int) closeQuestion {
	given := map[string]any{"count": running}
	return closeQuestion{c.Text("closing.title", given), c.Text("closing.text", given), c.Text("closing.stop", nil), c.Text("closing.keep", nil)}
}

// conduct decides what a window does when it is closed and asked to open things.
// Its methods may be called from several goroutines.
type conduct struct {
	host     host
	running  func() (int, error) // tasks at work that nobody would see without this window
	stop     func(all bool)      // cancels those that wait with their plans, and with all also them
	settings func() string
	remember func(context.Context, string) error

	mu      sync.Mutex
	ready   bool           // the page listens
	asked   bool           // the page was asked, and has not answered
	leaving bool           // it was decided: no more questions
	hidden  bool           // closed by the person, and tasks go on
	open    []api.OpenWish // that the page does not know yet
}

// maxWishes bounds what waits for a page; the last ones count.
const maxWishes = 16

// close is the person who closes the window. A page that was asked and does not
// answer is not waited for twice: then the system asks. Tasks that nobody was asked about
// go on: also where nobody can tell how many are at work.
func (c *conduct) close() decision {
	n, err := c.running()
	c.mu.Lock()
	if n == 0 || err != nil || c.leaving {
		known := err == nil && !c.leaving
		c.mu.Unlock()
		if known && c.settings() != upkeep.CloseBackground {
			c.stop(false) // only plans wait, which nobody looks at any more
		}
		return leave
	}
	page := c.ready && !c.asked
	c.mu.Unlock()
	switch c.settings() {
	case upkeep.CloseStop:
		c.stop(true)
		return leave
	case upkeep.CloseBackground:
		c.goBehind()
		return behind
	}
	if page {
		c.mu.Lock()
		c.asked = true
		c.mu.Unlock()
		c.host.emit(api.WindowEvent{What: api.WindowCloseAsked, Running: n})
		return stay
	}
	stop := c.host.ask(n)
	c.answered() // also for a page that was asked before
	if stop {
		c.stop(true)
		return leave
	}
	c.goBehind()
	return behind
}

// answer is what the person said on the page.
func (c *conduct) answer(ctx context.Context, r api.CloseRequest) error {
	if r.Answer == api.AnswerCancel {
		c.answered()
		return nil
	}
	if r.Remember && c.isAsked() {
		choice := upkeep.CloseBackground
		if r.Answer == api.AnswerStop {
			choice = upkeep.CloseStop
		}
		if err := c.remember(ctx, choice); err != nil {
			return err // the question is still open: the person may answer again
		}
	}
	if !c.answered() {
		return nil // one that was answered meanwhile decides nothing
	}
	if r.Answer == api.AnswerStop {
		c.stop(true)
		c.leaveNow()
		return nil
	}
	c.goBehind()
	return nil
}

func (c *conduct) isAsked() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked
}

// answered ends the question; it reports whether there was one.
func (c *conduct) answered() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	asked := c.asked
	c.asked = false
	return asked
}

// leaveNow ends the program without a question.
func (c *conduct) leaveNow() {
	c.mu.Lock()
	c.leaving = true
	c.mu.Unlock()
	c.host.quit()
}

// goBehind hides the window until somebody wants it, or the last task is over: that
// may have been while the question was open.
func (c *conduct) goBehind() {
	c.mu.Lock()
	c.hidden = true
	c.mu.Unlock()
	c.host.hide()
	c.rested()
}

// rested ends a hidden window when no task is at work any more.
func (c *conduct) rested() {
	c.mu.Lock()
	hidden := c.hidden
	c.mu.Unlock()
	if !hidden {
		return
	}
	if n, err := c.running(); n == 0 && err == nil {
		c.leaveNow()
	}
}

// wanted shows the window, and what it is to open. The page hears of it, or finds it
// when it listens.
func (c *conduct) wanted(wish api.OpenWish) {
	c.mu.Lock()
	c.hidden = false // a question stays open: its answer counts
	c.mu.Unlock()
	c.host.show()
	c.wish(wish)
}

// wish is wanted for a window that is on its way.
func (c *conduct) wish(wish api.OpenWish) {
	if wish.Task == "" && wish.Chore == "" && len(wish.Paths) == 0 {
		return
	}
	c.mu.Lock()
	ready := c.ready
	if !ready {
		c.open = append(c.open, wish)
		c.open = slices.Clone(c.open[max(0, len(c.open)-maxWishes):])
	}
	c.mu.Unlock()
	if ready {
		c.host.emit(api.WindowEvent{What: api.WindowOpen, OpenWish: wish})
	}
}

// listens is the page that says that it does, also after it was loaded anew.
func (c *conduct) listens() []api.OpenWish {
	c.mu.Lock()
	defer c.mu.Unlock()
	open := c.open
	c.ready, c.asked, c.open = true, false, nil
	return open
}
