package update

import (
	"math"
	"sync"
	"time"
)

// Progress of a transfer.
type Progress struct {
	Done   int64 // bytes that were fetched and verified; never falls
	Total  int64 // bytes to fetch in all
	Reused int64 // bytes of the archive that need not be fetched
	Rate   int64 // bytes/s, smoothed
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

// rateWindow smooths rates: a change shows to 63 % after it.
const rateWindow = 8 * time.Second

// meter counts a transfer. Its methods may be called from several goroutines.
type meter struct {
	mu     sync.Mutex
	p      Progress
	last   time.Time // of rate
	came   int64     // bytes since last
	rate   float64
	weight float64 // of what rate knows, up to 1
}

func newMeter(done, total, reused int64, now time.Time) *meter {
	return &meter{last: now, p: Progress{Done: done, Total: total, Reused: reused}}
}

// received counts bytes as they come, wanted or not.
func (m *meter) received(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.came += int64(n)
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
	if m.weight > 0 {
		p.Rate = int64(m.rate / m.weight)
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
