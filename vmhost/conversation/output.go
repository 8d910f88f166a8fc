package conversation

import (
	"context"

	"piwork/vmhost/wire"
)

// outputQueue is how many pieces of output wait for their receiver; at most
// wire.MaxChunk bytes each.
const outputQueue = 16

// output passes on what the guest tells about one action, in order, from a goroutine
// of its own, so that a receiver may ask the runtime something. A receiver that is
// behind by outputQueue pieces holds up the guest. Of progress only the latest counts.
type output struct {
	life, ctx  context.Context
	limit      int64                   // bytes that are passed on, 0 for all
	on         func(wire.ExecOutput)   // nil: output is collected
	onProgress func(wire.ToolProgress) // may be nil

	pieces chan wire.ExecOutput
	news   chan wire.ToolProgress // of capacity 1
	last   chan struct{}          // closed by finish: what is queued is all
	done   chan struct{}

	// Of the goroutine until done.
	bytes          int64
	cut            bool
	stdout, stderr []byte // without a receiver
}

// newOutput begins to pass on. When ctx ends, the rest is thrown away, so that nobody
// waits for a cancelled action.
func newOutput(ctx, life context.Context, on func(wire.ExecOutput), onProgress func(wire.ToolProgress), limit int64) *output {
	o := &output{
		life: life, ctx: ctx, limit: limit, on: on, onProgress: onProgress,
		pieces: make(chan wire.ExecOutput, outputQueue), news: make(chan wire.ToolProgress, 1), last: make(chan struct{}), done: make(chan struct{}),
	}
	if on == nil && (limit == 0 || limit > wire.MaxRunOut) {
		o.limit = wire.MaxRunOut
	}
	go o.deliver()
	return o
}

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

// progress takes how far a tool is, in the place of older news.
func (o *output) progress(n wire.ToolProgress) {
	select {
	case <-o.news:
	default:
	}
	select {
	case o.news <- n:
	default: // another was faster
	}
}

func (o *output) deliver() {
	defer close(o.done)
	for {
		select {
		case p := <-o.pieces:
			o.pass(p)
		case n := <-o.news:
			o.tell(n)
		case <-o.last:
			for len(o.pieces) > 0 {
				o.pass(<-o.pieces)
			}
			select {
			case n := <-o.news:
				o.tell(n)
			default:
			}
			return
		}
	}
}

func (o *output) tell(n wire.ToolProgress) {
	if o.onProgress != nil {
		o.onProgress(n)
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
	case p.Stream == wire.Control: // of nobody
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
