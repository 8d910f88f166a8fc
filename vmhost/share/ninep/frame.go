package ninep

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
)

const (
	headerSize = 7       // size[4] type[1] tag[2]
	maxFrame   = 4 << 20 // bytes; the library agrees on no larger msize
	typeRError = 7       // Rlerror
	tVersion   = 100     // Tversion
	tXWalk     = 30      // Txattrwalk
	tXCreate   = 32      // Txattrcreate
	eOpNotSupp = 95      // Linux EOPNOTSUPP
)

// frames cuts a stream into 9P frames. Before the library sees them it ends a
// connection state at each new Tversion, answers requests for extended
// attributes with EOPNOTSUPP (the library would say EINVAL, on which the kernel
// refuses to execute files), and refuses sizes that no frame can have.
type frames struct {
	br *bufio.Reader
	w  *answers

	left int  // bytes of the present frame that are still to be read
	seen bool // the present connection state had its Tversion

	broken error // why the stream ended
}

// errNext ends a connection state because another one begins.
var errNext = errors.New("a new Tversion")

// next starts a new connection state.
func (f *frames) next() { f.seen, f.left = false, 0 }

// Read gives the library bytes of one frame at a time, and io.EOF where
// another connection state begins.
func (f *frames) Read(p []byte) (int, error) {
	if f.left == 0 {
		if err := f.begin(); err != nil {
			if !errors.Is(err, errNext) {
				f.broken = err
				return 0, err
			}
			return 0, io.EOF
		}
	}
	n, err := f.br.Read(p[:min(len(p), f.left)])
	f.left -= n
	if err != nil {
		f.broken = err
	}
	return n, err
}

// begin looks at the header of the next frame that the library is to see.
func (f *frames) begin() error {
	for {
		h, err := f.br.Peek(headerSize)
		if err != nil {
			return err
		}
		size := binary.LittleEndian.Uint32(h)
		if size < headerSize || size > maxFrame {
			return fmt.Errorf("a frame of %d bytes", size)
		}
		switch h[4] {
		case tXWalk, tXCreate:
			answer := []byte{11, 0, 0, 0, typeRError, h[5], h[6], eOpNotSupp, 0, 0, 0}
			if _, err := io.CopyN(io.Discard, f.br, int64(size)); err != nil {
				return err
			}
			if err := f.w.whole(answer); err != nil {
				return err
			}
			continue
		case tVersion:
			if f.seen {
				return errNext
			}
			f.seen = true
		}
		f.left = int(size)
		return nil
	}
}

// Close does nothing: the stream is the caller's.
func (f *frames) Close() error { return nil }

// answers writes whole frames: the library hands them over in pieces, and in
// between an answer of frames must not come.
type answers struct {
	mu sync.Mutex // held while a frame is written
	w  io.Writer

	pieces net.Buffers // of the library's present frame; one sender at a time
	have   int
}

// Write takes a piece of a frame; the last one sends it.
func (a *answers) Write(p []byte) (int, error) {
	a.pieces = append(a.pieces, p)
	a.have += len(p)
	if len(a.pieces[0]) < headerSize {
		return 0, fmt.Errorf("an answer begins with %d bytes", len(a.pieces[0]))
	}
	if a.have < int(binary.LittleEndian.Uint32(a.pieces[0])) {
		return len(p), nil
	}
	frame := a.pieces
	a.pieces, a.have = nil, 0
	a.mu.Lock()
	defer a.mu.Unlock()
	_, err := frame.WriteTo(a.w)
	return len(p), err
}

// whole sends a frame of its own.
func (a *answers) whole(frame []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, err := a.w.Write(frame)
	return err
}

// Close does nothing: the stream is the caller's.
func (a *answers) Close() error { return nil }
