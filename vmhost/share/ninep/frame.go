package ninep

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
)

// Bounds of a connection.
const (
	MaxMessage  = 1 << 20 // msize that a guest may negotiate, bytes
	minMessage  = 4 << 10 // and the least, as in Linux
	MaxInFlight = 128     // requests under way: as many as QEMU's device lets through, so that it never waits for us in a write
	maxWaiting  = 1024    // and those that wait for a person beside them
	MaxFids     = 1 << 16

	headLen  = 7       // size[4] type[1] tag[2]
	ioHead   = 24      // what Linux takes off msize for the payload (P9_IOHDRSZ)
	writeLen = 23      // of Twrite up to its payload
	maxSmall = 8 << 10 // any message without a payload is shorter: 16 names, or a link's target
)

// ProtocolError ends a connection: what the guest sent is not 9P, so that there
// is no knowing where the next frame begins, or is meant to do harm.
type ProtocolError struct{ What string }

func (e *ProtocolError) Error() string { return "9p: " + e.What }

// frame is the beginning of a message: all of it, or of a Twrite everything
// before its payload.
type frame struct {
	typ     msgType
	tag     uint16
	bytes   []byte // the whole frame but for a payload
	payload int    // bytes that follow in the stream
}

// readFrame reads the next frame. limit is the message size agreed on. A frame
// that is too long to be any message ends the connection.
func readFrame(br *bufio.Reader, limit int) (frame, error) {
	head, err := br.Peek(headLen)
	if err != nil {
		return frame{}, err
	}
	size := binary.LittleEndian.Uint32(head)
	f := frame{typ: msgType(head[4]), tag: binary.LittleEndian.Uint16(head[5:])}
	if size < headLen || uint64(size) > uint64(limit) {
		return f, &ProtocolError{fmt.Sprintf("a frame of %d bytes", size)}
	}
	n := int(size)
	if f.typ == tWrite && n >= writeLen {
		f.payload = n - writeLen
		n = writeLen
	}
	if n > maxSmall {
		return f, &ProtocolError{fmt.Sprintf("a message of type %d of %d bytes", f.typ, n)}
	}
	f.bytes = make([]byte, n)
	_, err = io.ReadFull(br, f.bytes)
	return f, err
}
