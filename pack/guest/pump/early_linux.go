package pump

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"golang.org/x/sys/unix"

	"piwork/pack/guest/boot"
	"piwork/vmhost/wire"
)

// early answers the kernel's client while no host serves, and tells a host the
// same conversation later: the share is mounted before a machine is saved, and
// belongs to the host that a restored machine finds.
//
// It knows what mounting takes (Tversion, Tattach, and Tgetattr of the root) and
// what unmounting takes. What the client was told must be what the host says;
// else nothing but mounting anew is honest.
type early struct {
	asked [earlyFrames]exchange // in the order of the constants below
	fid   uint32                // of the root, once it is attached
	odd   bool                  // the client went beyond what can be told again
}

// exchange is a request of the client, and what it was answered.
type exchange struct{ request, reply []byte }

// The requests that a host is told.
const (
	earlyVersion = iota
	earlyAttach
	earlyGetattr
	earlyFrames
)

// Messages of 9P2000.L: a reply is its request plus one.
const (
	rError   = 7
	tGetattr = 24
	tVersion = 100
	tAttach  = 104
	tClunk   = 120
)

// Sizes and places in frames, in bytes.
const (
	frameHead  = 7       // size[4] type[1] tag[2]
	earlyFrame = 4 << 10 // more than any of the frames here is long
	qidSize    = 13      // type[1] version[4] path[8]
	validSize  = 8       // of Rgetattr, before the qid
	modeSize   = 12      // mode[4] uid[4] gid[4], after it
	qidDir     = 0x80
)

const protocol = "9P2000.L"

// noRoot is a fid that no client uses (P9_NOFID).
const noRoot = 1<<32 - 1

var errFrame = errors.New("not a 9p message")

// cutFrame takes the first message off b; nil is not all of one.
func cutFrame(b []byte) (frame, rest []byte, err error) {
	if len(b) < 4 {
		return nil, b, nil
	}
	size := binary.LittleEndian.Uint32(b)
	if size < frameHead || size > earlyFrame {
		return nil, b, errFrame
	}
	if len(b) < int(size) {
		return nil, b, nil
	}
	return b[:size], b[size:], nil
}

// answer returns the reply to a request of the client.
func (e *early) answer(request []byte) []byte {
	typ, body := request[4], request[frameHead:]
	le := binary.LittleEndian
	switch {
	case typ == tVersion && len(body) == 4+2+len(protocol) && string(body[6:]) == protocol && le.Uint32(body) >= wire.MinMSize && le.Uint32(body) <= wire.MaxMSize:
		*e = early{fid: noRoot} // as any Tversion, it begins anew
		return e.note(earlyVersion, request, body)
	case typ == tAttach && len(body) >= 8 && e.fid == noRoot && e.asked[earlyVersion].reply != nil:
		e.fid = le.Uint32(body)
		return e.note(earlyAttach, request, rootQID())
	case typ == tGetattr && len(body) == 12 && e.fid != noRoot && le.Uint32(body) == e.fid:
		return e.note(earlyGetattr, request, rootAttr())
	case typ == tClunk && len(body) == 4 && e.fid != noRoot && le.Uint32(body) == e.fid:
		e.fid, e.odd = noRoot, true
		return earlyReply(request, typ+1, nil)
	}
	e.odd = true
	return earlyReply(request, rError, le.AppendUint32(nil, uint32(unix.EIO)))
}

func (e *early) note(which int, request, body []byte) []byte {
	reply := earlyReply(request, request[4]+1, body)
	e.asked[which] = exchange{bytes.Clone(request), reply}
	return reply
}

func earlyReply(request []byte, typ byte, body []byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(frameHead+len(body)))
	b = append(b, typ, request[5], request[6])
	return append(b, body...)
}

// rootQID is what the host's file server says that the root of the folders is,
// but for a version that means nothing here.
func rootQID() []byte {
	b := []byte{qidDir, 0, 0, 0, 0}
	return binary.LittleEndian.AppendUint64(b, wire.FoldersNumber)
}

// rootAttr is its attributes. Only those are looked at that decide who may do
// what: the kernel asks for the others each time.
func rootAttr() []byte {
	const basic = 0x7ff // P9_STATS_BASIC
	le := binary.LittleEndian
	b := append(le.AppendUint64(nil, basic), rootQID()...)
	for _, v := range []uint32{unix.S_IFDIR | 0o555, boot.UserID, boot.GroupID} {
		b = le.AppendUint32(b, v)
	}
	for _, v := range []uint64{2, 0, 0, 4096, 0} { // links, device, size, block, blocks
		b = le.AppendUint64(b, v)
	}
	return append(b, make([]byte, 10*8)...) // times, generation, data version
}

// same reports whether a host's reply says what the client was told.
func (e *early) same(which int, got []byte) bool {
	want := e.asked[which].reply
	if len(got) != len(want) || !bytes.Equal(got[:frameHead], want[:frameHead]) {
		return false
	}
	got, want = got[frameHead:], want[frameHead:]
	switch which {
	case earlyAttach:
		return sameQID(got, want)
	case earlyGetattr:
		mode := validSize + qidSize
		return sameQID(got[validSize:], want[validSize:]) && bytes.Equal(got[mode:mode+modeSize], want[mode:mode+modeSize])
	}
	return bytes.Equal(got, want)
}

func sameQID(a, b []byte) bool { return a[0] == b[0] && bytes.Equal(a[5:qidSize], b[5:qidSize]) }

// serve answers the client until there is an order to read; io.EOF is that it
// unmounted. buf is more than a frame.
func (e *early) serve(client, order int, buf []byte) error {
	n := 0
	for {
		fds := [2]unix.PollFd{{Fd: int32(client), Events: unix.POLLIN}, {Fd: int32(order), Events: unix.POLLIN}}
		if _, err := unix.Poll(fds[:], -1); err != nil && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("poll: %w", err)
		}
		if fds[0].Revents == 0 {
			if fds[1].Revents != 0 {
				return nil
			}
			continue
		}
		m, errno := raw(unix.SYS_READ, client, buf[n:])
		switch {
		case errno == unix.EINTR || errno == unix.EAGAIN:
			continue
		case errno != 0:
			return fmt.Errorf("read: %w", errno)
		case m == 0:
			return io.EOF
		}
		n += m
		frame, rest, err := cutFrame(buf[:n])
		for ; frame != nil && err == nil; frame, rest, err = cutFrame(rest) {
			if err := writeAll(client, e.answer(frame)); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
		n = copy(buf, rest)
	}
}

// replay has the conversation again with a host, one message after the other as
// the protocol wants it. An error is that the mount is not the host's.
func (e *early) replay(host int, buf []byte) error {
	if e.odd {
		return errors.New("the client did more than mount")
	}
	for which := range e.asked {
		x := &e.asked[which]
		if x.request == nil {
			return errors.New("the client did not mount as expected")
		}
		if err := writeAll(host, x.request); err != nil {
			return err
		}
		n := 0
		for {
			m, err := gather(host, buf[n:earlyFrame], &place{})
			if err != nil {
				return err
			}
			n += m
			frame, rest, err := cutFrame(buf[:n])
			if err == nil && frame == nil {
				continue
			}
			if err != nil || len(rest) > 0 || !e.same(which, frame) {
				return errors.New("the host's folders are not what was expected")
			}
			break
		}
	}
	return nil
}
