package vm

import (
	"os"
	"runtime"
	"testing"
	"time"
)

// Starting, working and stopping again and again leaves no descriptor and no
// goroutine, however the machine began.
func TestNothingAddsUp(t *testing.T) {
	h := newFactory(t, "good").ensured()
	count := func() (fds, goroutines int) {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries), runtime.NumGoroutine()
	}
	cycle := func(i int) {
		how := []string{HowRestored, HowWaited, HowBooted}[i%3]
		c := h.config()
		c.ServeFS = echoFS
		if i%2 == 1 {
			c.ServeDevice = echoDevice
		}
		switch how {
		case HowWaited:
			if err := h.Expect(soon(t)); err != nil {
				t.Fatal(err)
			}
		case HowBooted:
			c.MemoryMB = 512
		}
		v, err := h.New(c)
		if err != nil {
			t.Fatal(err)
		}
		v.timing = h.timing
		if err := v.Connect(soon(t)); err != nil || v.How() != how {
			t.Fatalf("%s, not %s: %v", v.How(), how, err)
		}
		reportOf(t, v)
		if err := v.Close(soon(t)); err != nil {
			t.Fatal(err)
		}
		nobodyKnows(t, c.Dir, c.RunDir)
	}
	for i := range 6 {
		cycle(i)
	}
	fds, goroutines := count()
	for i := range 30 {
		cycle(i)
	}
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		f, g := count()
		if f <= fds && g <= goroutines {
			return
		}
		if time.Since(began) > 30*time.Second {
			t.Fatalf("%d descriptors and %d goroutines, %d and %d before", f, g, fds, goroutines)
		}
	}
}
