package conversation

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"piwork/vmhost/wire"
)

// A guest that sends more than it may fills no memory: it is not read any more, until the
// receiver takes something, or nobody wants it.
func TestOutputIsBounded(t *testing.T) {
	for _, size := range []int{1, 100, wire.MaxChunk} {
		for name, ends := range map[string]func(o *output, cancel, die func()){
			"taken":       func(*output, func(), func()) {},
			"cancelled":   func(_ *output, cancel, _ func()) { cancel() },
			"it died":     func(_ *output, _, die func()) { die() },
			"it finished": func(o *output, _, _ func()) { go o.finish() },
		} {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				life, die := context.WithCancel(t.Context())
				defer cancel()
				defer die()
				take := make(chan struct{})
				var heard, told, said atomic.Int64
				o := newOutput(ctx, life, func(p wire.ExecOutput) { <-take; heard.Add(wire.OutputWeight(len(p.Data))) }, nil, 0, func(n int64) { told.Add(n) })
				const much = 4 * outputRoom
				go func() {
					for said.Load() < much {
						o.output(wire.ExecOutput{Stream: wire.Stdout, Data: make([]byte, size)})
						said.Add(wire.OutputWeight(size))
					}
				}()
				synctest.Wait()
				if n := said.Load(); n > outputRoom || n < outputAhead {
					t.Errorf("%s: %d bytes wait", name, n)
				}
				ends(o, cancel, die)
				if name == "taken" {
					close(take)
				}
				synctest.Wait()
				if n := said.Load(); n < much {
					t.Errorf("%s: it is held up after %d bytes", name, n)
				}
				if heard := heard.Load(); name == "taken" && (heard != said.Load() || heard-told.Load() >= outputTold) {
					t.Errorf("%d bytes were said, %d heard, of which it was told %d", said.Load(), heard, told.Load())
				}
				if name != "taken" {
					close(take)
				}
				if name != "it finished" {
					o.finish()
				}
			})
		}
	}
}
