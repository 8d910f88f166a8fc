package tasks

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"piwork/app/chore"
	"piwork/app/eta"
	"piwork/app/task"
	"piwork/app/toolcall"
	"piwork/vmhost"
	"piwork/vmhost/share/online"
	"piwork/vmhost/wire"
)

// RatesFile is what was learned about how fast this computer works, in the cache
// directory.
const RatesFile = "rates.json"

// meter tells how far a task is, and how long the rest takes: it watches the
// operations that are done for it. Questions that were asked meanwhile keep an
// operation from being learned from: the person took that time. Its methods may be
// called from several goroutines at once.
type meter struct {
	l     *Live
	reads map[string]int64 // bytes that are read of a file, by its path in the runtime; nil where nobody knows

	mu    sync.Mutex
	job   *eta.Job
	known bool   // what is to be done is
	op    string // the operation that was begun last
}

// newMeter returns the meter of one piece of work. With nil for work, that is what
// the first progress says.
func newMeter(l *Live, work map[string]eta.Work, reads map[string]int64) *meter {
	m := &meter{l: l, reads: reads, job: eta.New(l.c.rates, string(l.machine.Proof.Accel)), known: work != nil}
	for op, w := range work {
		m.job.Expect(op, w)
	}
	return m
}

// work is that of the first n of inputs.
func (m *meter) work(in []string, n int) eta.Work {
	w := eta.Work{Items: int64(n)}
	for _, p := range in[:n] {
		w.Bytes += m.reads[p]
	}
	return w
}

// execute does an action in an environment and watches it.
func (m *meter) execute(b *environment) func(context.Context, vmhost.Action) (vmhost.Observation, error) {
	return func(ctx context.Context, a vmhost.Action) (vmhost.Observation, error) {
		if a.Tool == nil {
			return b.Execute(ctx, a)
		}
		if err := b.open(ctx); err != nil { // is no part of the work
			return vmhost.Observation{}, err
		}
		tool, told := *a.Tool, a.OnProgress
		began, questions := m.l.c.o.Now(), m.l.gate.Asked()
		m.mu.Lock()
		m.op = tool.Op
		m.mu.Unlock()
		var files atomic.Int64 // in folders, where an operation counts those
		a.OnProgress = func(g wire.ToolProgress) {
			done := m.work(tool.In, int(min(max(g.Done, 0), int64(len(tool.In)))))
			if g.Total > int64(len(tool.In)) {
				done = eta.Work{Items: g.Done}
				files.Store(g.Total)
			}
			m.mu.Lock()
			m.job.Running(tool.Op, done, m.since(began))
			m.mu.Unlock()
			if told != nil {
				told(g)
			}
		}
		obs, err := b.Execute(ctx, a)
		if err == nil {
			done := m.work(tool.In, chore.Answered(tool.In, *obs.Tool))
			if n := files.Load(); n > 0 {
				done = eta.Work{Items: n}
			}
			m.mu.Lock()
			m.job.Ended(tool.Op, done, m.since(began), m.l.gate.Asked() == questions)
			m.mu.Unlock()
		}
		return obs, err
	}
}

func (m *meter) since(t time.Time) float64 { return m.l.c.o.Now().Sub(t).Seconds() }

// progress tells how far the task is.
func (m *meter) progress(p task.ProgressData) {
	m.mu.Lock()
	if !m.known && m.op != "" && p.Total > 0 {
		m.known = true
		m.job.Expect(m.op, eta.Work{Items: p.Total, Bytes: p.TotalBytes})
	}
	if left, ok := m.job.Left(m.l.c.o.Now()); ok && m.known {
		p.ETA = &left
	}
	m.mu.Unlock()
	m.l.Tell(task.EventProgress, p)
}

// newToolMeter is the meter of one operation on files of this computer.
func newToolMeter(l *Live, p wire.ToolParams) *meter {
	view, reads := toolcall.ViewOf(*l.last.Load(), false), map[string]int64{}
	for _, in := range p.In {
		if st, err := os.Lstat(view.Host(in)); err == nil {
			if file, _ := online.Of(view.Host(in), st); file {
				reads[in] = st.Size()
			}
		}
	}
	m := newMeter(l, map[string]eta.Work{}, reads)
	m.job.Expect(p.Op, m.work(p.In, len(p.In)))
	return m
}

// told makes progress of what an operation reports.
func (m *meter) told(p wire.ToolParams) func(wire.ToolProgress) {
	total := m.work(p.In, len(p.In)).Bytes
	return func(g wire.ToolProgress) {
		done := m.work(p.In, int(min(max(g.Done, 0), int64(len(p.In)))))
		m.progress(task.ProgressData{Done: g.Done, Total: g.Total, Item: g.Item, Bytes: done.Bytes, TotalBytes: total})
	}
}

// keepRates saves what was learned. It is no loss when that fails.
func (c *Runner) keepRates() {
	if err := c.rates.Save(filepath.Join(c.o.CacheDir, RatesFile)); err != nil {
		c.o.Log.Warn("how fast this computer works could not be kept", "error", err)
	}
}

// loadRates reads what was learned before.
func (c *Runner) loadRates() {
	var err error
	if c.rates, err = eta.Load(filepath.Join(c.o.CacheDir, RatesFile)); err != nil {
		c.o.Log.Warn("how fast this computer works has to be learned again", "error", err)
	}
}
