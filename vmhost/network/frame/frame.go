// Package frame reads Ethernet frames of a guest, as QEMU's stream netdev sends
// them, and lets pass only those that an honest guest sends: from its own
// addresses, to the gateway, whole, of the few protocols there are.
//
// The guest is hostile. Nothing here allocates by what it says, and what comes
// through has been checked for everything that the stack behind would have to
// believe: who sent it, to whom, and that it is no piece of a packet.
package frame

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Sizes in bytes.
const (
	HeaderLen = 14       // of Ethernet
	prefixLen = 4        // of QEMU's framing: the length of the frame, big-endian
	maxLen    = 68 << 10 // QEMU's NET_BUFSIZE: nothing that QEMU sends is longer
)

// ErrFraming says that what came is not QEMU's framing; nothing that follows can
// be read.
var ErrFraming = errors.New("no frame")

// Reader reads frames. It is not safe for use by several goroutines.
type Reader struct {
	r      io.Reader
	buf    []byte
	prefix [prefixLen]byte
}

// NewReader reads frames from r, which should be buffered.
func NewReader(r io.Reader) *Reader { return &Reader{r: r, buf: make([]byte, maxLen)} }

// Next is the next frame; it is overwritten by the one after it. The error is
// io.EOF between two frames, ErrFraming for a length that cannot be, else that of
// the reader.
func (r *Reader) Next() ([]byte, error) {
	if _, err := io.ReadFull(r.r, r.prefix[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, fmt.Errorf("%w: it ends in a length", ErrFraming)
		}
		return nil, err
	}
	n := binary.BigEndian.Uint32(r.prefix[:])
	if n > maxLen {
		return nil, fmt.Errorf("%w: of %d bytes", ErrFraming, n)
	}
	if _, err := io.ReadFull(r.r, r.buf[:n]); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, fmt.Errorf("%w: it ends in a frame", ErrFraming)
		}
		return nil, err
	}
	return r.buf[:n], nil
}

// Append appends a frame, made of parts, as QEMU reads it.
func Append(to []byte, parts ...[]byte) []byte {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	to = binary.BigEndian.AppendUint32(to, uint32(n))
	for _, p := range parts {
		to = append(to, p...)
	}
	return to
}
