package bridge

import (
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"github.com/hashicorp/yamux"

	"piwork/vmhost/wire/mux"
)

// lingerTime is how long a program may take to end a connection that the host has
// ended.
const lingerTime = time.Minute

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
	up.Go(func() {
		_, _ = io.Copy(stream, conn) // the end of the program's words, whatever it came from
		_ = stream.Close()
	})
	_, err := io.Copy(conn, onlyReader{stream})
	switch {
	case err == nil:
		_ = conn.CloseWrite()
		_ = conn.SetReadDeadline(time.Now().Add(lingerTime))
	default: // the program or the host broke off
		reset(conn)
		_, _ = io.Copy(io.Discard, stream)
	}
	up.Wait()
}

// onlyReader hides what else a stream can do.
type onlyReader struct{ io.Reader }

// reset ends a connection so that the program hears that something went wrong.
func reset(conn *net.TCPConn) {
	_ = conn.SetLinger(0)
	_ = conn.Close()
}
