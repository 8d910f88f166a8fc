package ninep

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/hugelgupf/p9/p9"

	"piwork/vmhost/share"
)

// Options of Serve. The zero value is valid.
type Options struct {
	Log *slog.Logger // nil is slog.Default()
}

// GuestID is the user and group that every file belongs to in the guest.
const GuestID = 1000

// Bounds of one connection state. They are far above what a kernel's client
// holds for real work.
const (
	maxNodes = 1 << 20 // fids and their parents
	maxOpen  = 8192    // open files and directories
)

// Serve serves the set on conn until conn or ctx ends, and closes conn. What
// the guest did wrong is an error; an ordinary end is nil.
func Serve(ctx context.Context, conn io.ReadWriteCloser, set *share.Set, o Options) error {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	defer conn.Close()
	out := &answers{w: conn}
	in := &frames{br: bufio.NewReaderSize(conn, 64<<10), w: out}
	for {
		if _, err := in.br.Peek(headerSize); err != nil {
			if ctx.Err() != nil || errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("serve folders: %w", err)
		}
		in.next()
		c := &connection{set: set}
		if err := p9.NewServer(c, p9.WithServerLogger(quiet{o.Log})).Handle(in, out); err != nil {
			return fmt.Errorf("serve folders: %w", err)
		}
		if in.left > 0 && in.broken == nil {
			return errors.New("serve folders: a frame larger than was agreed on")
		}
		if in.broken != nil && !errors.Is(in.broken, io.EOF) && ctx.Err() == nil {
			return fmt.Errorf("serve folders: %w", in.broken)
		}
	}
}

// quiet keeps the library's line for every message out of the log; a handler
// that panicked is worth one.
type quiet struct{ log *slog.Logger }

// Printf is called for every message, so it formats only what is kept.
func (q quiet) Printf(format string, v ...any) {
	if format == panicLine {
		q.log.Error("file server", "error", fmt.Sprintf(format, v...))
	}
}

// Print is part of the library's logger.
func (quiet) Print(...any) {}

// panicLine is the library's own format for a panic in a handler.
const panicLine = "panic in handler - %v: %s"
