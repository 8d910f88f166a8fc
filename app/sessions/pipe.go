package sessions

import (
	"context"
	"io"
)

// pipe is the control descriptor's other side: what a shell is told first, and then orders.
type pipe struct {
	orders <-chan string // nil: there are none, and it ends
	left   []byte
	ctx    context.Context
	close  context.CancelFunc
}

func newPipe(orders <-chan string, first string) *pipe {
	p := &pipe{orders: orders, left: []byte(first)}
	p.ctx, p.close = context.WithCancel(context.Background())
	return p
}

// Read implements io.Reader.
func (p *pipe) Read(b []byte) (int, error) {
	if len(p.left) == 0 {
		if p.orders == nil {
			return 0, io.EOF
		}
		select {
		case text := <-p.orders:
			p.left = []byte(text)
		case <-p.ctx.Done():
			return 0, io.ErrClosedPipe
		}
	}
	n := copy(b, p.left)
	p.left = p.left[n:]
	return n, nil
}

// Close implements io.Closer.
func (p *pipe) Close() error {
	p.close()
	return nil
}
