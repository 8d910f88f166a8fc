package conversation

import (
	"context"

	"golang.org/x/sync/semaphore"

	"piwork/vmhost/wire"
)

// How much output of one action waits for its receiver, by wire.OutputWeight.
const (
	outputAhead = 1 << 20                       // before the guest holds up the program
	outputRoom  = outputAhead + 3*wire.MaxChunk // before this side stops to read
	outputQueue = outputRoom / wire.MinWeight   // pieces
	outputTold  = outputAhead / 4               // taken, before the guest hears of it
)

// output passes on what the guest tells about one action, in order, from a goroutine
// of its own (deliver). A program whose receiver is behind by outputAhead waits, and holds up
// nothing else: the receiver may wait for another action of the runtime. Operations, and guests
// that know no wire.ExecParams.Ahead, hold up all that the guest says when it is outputRoom.
// Of progress only the latest counts.
type output struct {
	life, ctx  context.Context
	limit      int64                   // bytes that are passed on, 0 for all
	on         func(wire.ExecOutput)   // nil: output is collected
	onProgress func(wire.ToolProgress) // may be nil
	taken      func(bytes int64)       // tells the guest; may be nil

	wanted context.Context     // ends with ctx, life and finish
	over   func()              // ends wanted
	room   *semaphore.Weighted // of outputRoom, for what is in pieces
	pieces chan wire.ExecOutput
	news   chan wire.ToolProgress // of capacity 1
	last   chan struct{}          // closed by finish: what is queued is all
	done   chan struct{}

	// Of the goroutine until done.
	bytes          int64
	untold         int64 // was taken, and the guest has not heard
	cut            bool
	stdout, stderr []byte // without a receiver
}

// newOutput begins to pass on. When ctx ends, the rest is thrown away, so that nobody
// waits for a cancelled action.
func newOutput(ctx, life context.Context, on func(wire.ExecOutput), onProgress func(wire.ToolProgress), limit int64, taken func(bytes int64)) *output {
	o := &output{
		life: life, ctx: ctx, limit: limit, on: on, onProgress: onProgress, taken: taken,
		room: semaphore.NewWeighted(outputRoom), pieces: make(chan wire.ExecOutput, outputQueue), news: make(chan wire.ToolProgress, 1), last: make(chan struct{}), done: make(chan struct{}),
	}
	if on == nil && (limit == 0 || limit > wire.MaxRunOut) {
		o.limit = wire.MaxRunOut
	}
	wanted, cancel := context.WithCancel(ctx)
	forget := context.AfterFunc(life, cancel)
	o.wanted, o.over = wanted, func() { forget(); cancel() }
	go o.deliver()
	return o
}

// output takes a piece, also after finish: a guest may say anything at any
// time.
func (o *output) output(p wire.ExecOutput) {
	if o.room.Acquire(o.wanted, wire.OutputWeight(len(p.Data))) == nil {
		o.pieces <- p // which have room for as many
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
	defer o.took(wire.OutputWeight(len(p.Data)))
	if o.limit > 0 {
		if room := o.limit - o.bytes; int64(len(p.Data)) > room {
			p.Data, o.cut = p.Data[:room], true
		}
	}
	o.bytes += int64(len(p.Data))
	switch {
	case len(p.Data) == 0:
	case o.on != nil && (o.ctx.Err() != nil || o.life.Err() != nil): // nobody waits for it any more
	case o.on != nil:
		o.on(p)
	case p.Stream == wire.Control: // of nobody
	case p.Stream == wire.Stdout:
		o.stdout = append(o.stdout, p.Data...)
	default:
		o.stderr = append(o.stderr, p.Data...)
	}
}

// took notes that a piece is not waiting any more.
func (o *output) took(weight int64) {
	o.room.Release(weight)
	if o.untold += weight; o.taken != nil && o.untold >= outputTold {
		o.taken(o.untold)
		o.untold = 0
	}
}

// finish waits until everything that came before it is passed on and reports
// whether something was cut off.
func (o *output) finish() (cut bool) {
	close(o.last)
	o.over()
	<-o.done
	return o.cut
}
