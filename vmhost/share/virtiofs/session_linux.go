package virtiofs

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"log"
	"log/slog"
	"math"
	"runtime/debug"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fuse"

	"piwork/vmhost/share"
	"piwork/vmhost/share/internal/at"
)

// maxIO is what one request may read or write, bytes.
const maxIO = 1 << 20

// Requests that are treated apart (enum fuse_opcode).
const (
	opForget      = 2
	opReadlink    = 5
	opRead        = 15
	opWrite       = 16
	opSetxattr    = 21
	opGetxattr    = 22
	opListxattr   = 23
	opInit        = 26
	opReaddir     = 28
	opDestroy     = 38
	opBatchForget = 42
	opReaddirPlus = 44
)

// shortest is how long each request is at least, with its head, bytes. What is
// not here is ENOSYS, after which the guest's kernel does not ask again: locks
// (which it settles by itself), FLUSH (a write is with the host when it is
// answered), ACCESS, ioctls.
var shortest = [...]int{
	1: inHead, opForget: 48, 3: 56, 4: 128, opReadlink: inHead, 6: inHead, 8: 56, 9: 48, 10: inHead, 11: inHead, 12: 48, 13: 48,
	14: 48, opRead: readHead, opWrite: writeHead, 17: inHead, 18: 64, 20: 56, opSetxattr: 48, opGetxattr: 48, opListxattr: 48, 24: inHead, opInit: 104, 27: 48, opReaddir: readHead, 29: 64, 30: 56,
	35: 56, 36: 48, opDestroy: inHead, opBatchForget: 48, 43: 72, opReaddirPlus: readHead, 45: 56, 46: 64, 51: 56,
}

// The protocol that is spoken: Linux 5.4 says 7.31.
const (
	fuseMajor    = 7
	fuseMinMinor = 31
)

// Lengths of what requests and replies are made of, bytes.
const (
	inHead    = 40
	outHead   = 16
	readHead  = inHead + 40 // struct fuse_read_in
	writeHead = inHead + 40 // struct fuse_write_in
	sizeAt    = inHead + 16 // of struct fuse_read_in.size

	maxIn   = 16 << 10                // any request but WRITE: a symbolic link, two names
	maxOut  = 1 << 10                 // any reply but those of READ, READLINK and READDIR
	maxList = 64 << 10                // of READDIR, with its head
	maxAttr = 1<<10 + at.MaxAttrValue // SETXATTR, and the reply of GETXATTR, with everything
)

// longest is how long a request may be whose whole is copied.
func longest(op uint32) int {
	if op == opSetxattr {
		return maxAttr
	}
	return maxIn
}

// session is one mount: from an INIT to the next one, a DESTROY or the end.
type session struct {
	*fileSystem
	protocol *fuse.ProtocolServer
}

func newSession(set *share.Set, log *slog.Logger) *session {
	f := newFileSystem(set)
	return &session{f, fuse.NewProtocolServer(f, options(log))}
}

func options(logger *slog.Logger) *fuse.MountOptions {
	return &fuse.MountOptions{
		Name:          "folders",
		MaxWrite:      maxIO,
		MaxBackground: 64,
		DisableSplice: true,
		Logger:        log.New(io.Discard, "", 0), // of what guests do wrong, as much as they like
		ExtraCapabilities: fuse.CAP_ATOMIC_O_TRUNC | fuse.CAP_READDIRPLUS_AUTO |
			fuse.CAP_DIRECT_IO_ALLOW_MMAP | handleKillPriv,
		PanicHandler: func(v any) fuse.Status {
			logger.Error("virtio-fs: a request failed inside", "err", fmt.Sprint(v), "stack", string(debug.Stack()))
			return fuse.EIO
		},
	}
}

// handleKillPriv is FUSE_HANDLE_KILLPRIV_V2 of Linux: a change of content leaves no
// setuid bit and no capability, since there never are any here. Without it the
// guest's kernel asks for the capabilities of a file at each truncation.
const handleKillPriv = 1 << 28

// handle is the vhostuser.Handler.
func (s *server) handle(read, write [][]byte) ([]byte, int) {
	r, no := parse(read)
	switch {
	case r.op == opForget || r.op == opBatchForget:
		write = nil // there is no reply
	case len(r.in) < inHead:
		return nil, 0 // nobody to answer
	}
	m := s.session.Load()
	if r.op == opInit {
		m = newSession(s.set, s.log)
	}
	if no == 0 && m == nil {
		no = syscall.ENOTCONN
	}
	if no != 0 {
		return r.failure(no), 0
	}
	parts := [][]byte{r.in}
	if r.op == opWrite {
		parts = after(read, parts, len(r.in))
	}
	if r.op == opRead {
		return m.read(r, write)
	}
	out := make([]byte, min(room(r.op), length(write)))
	n, code := m.protocol.HandleRequest(parts, [][]byte{out})
	if !code.Ok() {
		return r.failure(syscall.EIO), 0
	}
	s.follow(r.op, m, out[:n])
	return out[:n], 0
}

// follow begins and ends mounts.
func (s *server) follow(op uint32, m *session, reply []byte) {
	switch {
	case op == opInit && len(reply) >= outHead && binary.LittleEndian.Uint32(reply[4:]) == 0:
		if old := s.session.Swap(m); old != nil {
			old.close()
		}
	case op == opInit:
		m.close()
	case op == opDestroy && s.session.CompareAndSwap(m, nil):
		m.close()
	}
}

// request is one of the guest, as far as it was copied.
type request struct {
	in     []byte // all of it, or of a WRITE what comes before the content
	op     uint32
	unique uint64
}

// Numbers and names that go-fuse keeps for a purpose of its own.
const (
	ownNode = math.MaxUint64
	ownName = ".go-fuse-epoll-hack"
)

// parse copies what is looked at of a request, and says what is wrong with it.
func parse(read [][]byte) (r request, no syscall.Errno) {
	total := length(read)
	r.in = make([]byte, min(total, writeHead))
	gather(r.in, read)
	if total < inHead {
		return r, syscall.EIO
	}
	le := binary.LittleEndian
	r.op, r.unique = le.Uint32(r.in[4:]), le.Uint64(r.in[8:])
	switch {
	case r.op >= uint32(len(shortest)) || shortest[r.op] == 0:
		return r, syscall.ENOSYS
	case int(le.Uint32(r.in)) != total || total < shortest[r.op] || r.op != opWrite && total > longest(r.op):
		return r, syscall.EIO
	}
	if r.op != opWrite && total > writeHead {
		whole := make([]byte, total)
		gather(whole[copy(whole, r.in):], after(read, nil, len(r.in)))
		r.in = whole // its beginning is what was looked at
	}
	node := le.Uint64(r.in[16:])
	switch {
	case node == ownNode, node == fuse.FUSE_ROOT_ID && bytes.Contains(r.in, []byte(ownName)):
		return r, syscall.ENOENT
	case r.op == opInit && (le.Uint32(r.in[inHead:]) != fuseMajor || le.Uint32(r.in[inHead+4:]) < fuseMinMinor):
		return r, syscall.EPROTO
	case r.op == opReaddir || r.op == opReaddirPlus:
		le.PutUint32(r.in[sizeAt:], min(le.Uint32(r.in[sizeAt:]), maxList-outHead))
	case r.op == opGetxattr || r.op == opListxattr:
		le.PutUint32(r.in[inHead:], min(le.Uint32(r.in[inHead:]), at.MaxAttrValue))
	}
	return r, 0
}

// head is the beginning of a reply of so many bytes in all.
func (r request) head(size int, no syscall.Errno) []byte {
	b := binary.LittleEndian.AppendUint32(make([]byte, 0, outHead), uint32(size))
	b = binary.LittleEndian.AppendUint32(b, uint32(-int32(no)))
	return binary.LittleEndian.AppendUint64(b, r.unique)
}

// room is the longest reply to a request, bytes.
func room(op uint32) int {
	switch op {
	case opReaddir, opReaddirPlus:
		return maxList
	case opReadlink:
		return outHead + syscall.PathMax
	case opGetxattr, opListxattr:
		return maxAttr
	}
	return maxOut
}

// failure is the reply that says what is wrong, if there is one to be.
func (r request) failure(no syscall.Errno) []byte {
	if r.op == opForget || r.op == opBatchForget {
		return nil
	}
	return r.head(outHead, no)
}

func length(bufs [][]byte) (n int) {
	for _, b := range bufs {
		n += len(b)
	}
	return n
}

// gather fills dst from buffers.
func gather(dst []byte, bufs [][]byte) {
	for _, b := range bufs {
		dst = dst[copy(dst, b):]
	}
}

// scatter fills buffers from src.
func scatter(bufs [][]byte, src []byte) {
	for _, b := range bufs {
		src = src[copy(b, src):]
	}
}

// after appends to out what comes after the first n bytes of buffers.
func after(bufs, out [][]byte, n int) [][]byte {
	for _, b := range bufs {
		k := min(n, len(b))
		if n -= k; k < len(b) {
			out = append(out, b[k:])
		}
	}
	return out
}
