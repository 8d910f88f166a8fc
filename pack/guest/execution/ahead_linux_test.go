package execution

import (
	"context"
	"testing"
	"time"

	"piwork/vmhost/wire"
)

// What nobody takes waits in its program, until it is taken, the host is another, or the
// program is ended; what is lost then is said.
func TestOutputAhead(t *testing.T) {
	const much = 600_000
	for name, c := range map[string]struct {
		then  func(e *Engine) error
		ended string
		whole bool
	}{
		"taken":          {func(e *Engine) error { e.Taken(wire.ExecTaken{ID: "x", Bytes: much}); return nil }, "", true},
		"another host":   {func(e *Engine) error { e.Unbound(); return nil }, "", true},
		"cancelled":      {func(e *Engine) error { return e.Cancel("x") }, wire.EndedCancelled, false},
		"out of time":    {func(*Engine) error { return nil }, wire.EndedTimeout, false},
		"of another run": {func(e *Engine) error { e.Taken(wire.ExecTaken{ID: "y", Bytes: much}); return nil }, wire.EndedTimeout, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sizes := make(chan int, 4096)
			e := newTestEngine(t, func(_ context.Context, o wire.ExecOutput) error { sizes <- len(o.Data); return nil })
			p := sh("x", "head -c 600000 /dev/zero")
			p.Ahead = 100_000
			if c.ended == wire.EndedTimeout {
				p.Limits.WallMS = 3000
			}
			if err := e.Start(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			got := 0
			for got < 100_000 {
				got += <-sizes
			}
			select {
			case n := <-sizes:
				t.Errorf("%d bytes more than it may", n)
			case <-time.After(100 * time.Millisecond):
			}
			if err := c.then(e); err != nil {
				t.Fatal(err)
			}
			r, err := e.Wait(t.Context(), "x")
			for len(sizes) > 0 {
				got += <-sizes
			}
			if err != nil || r.Ended != c.ended || c.whole && (got != much || r.Truncated) || !c.whole && c.ended == wire.EndedTimeout && !r.Truncated {
				t.Errorf("%d bytes, %+v, %v", got, r, err)
			}
		})
	}
	// Its output is in the answer.
	e := newTestEngine(t, nil)
	p := sh("x", "head -c 600000 /dev/zero")
	p.Ahead = 1
	if r, err := e.Run(t.Context(), p); err != nil || len(r.Stdout) != much {
		t.Errorf("%d bytes, %v", len(r.Stdout), err)
	}
}
