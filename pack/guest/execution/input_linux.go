package execution

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// input is a program's stdin. Writers take turns; the last one closes it.
type input struct {
	pipe *os.File      // or the terminal
	turn chan struct{} // holds a value while somebody writes
	over chan struct{} // closed after pipe was

	terminal *os.File // as output has it; nil for pipes
	control  *input   // its control descriptor; nil without
}

// newInput returns an input whose first turn is taken already, by feed.
func newInput(pipe *os.File) input {
	in := input{pipe: pipe, turn: make(chan struct{}, 1), over: make(chan struct{})}
	in.turn <- struct{}{}
	return in
}

// feed writes what stdin begins with.
func (in input) feed(data []byte, keep bool) {
	_, err := in.pipe.Write(data)
	in.pass(err != nil || !keep)
}

// pass ends a turn. After the last one stdin is closed and no turn comes any more.
func (in input) pass(last bool) {
	if last {
		in.pipe.Close()
		close(in.over)
		return
	}
	<-in.turn
}

func (in input) write(ctx context.Context, data []byte, last bool) error {
	select {
	case in.turn <- struct{}{}:
	case <-in.over:
		return ErrEnded
	case <-ctx.Done():
		return ctx.Err()
	}
	stop := context.AfterFunc(ctx, func() { in.pipe.SetWriteDeadline(time.Unix(1, 0)) })
	_, err := in.pipe.Write(data)
	cut := !stop()
	in.pass(last || cut || err != nil)
	switch {
	case errors.Is(err, unix.EPIPE), errors.Is(err, os.ErrClosed), errors.Is(err, os.ErrDeadlineExceeded), in.terminal != nil && errors.Is(err, unix.EIO):
		return errors.Join(ErrEnded, err)
	}
	return err
}

// end closes stdin, also while somebody waits to write.
func (in input) end() {
	in.pipe.SetWriteDeadline(time.Unix(1, 0))
	select {
	case in.turn <- struct{}{}:
		in.pass(true)
	case <-in.over:
	}
}
