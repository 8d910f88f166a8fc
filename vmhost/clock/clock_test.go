package clock_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"piwork/vmhost/clock"
	"piwork/vmhost/clock/clocktest"
)

const beat = clock.Beat

var day = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// What the machine is given of the time that passes, and what is a jump.
func TestClockCounts(t *testing.T) {
	const credit = clock.Credit * beat
	for name, tt := range map[string]struct {
		steady, wall time.Duration // between two beats
		total        time.Duration
		jump         bool
	}{
		"a beat":                                     {beat, beat, beat, false},
		"a late beat":                                {3 * beat, 3 * beat, 3 * beat, false},
		"a very late beat":                           {credit + time.Second, credit + time.Second, credit, false},
		"the program was stopped":                    {time.Hour, time.Hour, credit, true},
		"the computer slept, its timers too":         {beat, 8 * time.Hour, beat, true},
		"the computer slept, its timers went on":     {8 * time.Hour, 8 * time.Hour, credit, true},
		"the clock was set back":                     {beat, -time.Hour, beat, true},
		"the clock was set a little":                 {beat, beat + time.Second, beat, false},
		"the clock was set forward":                  {beat, beat + 2*time.Second, beat, true},
		"a steady clock that goes back all the same": {-time.Second, 0, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := clocktest.New(day)
			c := clock.New(f.Host(), beat)
			f.Pass(tt.steady, tt.wall)
			if got := c.Now(); got != tt.total {
				t.Errorf("before the beat %v, want %v", got, tt.total)
			}
			if _, jump := c.Look(); jump != tt.jump {
				t.Errorf("jump %v", jump)
			}
			if got := c.Now(); got != tt.total {
				t.Errorf("%v, want %v", got, tt.total)
			}
		})
	}
}

// Deadlines and watchdogs wait for the machine's time, whatever the host's
// clocks do meanwhile.
func TestClockIsPatient(t *testing.T) {
	f := clocktest.New(day)
	c := clock.New(f.Host(), beat)
	errLate := errors.New("late")
	ctx, cancel := c.Timeout(t.Context(), 10*time.Second, errLate)
	defer cancel()
	barks, signs := 0, int64(0)
	stop := c.Watch(10*time.Second, func() int64 { return signs }, func() { barks++ })
	defer stop()
	turn := func(n int, steady, wall time.Duration) {
		for range n {
			f.Pass(steady, wall)
			due, _ := c.Look()
			for _, d := range due {
				d()
			}
		}
	}
	turn(10, beat, beat)         // 5 s
	turn(1, beat, 8*time.Hour)   // asleep
	turn(1, 24*time.Hour, 0)     // asleep, on another system: 2 s at most
	turn(1, beat, -2*time.Hour)  // set back
	c.Stop()                     // paused
	turn(1000, beat, beat)       //
	c.Start()                    //
	turn(1, time.Millisecond, 0) //
	if ctx.Err() != nil || barks != 0 {
		t.Fatalf("after %v of the machine's time: %v, %d barks", c.Now(), ctx.Err(), barks)
	}
	signs++
	turn(5, beat, beat)
	if !errors.Is(context.Cause(ctx), errLate) || barks != 0 {
		t.Errorf("after %v: %v, %d barks", c.Now(), context.Cause(ctx), barks)
	}
	turn(40, beat, beat)
	if barks != 1 {
		t.Errorf("after %v: %d barks", c.Now(), barks)
	}
	if n := c.Alarms(); n != 0 {
		t.Errorf("%d alarms are left", n)
	}
}

func TestClockRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		c := clock.New(clock.Real(), beat)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			c.Run(ctx, func() { t.Error("a jump") })
		}()
		began := time.Now()
		if !c.Sleep(ctx, 10*time.Second) {
			t.Error("not slept")
		}
		if took := time.Since(began); took < 10*time.Second || took > 10*time.Second+beat {
			t.Errorf("slept for %v", took)
		}
		c.Stop()
		slept := make(chan bool)
		go func() { slept <- c.Sleep(ctx, time.Second) }()
		time.Sleep(time.Hour)
		c.Start()
		if !<-slept {
			t.Error("not slept")
		}
		go func() { slept <- c.Sleep(ctx, time.Hour) }()
		stop := c.After(time.Second, func() { t.Error("stopped and rung") })
		stop()
		time.Sleep(2 * time.Second)
		cancel()
		if <-slept {
			t.Error("slept to the end")
		}
		<-ended
	})
}
