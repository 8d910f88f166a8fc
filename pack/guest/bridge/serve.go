package bridge

import (
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/yamux"

	"piwork/vmhost/wire/mux"
)

// lingerTime is how long a program may send nothing, and the host take nothing, once
// the host has ended a connection. Tests shorten it.
var lingerTime = time.Minute

// serve joins each connection of l to a stream of s, until one of both ends. It
// owns both.
func serve(l net.Listener, s *yamux.Session) error {
	var all sync.WaitGroup
	defer all.Wait()
	defer s.Close()
	defer l.Close()
	go func() {
		<-s.CloseChan()
		_ = l.Close()
	}()
	for {
		c, err := l.Accept()
		if err != nil {
			if s.IsClosed() {
				return errors.New("the host is away")
			}
			return err
		}
		conn := c.(*net.TCPConn)
		if s.NumStreams() >= mux.MaxStreams {
			reset(conn)
			continue
		}
		stream, err := s.OpenStream()
		if err != nil {
			reset(conn)
			continue
		}
		all.Go(func() { join(conn, stream) })
	}
}

// join copies between a connection and a stream until both have ended.
func join(conn *net.TCPConn, stream *yamux.Stream) {
	defer conn.Close()
	var up sync.WaitGroup
	u := &upload{conn: conn, stream: stream}
	up.Go(func() {
		_, _ = io.Copy(u, u) // the end of the program's words, whatever it came from
		_ = stream.Close()
	})
	_, err := io.Copy(conn, onlyReader{stream})
	switch {
	case err == nil:
		_ = conn.CloseWrite()
	default: // the program or the host broke off
		reset(conn)
		_, _ = io.Copy(io.Discard, stream)
	}
	u.linger()
	up.Wait()
}

// upload is what a program sends. Once the host has ended the connection, each read
// and each write has lingerTime: yamux itself waits for ever for a host that takes
// nothing.
type upload struct {
	conn      *net.TCPConn
	stream    *yamux.Stream
	lingering atomic.Bool
}

// linger bounds the read or the write that is under way, and those after it.
func (u *upload) linger() {
	u.lingering.Store(true)
	u.bound(u.conn.SetReadDeadline)
	u.bound(u.stream.SetWriteDeadline)
}

func (u *upload) bound(deadline func(time.Time) error) {
	if u.lingering.Load() {
		_ = deadline(time.Now().Add(lingerTime))
	}
}

func (u *upload) Read(p []byte) (int, error) {
	u.bound(u.conn.SetReadDeadline)
	return u.conn.Read(p)
}

func (u *upload) Write(p []byte) (int, error) {
	u.bound(u.stream.SetWriteDeadline)
	return u.stream.Write(p)
}

// onlyReader hides what else a stream can do.
type onlyReader struct{ io.Reader }

// reset ends a connection so that the program hears that something went wrong.
func reset(conn *net.TCPConn) {
	_ = conn.SetLinger(0)
	_ = conn.Close()
}
