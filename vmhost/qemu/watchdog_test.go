package qemu

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestWatch(t *testing.T) {
	barked := func(c <-chan struct{}) bool {
		synctest.Wait()
		return closed(c)
	}
	synctest.Test(t, func(t *testing.T) {
		var last atomic.Pointer[time.Time]
		now := func() { n := time.Now(); last.Store(&n) }
		now()
		dog, c := Watch(10*time.Second, func() time.Time { return *last.Load() })
		defer dog.Stop()
		time.Sleep(9 * time.Second)
		now()
		time.Sleep(9 * time.Second)
		if barked(c) {
			t.Error("barked at what goes on")
		}
		time.Sleep(time.Second)
		if !barked(c) {
			t.Error("did not bark")
		}
	})
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		sleep := time.Hour
		dog, c := Watch(10*time.Second, func() time.Time {
			time.Sleep(sleep) // as if the computer did, when the timer is due
			sleep = 0
			return began
		})
		defer dog.Stop()
		time.Sleep(10*time.Second + time.Hour)
		if barked(c) {
			t.Error("barked at a computer that slept")
		}
		time.Sleep(10 * time.Second)
		if !barked(c) {
			t.Error("never barks again")
		}
	})
	synctest.Test(t, func(t *testing.T) {
		dog, c := Watch(time.Second, time.Now)
		dog.Stop()
		time.Sleep(time.Minute)
		if barked(c) {
			t.Error("barked after Stop")
		}
	})
}
