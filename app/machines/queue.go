package machines

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"piwork/app/capacity"
	"piwork/app/problem"
)

// lookAgain is how often this computer is asked whether there is memory now, while
// somebody waits for it. Other programs do not tell when they end.
const lookAgain = time.Second

// Queue is the admission queue: it hands out the memory of this computer to machines, in the order in which
// their tasks were asked for: nobody is overtaken. Its methods may be called from
// several goroutines at once.
type Queue struct {
	look   func(context.Context) (capacity.Host, error)
	choice func() capacity.Choice
	rule   func(capacity.Host, capacity.Choice, []capacity.Size, []capacity.Size) (int, capacity.Verdict)
	behind capacity.Verdict // of those who are not the first
	spare  func()           // asks for the end of a machine that only waits to be used, and returns at once; may be nil
	log    *slog.Logger
	told   func(ctx context.Context, since time.Time, err error) // how long one waited; may be nil
	Again  time.Duration

	mu      sync.Mutex
	held    map[*Slot]bool
	waiting []*Slot // the oldest task first
	timer   *time.Timer
}

// Slot is the place of one machine in the queue.
type Slot struct {
	p    *Queue
	task string
	size capacity.Size
	from time.Time     // since when it waits
	in   chan struct{} // closed when it may start, or never will
	err  error         // why it never will
	why  capacity.Verdict
	news chan capacity.Verdict // the last why that was not told yet
}

func newQueue(look func(context.Context) (capacity.Host, error), choice func() capacity.Choice, log *slog.Logger) *Queue {
	return &Queue{look: look, choice: choice, rule: capacity.Admit, behind: capacity.Turn, log: log, Again: lookAgain, held: map[*Slot]bool{}}
}

// Request gets in line for a machine of a task, and returns at once; what has room now
// has its place from now on. The slot is given back with Release, whatever became of
// it.
func (p *Queue) Request(id string, size capacity.Size) *Slot {
	mine := &Slot{p: p, task: id, size: size, from: time.Now(), in: make(chan struct{}), why: capacity.Fits, news: make(chan capacity.Verdict, 1)}
	p.mu.Lock()
	defer p.mu.Unlock()
	at, _ := slices.BinarySearchFunc(p.waiting, id, func(w *Slot, id string) int { return strings.Compare(w.task, id) })
	p.waiting = slices.Insert(p.waiting, at, mine)
	p.admit()
	return mine
}

// Wait waits for the place, until ctx ends. told hears what is waited for, whenever
// that changes, but not of what is there at once. A machine that never fits is a
// problem. It is called once.
func (w *Slot) Wait(ctx context.Context, told func(capacity.Verdict)) (err error) {
	defer func() {
		if w.p.told != nil && !w.from.IsZero() { // what has its place may ask again
			w.p.told(ctx, w.from, err)
			w.from = time.Time{}
		}
	}()
	for {
		select {
		case <-w.in:
			return w.err
		default:
		}
		select {
		case <-w.in:
		case <-ctx.Done():
			return context.Cause(ctx)
		case why := <-w.news:
			told(why)
		}
	}
}

// Release lets the place go, whether it was given out or is waited for. It may be
// called several times.
func (w *Slot) Release() { w.p.give(w) }

// tell leaves word of what is waited for; only the last word counts. Nobody else
// sends to news: Queue.mu is held.
func (w *Slot) tell(why capacity.Verdict) {
	if w.why == why {
		return
	}
	w.why = why
	select {
	case <-w.news:
	default:
	}
	w.news <- why
}

func (p *Queue) give(mine *Slot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.held, mine)
	p.waiting = slices.DeleteFunc(p.waiting, func(w *Slot) bool { return w == mine })
	p.admit()
}

// Reconsider looks again at who may start: the choice is another.
func (p *Queue) Reconsider() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.admit()
}

// Counts says how many machines have a place and how many wait for one.
func (p *Queue) Counts() (held, waiting int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.held), len(p.waiting)
}

// running is how large the machines are that have a place.
func (p *Queue) running() []capacity.Size {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sizes()
}

// sizes is running with p.mu held.
func (p *Queue) sizes() (all []capacity.Size) {
	for h := range p.held {
		all = append(all, h.size)
	}
	return all
}

// admit gives out the places that there are. p.mu is held.
func (p *Queue) admit() {
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
	if len(p.waiting) == 0 {
		return
	}
	host := p.host()
	choice := p.choice()
	p.refuse(host, choice)
	var waiting []capacity.Size
	for _, w := range p.waiting {
		waiting = append(waiting, w.size)
	}
	n, why := p.rule(host, choice, p.sizes(), waiting)
	if n < len(waiting) && p.spare != nil {
		p.spare()
	}
	for _, w := range p.waiting[:n] {
		p.held[w] = true
		close(w.in)
	}
	p.waiting = slices.Clone(p.waiting[n:])
	for i, w := range p.waiting {
		if i > 0 {
			why = p.behind // whatever the first one waits for
		}
		w.tell(why)
	}
	if len(p.waiting) > 0 {
		p.timer = time.AfterFunc(p.Again, p.Reconsider)
	}
}

// refuse ends the waiting of machines that will never fit. p.mu is held.
func (p *Queue) refuse(host capacity.Host, choice capacity.Choice) {
	budget := capacity.Budget(host, choice)
	p.waiting = slices.DeleteFunc(p.waiting, func(w *Slot) bool {
		if w.size.NeedMB() <= budget {
			return false
		}
		w.err = tooLarge(host, choice, w.size)
		close(w.in)
		return true
	})
}

// tooLarge is the problem of a machine that never fits. Its cause says whose limit
// it is.
func tooLarge(host capacity.Host, choice capacity.Choice, size capacity.Size) error {
	q := problem.New(problem.CodeNoRoom).
		With("needMb", size.NeedMB()).With("haveMb", capacity.Budget(host, choice)).With("computerMb", host.MemoryMB)
	q.Cause = "computer"
	if size.NeedMB() <= capacity.Budget(host, capacity.Choice{}) {
		q.Cause = "settings"
	}
	return q
}

// host is the computer now.
func (p *Queue) host() capacity.Host {
	ctx, cancel := context.WithTimeout(context.Background(), lookAgain)
	defer cancel()
	h, err := p.look(ctx)
	if err != nil {
		p.log.Warn("it is not known how much memory this computer has", "error", err)
		return UnknownHost
	}
	return h
}

// UnknownHost is what a computer that does not answer counts as: a small one.
var UnknownHost = capacity.Host{MemoryMB: 4 << 10, FreeMB: -1, CPUs: 2}
