//go:build unix

package vm

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
)

// Whoever checks the files of an image is asked before each boot from them, and
// only then; a boot that may not be is none.
func TestBeforeBoot(t *testing.T) {
	var asked atomic.Int64
	forbidden := errors.New("the kernel is not what was signed")
	count := func(err error) func(context.Context) error {
		return func(context.Context) error { asked.Add(1); return err }
	}
	h := newFactory(t, "restore is refused", func(o *FactoryOptions) { o.BeforeBoot = count(nil) })
	c := h.config()
	c.BeforeBoot = count(nil)
	h.connected(c, HowBooted) // nothing is saved yet
	if n := asked.Load(); n != 1 {
		t.Errorf("asked %d times before an ordinary boot", n)
	}

	good := newFactory(t, "good", func(o *FactoryOptions) { o.BeforeBoot = count(nil) })
	asked.Store(0)
	good.ensured()
	if n := asked.Load(); n != 1 {
		t.Errorf("asked %d times before a template was made", n)
	}
	c = good.config()
	c.BeforeBoot = count(forbidden)
	good.connected(c, HowRestored)
	if n := asked.Load(); n != 1 {
		t.Errorf("asked although nothing is booted")
	}

	// A template that does not do leads to a boot all the same, which may not be.
	fallback := newFactory(t, "restored, it exits").ensured()
	c = fallback.config()
	c.BeforeBoot = count(forbidden)
	asked.Store(0)
	v := fallback.vm(c)
	if err := v.Connect(soon(t)); !errors.Is(err, forbidden) || asked.Load() != 1 || v.PID() != 0 {
		t.Errorf("%v, asked %d times, process %d", err, asked.Load(), v.PID())
	}

	refused := newFactory(t, "good", func(o *FactoryOptions) { o.BeforeBoot = count(forbidden) })
	if err := refused.Ensure(soon(t)); !errors.Is(err, forbidden) || refused.State().Phase != PhaseFailed {
		t.Errorf("%v, %+v", err, refused.State())
	}
}
