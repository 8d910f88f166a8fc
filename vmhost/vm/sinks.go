package vm

import (
	"context"
	"sync"

	"piwork/vmhost/wire"
)

// outputQueue is how many pieces of output wait for their receiver; at most
// wire.MaxChunk bytes each.
const outputQueue = 16

// output passes the output of one execution on, in order, from a goroutine of
// its own, so that a receiver may ask the runtime something. A receiver that is
// behind by outputQueue pieces holds up the guest.
type output struct {
	life, ctx context.Context
	limit     int64 // bytes that are passed on, 0 for all
	on        func(wire.ExecOutput)

	pieces chan wire.ExecOutput
	last   chan struct{} // closed by finish: what is queued is all
	done   chan struct{}

	// Of the goroutine until done.
	bytes          int64
	cut            bool
	stdout, stderr []byte // without a receiver
}

// newOutput passes output on to on; when on is nil it is collected. When ctx
// ends, the rest is thrown away, so that nobody waits for a cancelled action.
func newOutput(ctx, life context.Context, on func(wire.ExecOutput), limit int64) *output {
	o := &output{
		life: life, ctx: ctx, limit: limit, on: on,
		pieces: make(chan wire.ExecOutput, outputQueue), last: make(chan struct{}), done: make(chan struct{}),
	}
	if on == nil && (limit == 0 || limit > wire.MaxRunOut) {
		o.limit = wire.MaxRunOut
	}
	go o.deliver()
	return o
}

func (o *output) progress(wire.ToolProgress) {}

// output takes a piece, also after finish: a guest may say anything at any
// time.
func (o *output) output(p wire.ExecOutput) {
	select {
	case o.pieces <- p:
	case <-o.last:
	case <-o.ctx.Done():
	case <-o.life.Done():
	}
}

func (o *output) deliver() {
	defer close(o.done)
	for {
		select {
		case p := <-o.pieces:
			o.pass(p)
			continue
		case <-o.last:
		}
		for {
			select {
			case p := <-o.pieces:
				o.pass(p)
				continue
			default:
			}
			return
		}
	}
}

func (o *output) pass(p wire.ExecOutput) {
	if o.limit > 0 {
		if room := o.limit - o.bytes; int64(len(p.Data)) > room {
			p.Data, o.cut = p.Data[:room], true
		}
	}
	o.bytes += int64(len(p.Data))
	switch {
	case len(p.Data) == 0:
	case o.on != nil:
		o.on(p)
	case p.Stream == wire.Stdout:
		o.stdout = append(o.stdout, p.Data...)
	default:
		o.stderr = append(o.stderr, p.Data...)
	}
}

// finish waits until everything that came before it is passed on and reports
// whether something was cut off.
func (o *output) finish() (cut bool) {
	close(o.last)
	<-o.done
	return o.cut
}

// progress passes on how far a tool is. Only the latest news counts.
type progress struct {
	on   func(wire.ToolProgress)
	wake chan struct{} // of capacity 1
	last chan struct{}
	done chan struct{}

	mu     sync.Mutex
	latest *wire.ToolProgress // nil when passed on
}

func newProgress(on func(wire.ToolProgress)) *progress {
	p := &progress{on: on, wake: make(chan struct{}, 1), last: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(p.done)
		for {
			select {
			case <-p.wake:
				p.pass()
			case <-p.last:
				p.pass()
				return
			}
		}
	}()
	return p
}

func (p *progress) pass() {
	p.mu.Lock()
	n := p.latest
	p.latest = nil
	p.mu.Unlock()
	if n != nil && p.on != nil {
		p.on(*n)
	}
}

func (p *progress) progress(n wire.ToolProgress) {
	p.mu.Lock()
	p.latest = &n
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// finish waits until the last news are passed on.
func (p *progress) finish() {
	close(p.last)
	<-p.done
}

// toolNews passes on what is told about an operation.
type toolNews struct {
	done *progress
	said *output
}

func (n toolNews) output(o wire.ExecOutput)     { n.said.output(o) }
func (n toolNews) progress(p wire.ToolProgress) { n.done.progress(p) }

func (n toolNews) finish() {
	n.done.finish()
	n.said.finish()
}
