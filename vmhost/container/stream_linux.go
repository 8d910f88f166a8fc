package container

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
)

// Streams of a container, as the engine numbers them.
const (
	streamOut = 1
	streamErr = 2
)

// stream is the connection to the agent: what it reads is the container's standard output,
// what is written to it the standard input. The engine sends output and errors in frames:
//
//	01 00 00 00  00 00 00 05  h e l l o     1: output, 2: errors; then the length
//
// The engine's own reader of them (api/pkg/stdcopy) takes as much memory as a frame says.
type stream struct {
	net.Conn
	in   io.Reader // of Conn
	said io.Writer // the errors

	mu   sync.Mutex // of reading
	head [8]byte
	have int   // bytes of head
	left int64 // of the frame
	err  error

	once sync.Once
	over chan struct{} // closed when nothing more comes
}

func newStream(c net.Conn, in io.Reader, said io.Writer) *stream {
	return &stream{Conn: c, in: in, said: said, over: make(chan struct{})}
}

// Read implements net.Conn.
func (s *stream) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.err == nil {
		if err := s.nextFrame(); err != nil {
			return 0, s.ended(err)
		}
		if s.head[0] == streamOut {
			if len(p) == 0 {
				return 0, nil
			}
			n, err := s.in.Read(p[:min(int64(len(p)), s.left)])
			s.left -= int64(n)
			if n > 0 {
				return n, nil // an error comes again
			}
			if err != nil {
				return 0, s.ended(err)
			}
			continue
		}
		var b [4 << 10]byte
		n, err := s.in.Read(b[:min(int64(len(b)), s.left)])
		s.left -= int64(n)
		_, _ = s.said.Write(b[:n])
		if err != nil {
			return 0, s.ended(err)
		}
	}
	return 0, s.err
}

// nextFrame reads the head of a frame, unless one is being read.
func (s *stream) nextFrame() error {
	for s.left == 0 {
		for s.have < len(s.head) {
			n, err := s.in.Read(s.head[s.have:])
			s.have += n
			if err != nil && s.have < len(s.head) {
				return err
			}
		}
		s.have = 0
		if k := s.head[0]; k != streamOut && k != streamErr || s.head[1]|s.head[2]|s.head[3] != 0 {
			return fmt.Errorf("the engine sent no frame: % x", s.head)
		}
		s.left = int64(binary.BigEndian.Uint32(s.head[4:]))
	}
	return nil
}

// ended notes an error that is not a deadline.
func (s *stream) ended(err error) error {
	if n, is := errors.AsType[net.Error](err); is && n.Timeout() {
		return err
	}
	s.err = err
	s.stop()
	return err
}

func (s *stream) stop() { s.once.Do(func() { close(s.over) }) }

// Close implements net.Conn.
func (s *stream) Close() error {
	s.stop()
	return s.Conn.Close()
}
