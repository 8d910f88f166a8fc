// Package interact joins the terminal of the command line with a program that a task runs
// ([attach.Conn]): it passes on what is typed and what the program writes, until the
// program is over, the person detaches, or the connection is lost.
//
// A program on a terminal gets every key as it is: the local terminal is raw meanwhile
// (termios(3)), so that Ctrl-C is the program's. Two keys, Ctrl-P Ctrl-Q, detach; Ctrl-P
// twice is one Ctrl-P. Changes of the window's size are passed on, on Windows within a
// quarter of a second.
package interact

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"piwork/app/attach"
	"piwork/vmhost/wire"
)

// ErrDetached ends a session by the keys that detach.
var ErrDetached = errors.New("interact: detached")

// Local is the side of the command line.
type Local struct {
	Stdin          io.Reader // nil: nothing is passed on
	Stdout, Stderr func([]byte) error
	Terminal       *os.File // of Stdin, made raw for a program on a terminal; nil for none
	Screen         *os.File // of Stdout, whose size is passed on; nil for none

	Note func(attach.Piece) // hears of output that is missing, and that another client types; may be nil
}

// chunk is how much of the input is read at a time, in bytes.
const chunk = 32 << 10

// Run passes on until the program is over (nil). An [*attach.LostError] says that the
// connection was lost.
func Run(ctx context.Context, c attach.Conn, l Local) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	onTerminal := c.Info().Terminal
	if onTerminal && l.Terminal != nil {
		restore, err := raw(l.Terminal, l.Screen)
		if err != nil {
			return err
		}
		defer restore()
	}
	if onTerminal && l.Screen != nil {
		watched := make(chan struct{})
		go func() {
			defer close(watched)
			watchSize(ctx, l.Screen, func(s wire.TerminalSize) { _ = c.Resize(ctx, s) }) // the reader learns that it is lost
		}()
		defer func() { cancel(nil); <-watched }()
	}
	if l.Stdin != nil && c.Info().Input {
		go func() { // a read of a terminal cannot be ended: then the command is about to
			if err := feed(ctx, c, l.Stdin, onTerminal); err != nil {
				cancel(err)
			}
		}()
	}
	for {
		p, err := c.Read(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case p.Skipped > 0 || p.Taken:
			if l.Note != nil {
				l.Note(p)
			}
		case p.Stream == wire.Stderr:
			err = l.Stderr(p.Data)
		default:
			err = l.Stdout(p.Data)
		}
		if err != nil {
			return err
		}
	}
}

// feed passes the input on to its end. It returns what ends the session, nil when the
// input is over.
func feed(ctx context.Context, c attach.Conn, r io.Reader, keys bool) error {
	if keys {
		return feedKeys(ctx, c, r)
	}
	for buf := make([]byte, chunk); ; {
		n, err := r.Read(buf)
		if n > 0 && c.Write(ctx, buf[:n]) != nil {
			return nil // what reads knows why
		}
		if err != nil {
			_ = c.CloseInput(ctx)
			return nil
		}
	}
}

const (
	typedAhead = 4096        // how many reads of a terminal may wait for a program that does not read
	sendTyped  = time.Second // what was typed before the keys that detach has so long to arrive
)

// feedKeys is feed for a program on a terminal. The keys that detach are heard also while the
// program reads nothing and what was typed for it waits.
func feedKeys(ctx context.Context, c attach.Conn, r io.Reader) error {
	typed, sent := make(chan []byte, typedAhead), make(chan struct{})
	go func() {
		defer close(sent)
		for data := range typed {
			if c.Write(ctx, data) != nil {
				return
			}
		}
	}()
	var d detacher
	for buf := make([]byte, 4<<10); ; { // as much as a terminal gives at a time
		n, err := r.Read(buf)
		data, detach := d.pass(buf[:n])
		if len(data) > 0 {
			select {
			case typed <- data:
			case <-sent:
				return nil // what reads knows why
			}
		}
		switch {
		case detach:
			close(typed)
			select {
			case <-sent:
			case <-time.After(sendTyped):
			}
			return ErrDetached
		case err != nil:
			close(typed)
			return nil
		}
	}
}

// Keys that detach, one after the other.
const (
	ctrlP = 0x10
	ctrlQ = 0x11
)

// detacher looks for the keys that detach.
type detacher struct {
	begun bool // Ctrl-P came last, and was kept
}

// pass returns what is passed on, and whether the keys came. What follows them is dropped.
func (d *detacher) pass(in []byte) (out []byte, detach bool) {
	for _, b := range in {
		switch {
		case d.begun && b == ctrlQ:
			return out, true
		case d.begun && b == ctrlP: // once is enough for one
			d.begun = false
			out = append(out, ctrlP)
			continue
		case d.begun:
			d.begun = false
			out = append(out, ctrlP)
		}
		if b == ctrlP {
			d.begun = true
			continue
		}
		out = append(out, b)
	}
	return out, false
}

// raw makes a terminal raw until the function is called.
func raw(in, screen *os.File) (restore func(), err error) {
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return nil, err
	}
	screenBefore := showSequences(screen)
	return func() {
		screenBefore()
		_ = term.Restore(int(in.Fd()), before) // else it is gone
	}, nil
}

// Size is the size of the terminal that f is.
func Size(f *os.File) (wire.TerminalSize, bool) {
	w, h, err := term.GetSize(int(f.Fd()))
	s := wire.TerminalSize{Columns: min(w, wire.MaxTerminal), Rows: min(h, wire.MaxTerminal)}
	return s, err == nil && s.Validate() == nil
}

// whenChanged passes a size on that is another than last.
func whenChanged(f *os.File, last *wire.TerminalSize, do func(wire.TerminalSize)) {
	if s, ok := Size(f); ok && s != *last {
		*last = s
		do(s)
	}
}
