package update

import (
	"math"
	"sync"
	"time"
)

// State says what a transfer is doing. The values are stable.
type State string

// States of transfers.
const (
	StateConnecting State = "connecting" // nothing came yet
	StateReceiving  State = "receiving"
	StateWaiting    State = "waiting" // before another attempt; Code says after what
	StateDone       State = "done"
)

// Progress of a transfer.
type Progress struct {
	Done   int64         // bytes that were fetched and verified; never falls
	Total  int64         // bytes to fetch in all
	Reused int64         // bytes of the archive that need not be fetched
	Rate   int64         // bytes/s, smoothed
	ETA    time.Duration // time left; -1 when it cannot be said
	State  State
	Code   Code   // of the failure that is waited for
	Mirror string // last one in use
}

// Of is the progress of a download that was begun before: of bytes that it takes
// in all, as [Plan] says, this call had p.Total left to fetch.
func (p Progress) Of(bytes int64) Progress {
	if before := bytes - p.Total; before > 0 {
		p.Done, p.Total, p.Reused = p.Done+before, bytes, max(p.Reused-before, 0)
	}
	return p
}

// reportEvery is the time between two reports.
const reportEvery = 200 * time.Millisecond

// Smoothing of rates.
const (
	rateWindow = 8 * time.Second // a change shows to 63 % after it
	rateFirst  = 2 * time.Second // before it nothing is foretold
)

// meter counts a transfer. Its methods may be called from several goroutines.
type meter struct {
	mu      sync.Mutex
	p       Progress
	started time.Time
	last    time.Time // of rate
	came    int64     // bytes since last
	rate    float64
	weight  float64 // of what rate knows, up to 1
}

func newMeter(done, total, reused int64, now time.Time) *meter {
	return &meter{started: now, last: now, p: Progress{Done: done, Total: total, Reused: reused, ETA: -1, State: StateConnecting}}
}

// received counts bytes as they come, wanted or not.
func (m *meter) received(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.came += int64(n)
	m.p.State, m.p.Code = StateReceiving, ""
}

// kept counts bytes that are verified.
func (m *meter) kept(n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.p.Done += n
}

// again starts from nothing.
func (m *meter) again() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.p.Done = 0
}

func (m *meter) state(s State, c Code, mirror string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.p.State, m.p.Code = s, c
	if mirror != "" {
		m.p.Mirror = mirror
	}
}

func (m *meter) mirror(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.p.Mirror = name
}

// at is the progress at now. The rate is an exponential average over time, right
// from the first sample on because its missing past is taken out of it.
func (m *meter) at(now time.Time) Progress {
	m.mu.Lock()
	defer m.mu.Unlock()
	if d := now.Sub(m.last); d > 0 {
		keep := math.Exp(-d.Seconds() / rateWindow.Seconds())
		m.rate = m.rate*keep + float64(m.came)/d.Seconds()*(1-keep)
		m.weight = m.weight*keep + (1 - keep)
		m.last, m.came = now, 0
	}
	p := m.p
	p.ETA = -1
	rate := 0.0
	if m.weight > 0 {
		rate = m.rate / m.weight
	}
	p.Rate = int64(rate)
	if left := p.Total - p.Done; left <= 0 {
		p.ETA = 0
	} else if rate >= 1 && now.Sub(m.started) >= rateFirst {
		if s := float64(left) / rate; s < (1000 * time.Hour).Seconds() {
			p.ETA = time.Duration(s * float64(time.Second)).Round(time.Second)
		}
	}
	return p
}

// report tells f about m until the returned function is called, and a last time
// then. Calls come one at a time.
func (m *meter) report(f func(Progress)) (stop func()) {
	if f == nil {
		return func() {}
	}
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		t := time.NewTicker(reportEvery)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				f(m.at(time.Now()))
			case <-quit:
				f(m.at(time.Now()))
				return
			}
		}
	}()
	return func() { close(quit); <-gone }
}
