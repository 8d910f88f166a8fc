package vhostuser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime/debug"
	"time"
)

// Handler deals with a request of the guest. read is what the guest sent and
// write the room for the reply, both in the guest's memory: what was read and
// checked there must not be read again. It returns the reply, to be copied to
// write when the ring runs, or nil and the number of bytes that it wrote there
// itself, which it must not do after having waited for anybody.
type Handler func(read, write [][]byte) (reply []byte, n int)

// Options of Serve.
type Options struct {
	Queues   int           // rings, of 1 to 256
	Patience time.Duration // with requests under way at the end; 0 is 10 s
	End      func()        // called at the end, before they are waited for; may be nil
}

// Serve answers a front end on conn until it hangs up, ctx ends or something is
// wrong, and closes conn. An ordinary end is nil. After any error the machine
// that the other end belongs to must be ended: its device is dead, and what its
// guest waits for there does not come.
func Serve(ctx context.Context, conn *net.UnixConn, o Options, handle Handler) error {
	if o.Queues < 1 || o.Queues > queueMask+1 {
		return fmt.Errorf("vhost-user: %d rings", o.Queues)
	}
	o.Patience = cmp.Or(o.Patience, 10*time.Second)
	d := newDevice(o.Queues, handle, func() { conn.Close() })
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	err := d.talk(conn)
	conn.Close()
	d.close()
	if o.End != nil {
		o.End()
	}
	if first := d.failed(); first != nil {
		err = first
	} else if ctx.Err() != nil || errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) {
		err = nil
	}
	return errors.Join(err, d.wait(o.Patience))
}

// talk deals with messages until the connection ends.
func (d *device) talk(conn *net.UnixConn) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer d.guard()
	for {
		m, err := readMessage(conn)
		if err != nil {
			return err
		}
		answer, err := d.control(m)
		m.close()
		if err != nil {
			return err
		}
		if answer == nil && m.answer {
			answer = u64(0)
		}
		if answer == nil {
			continue
		}
		if _, err := conn.Write(reply(m.request, answer)); err != nil {
			return fmt.Errorf("vhost-user: %w", err)
		}
	}
}

// wait waits for the requests under way.
func (d *device) wait(patience time.Duration) error {
	done := make(chan struct{})
	go func() {
		d.work.Wait()
		close(done)
	}()
	t := time.NewTimer(patience)
	defer t.Stop()
	select {
	case <-done:
		return nil
	case <-t.C:
		return fmt.Errorf("vhost-user: %d requests still run", d.flying.Load())
	}
}
