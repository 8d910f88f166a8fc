// Package clocktest is a computer whose clocks a test turns.
package clocktest

import (
	"sync"
	"time"

	"piwork/vmhost/clock"
)

// Time is such a computer's.
type Time struct {
	Tick chan time.Time // each value is a beat

	mu     sync.Mutex
	wall   time.Time
	steady time.Duration
}

// New returns a computer where it is now.
func New(now time.Time) *Time { return &Time{wall: now, Tick: make(chan time.Time)} }

// Host is what a clock reads of it.
func (f *Time) Host() clock.Host {
	return clock.Host{
		Wall:   f.Wall,
		Steady: func() time.Duration { f.mu.Lock(); defer f.mu.Unlock(); return f.steady },
		Ticks:  func(time.Duration) (<-chan time.Time, func()) { return f.Tick, func() {} },
	}
}

// Wall is the time there.
func (f *Time) Wall() time.Time { f.mu.Lock(); defer f.mu.Unlock(); return f.wall }

// Pass lets its clocks go on, each by its own time.
func (f *Time) Pass(steady, wall time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.steady += steady
	f.wall = f.wall.Add(wall)
}
