package background

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Memory is given back once after the last request, and not while there are any.
func TestRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int32
		r := newRest(time.Minute, func() { n.Add(1) })
		want := func(when string, times int32) {
			t.Helper()
			synctest.Wait()
			if n := n.Load(); n != times {
				t.Errorf("%s: %d times, want %d", when, n, times)
			}
		}
		for range 10 {
			time.Sleep(50 * time.Second)
			r.asked()
		}
		want("while somebody asks", 0)
		time.Sleep(time.Hour)
		want("when nobody asks any more", 1)
		r.asked()
		time.Sleep(time.Hour)
		want("after one more request", 2)
		r.asked()
		r.stop()
		time.Sleep(time.Hour)
		want("when it ended", 2)
	})
}

// Garbage is collected as usual again when all starts are over.
func TestStartRelaxesGC(t *testing.T) {
	percent := 77
	r := relaxed{set: func(n int) int { before := percent; percent = n; return before }}
	is := func(when string, want int) {
		t.Helper()
		if percent != want {
			t.Errorf("%s: %d, want %d", when, percent, want)
		}
	}
	first, second := r.begin(), r.begin()
	is("while two start", startGC)
	first()
	is("while one starts", startGC)
	second()
	is("afterwards", 77)
	r.begin()()
	is("after one more", 77)
}
