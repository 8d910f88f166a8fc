package background

import (
	"context"
	"io"
	"net"
	"time"
)

// lingerTime is how long a controller may say nothing to who asks for nothing more.
const lingerTime = time.Minute

// Relay joins a connection to a controller with an input and an output, byte by byte, until
// the connection ends. At the end of the input the controller hears so, and may still answer.
// Whoever reads in stays behind when the connection ends first: the process is about to.
func Relay(ctx context.Context, conn net.Conn, in io.Reader, out io.Writer) error {
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	l := &lingering{conn: conn, over: make(chan struct{})}
	go func() {
		_, _ = io.Copy(conn, in) // what fails is seen by who reads
		close(l.over)
		if half, ok := conn.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite()
		}
		_ = conn.SetReadDeadline(time.Now().Add(lingerTime)) // of a read that waits
	}()
	_, err := io.Copy(out, l)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// lingering reads a connection whose input may be over.
type lingering struct {
	conn net.Conn
	over chan struct{} // closed when it is
}

func (l *lingering) Read(b []byte) (int, error) {
	select {
	case <-l.over:
		_ = l.conn.SetReadDeadline(time.Now().Add(lingerTime))
	default:
	}
	return l.conn.Read(b)
}
