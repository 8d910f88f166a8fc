package vhostuser

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"

	"golang.org/x/sys/unix"
)

// ProtocolError ends a connection: what came over it, or stood in a ring, is not
// what the protocol allows.
type ProtocolError struct{ What string }

func (e *ProtocolError) Error() string { return "vhost-user: " + e.What }

func wrong(format string, a ...any) error { return &ProtocolError{fmt.Sprintf(format, a...)} }

// request is the number of a message (vhost-user, "Front-end message types").
type request uint32

// The messages that a front end sends for the features offered here. Others
// need features that are not, and end the connection.
const (
	getFeatures         request = 1
	setFeatures         request = 2
	setOwner            request = 3
	setMemTable         request = 5
	setVringNum         request = 8
	setVringAddr        request = 9
	setVringBase        request = 10
	getVringBase        request = 11
	setVringKick        request = 12
	setVringCall        request = 13
	setVringErr         request = 14
	getProtocolFeatures request = 15
	setProtocolFeatures request = 16
	getQueueNum         request = 17
	setVringEnable      request = 18
)

// form is what a message must look like. A payload of -1 is a table of regions,
// fds of -1 as many as it has regions or, for a ring's descriptors, what its
// payload says.
type form struct {
	payload int
	fds     int
}

var forms = map[request]form{
	getFeatures:         {0, 0},
	setFeatures:         {8, 0},
	setOwner:            {0, 0},
	setMemTable:         {-1, -1},
	setVringNum:         {8, 0},
	setVringAddr:        {40, 0},
	setVringBase:        {8, 0},
	getVringBase:        {8, 0},
	setVringKick:        {8, -1},
	setVringCall:        {8, -1},
	setVringErr:         {8, -1},
	getProtocolFeatures: {0, 0},
	setProtocolFeatures: {8, 0},
	getQueueNum:         {0, 0},
	setVringEnable:      {8, 0},
}

const (
	headLen    = 12 // request, flags, size: 32 bits each
	maxPayload = regionsHead + maxRegions*regionLen
	maxFDs     = maxRegions

	version     = 1
	flagVersion = 0x3
	flagReply   = 0x4
	flagAnswer  = 0x8 // the sender wants an answer (REPLY_ACK)

	noFD      = 0x100 // of the number in SET_VRING_KICK and its like: no descriptor comes with it
	queueMask = 0xff
)

// message is one that has the right form.
type message struct {
	request request
	answer  bool // is wanted
	payload []byte
	fds     []int // owned by the message; taken by setting them to -1
}

// close closes the descriptors that nobody took.
func (m *message) close() {
	for i, fd := range m.fds {
		if fd >= 0 {
			_ = unix.Close(fd)
			m.fds[i] = -1
		}
	}
}

// take returns a descriptor, which is the caller's from now on.
func (m *message) take(i int) int {
	fd := m.fds[i]
	m.fds[i] = -1
	return fd
}

func (m *message) u32(i int) uint32 { return binary.LittleEndian.Uint32(m.payload[i:]) }
func (m *message) u64(i int) uint64 { return binary.LittleEndian.Uint64(m.payload[i:]) }

// head is the beginning of a message.
type head struct {
	request request
	flags   uint32
	size    int
}

// parseHead checks the beginning of a message, headLen bytes.
func parseHead(b []byte) (head, error) {
	h := head{
		request: request(binary.LittleEndian.Uint32(b)),
		flags:   binary.LittleEndian.Uint32(b[4:]),
	}
	size := binary.LittleEndian.Uint32(b[8:])
	f, known := forms[h.request]
	switch {
	case !known:
		return h, wrong("message %d, which was not agreed on", h.request)
	case h.flags&flagVersion != version || h.flags&flagReply != 0:
		return h, wrong("message %d with flags %#x", h.request, h.flags)
	case size > maxPayload || f.payload >= 0 && int(size) != f.payload:
		return h, wrong("message %d with %d bytes", h.request, size)
	}
	h.size = int(size)
	return h, nil
}

// check checks what came with a message whose head is right.
func (m *message) check() error {
	want := forms[m.request].fds
	switch m.request {
	case setMemTable:
		n, err := countRegions(m.payload)
		if err != nil {
			return err
		}
		want = n
	case setVringKick, setVringCall, setVringErr:
		v := m.u64(0)
		if v&^(noFD|queueMask) != 0 {
			return wrong("message %d for ring %#x", m.request, v)
		}
		if want = 1; v&noFD != 0 {
			want = 0
		}
	}
	if len(m.fds) != want {
		return wrong("message %d with %d file descriptors instead of %d", m.request, len(m.fds), want)
	}
	return nil
}

// readMessage reads the next message. Descriptors that came with one that is
// refused are closed.
func readMessage(conn *net.UnixConn) (_ *message, err error) {
	var b [headLen]byte
	oob := make([]byte, unix.CmsgSpace(maxFDs*4))
	n, oobn, flags, _, err := conn.ReadMsgUnix(b[:], oob)
	m := &message{}
	defer func() {
		if err != nil {
			m.close()
		}
	}()
	if oobn > 0 {
		var ferr error
		if m.fds, ferr = parseRights(oob[:oobn]); ferr != nil {
			return nil, ferr
		}
	}
	switch {
	case err != nil:
		return nil, err
	case n == 0:
		return nil, io.EOF
	case flags&unix.MSG_CTRUNC != 0:
		return nil, wrong("more than %d file descriptors", maxFDs)
	}
	// A descriptor that comes with the rest is not taken, and closed by the kernel.
	if _, err := io.ReadFull(conn, b[n:]); err != nil {
		return nil, err
	}
	h, err := parseHead(b[:])
	if err != nil {
		return nil, err
	}
	m.request, m.answer = h.request, h.flags&flagAnswer != 0
	m.payload = make([]byte, h.size)
	if _, err := io.ReadFull(conn, m.payload); err != nil {
		return nil, err
	}
	return m, m.check()
}

// parseRights returns the descriptors of a control message. All that came are
// returned, also with an error.
func parseRights(oob []byte) ([]int, error) {
	list, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil, wrong("a damaged control message: %v", err)
	}
	var fds []int
	for i := range list {
		more, rerr := unix.ParseUnixRights(&list[i])
		if rerr != nil {
			err = errors.Join(err, wrong("a control message that carries no descriptors"))
			continue
		}
		fds = append(fds, more...)
	}
	for _, fd := range fds {
		unix.CloseOnExec(fd)
	}
	return fds, err
}

// reply is the answer to a message.
func reply(r request, payload []byte) []byte {
	le := binary.LittleEndian
	b := le.AppendUint32(nil, uint32(r))
	b = le.AppendUint32(b, version|flagReply)
	b = le.AppendUint32(b, uint32(len(payload)))
	return append(b, payload...)
}
