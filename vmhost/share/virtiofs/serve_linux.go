package virtiofs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync/atomic"
	"time"

	"piwork/vmhost/share"
	"piwork/vmhost/share/drive"
	"piwork/vmhost/share/virtiofs/vhostuser"
)

// Options of Serve. The zero value is valid.
type Options struct {
	Log      *slog.Logger  // nil is slog.Default()
	Patience time.Duration // with requests under way at the end; 0 is drive.Farewell
	Owner    int           // of all files, with ServeFUSE: a user and a group where it is mounted
}

// Serve is the device of one machine: it answers the front ends that connect to
// l, a listener on a Unix socket, one after the other, until ctx ends, and closes
// l. A front end that hangs up leaves the device as new. An ordinary end is nil.
// After any other the machine must be ended.
func Serve(ctx context.Context, l net.Listener, set *share.Set, o Options) error {
	o.Log, o.Patience = cmp.Or(o.Log, slog.Default()), cmp.Or(o.Patience, drive.Farewell())
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	defer l.Close()
	for {
		c, err := l.Accept()
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return fmt.Errorf("virtio-fs: %w", err)
		}
		conn, ok := c.(*net.UnixConn)
		if !ok {
			c.Close()
			return fmt.Errorf("virtio-fs: a connection over %s", c.RemoteAddr().Network())
		}
		if err := serveConn(ctx, conn, set, o); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return nil
		}
	}
}

func serveConn(ctx context.Context, conn *net.UnixConn, set *share.Set, o Options) error {
	s := &server{set: set, log: o.Log}
	err := vhostuser.Serve(ctx, conn, vhostuser.Options{Queues: Queues, Patience: o.Patience, End: s.end}, s.handle)
	if old := s.session.Swap(nil); old != nil {
		closed := make(chan struct{})
		go func() { old.close(); close(closed) }()
		o.leave(closed)
	}
	var wrong *vhostuser.ProtocolError
	var fault *vhostuser.PanicError
	switch {
	case errors.As(err, &wrong):
		o.Log.Warn("a guest broke the protocol of its file device", "err", err)
	case errors.As(err, &fault):
		o.Log.Error("virtio-fs: a request failed inside", "err", err, "stack", string(fault.Stack))
	}
	return err
}

// leave waits for an end no longer than there is patience: a drive may never answer.
func (o Options) leave(ended <-chan struct{}) {
	select {
	case <-ended:
	case <-time.After(o.Patience):
		o.Log.Warn("virtio-fs: what a drive does not answer is left behind", "after", o.Patience)
	}
}

// end ends what waits for a person: nobody hears of it any more.
func (s *server) end() {
	if m := s.session.Load(); m != nil {
		m.end()
	}
}

// server is what answers one connection.
type server struct {
	set     *share.Set
	log     *slog.Logger
	session atomic.Pointer[session] // nil: nothing is mounted
}
