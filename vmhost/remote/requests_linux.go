package remote

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"sync"

	"piwork/vmhost/wire/resume"
)

// What is read of a message of FUSE: struct fuse_in_header, and where some requests say how
// large the answer may be. go-fuse makes room for that much before anybody looks at it.
const (
	headerIn, headerOut = 40, 16
	opcodeAt, uniqueAt  = 4, 8
	targetAt            = headerIn // fuse_interrupt_in: the request that nobody waits for any more
	uniqueOutAt         = 8
	maxXattr            = 64 << 10 // XATTR_SIZE_MAX and XATTR_LIST_MAX of Linux
)

// Opcodes of FUSE.
const (
	opForget      = 2
	opRead        = 15
	opGetxattr    = 22
	opListxattr   = 23
	opReaddir     = 28
	opInterrupt   = 36
	opIoctl       = 39
	opNotifyReply = 41
	opBatchForget = 42
	opReaddirPlus = 44
)

// sizes are where each request says how large its answer may be, and how large that is at most.
var sizes = map[uint32]struct{ at, most int }{
	opRead: {headerIn + 16, resume.MaxIO}, opReaddir: {headerIn + 16, resume.MaxIO}, opReaddirPlus: {headerIn + 16, resume.MaxIO},
	opGetxattr: {headerIn, maxXattr}, opListxattr: {headerIn, maxXattr}, opIoctl: {headerIn + 28, maxXattr},
}

// maxPending is how many requests are answered at once; more wait. Each takes up to 2*MaxIO of
// memory, and a thread while its answer is not taken.
const maxPending = 256

// pending are the requests of another computer that are not answered yet: true for one that
// was interrupted.
type pending struct {
	mu     sync.Mutex
	change *sync.Cond
	asked  map[uint64]bool
	over   bool
}

func newPending() *pending {
	q := &pending{asked: map[uint64]bool{}}
	q.change = sync.NewCond(&q.mu)
	return q
}

// requests passes whole messages from the stream on. The end of the stream is none of its
// errors.
func (q *pending) requests(to io.Writer, from io.Reader) error {
	b := make([]byte, resume.MaxMessage)
	for {
		if _, err := io.ReadFull(from, b[:4]); err != nil {
			return nil
		}
		n := int(binary.NativeEndian.Uint32(b))
		if n < headerIn || n > len(b) {
			return fmt.Errorf("%w: a request of FUSE of %d bytes", resume.ErrProtocol, n)
		}
		if _, err := io.ReadFull(from, b[4:n]); err != nil {
			return nil
		}
		pass, err := q.ask(b[:n])
		if err != nil {
			return err
		}
		if !pass {
			continue
		}
		if _, err := to.Write(b[:n]); err != nil {
			return nil // the file server has ended
		}
	}
}

// ask notes a request, and waits for its turn. It refuses what no kernel asks for, and passes
// no interrupt on of what is answered already, or interrupted.
func (q *pending) ask(b []byte) (pass bool, err error) {
	op, unique := binary.NativeEndian.Uint32(b[opcodeAt:]), binary.NativeEndian.Uint64(b[uniqueAt:])
	if size, ok := sizes[op]; ok && len(b) >= size.at+4 {
		if n := binary.NativeEndian.Uint32(b[size.at:]); uint64(n) > uint64(size.most) {
			return false, fmt.Errorf("%w: a request of FUSE (%d) for %d bytes", resume.ErrProtocol, op, n)
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case slices.Contains([]uint32{opForget, opBatchForget, opNotifyReply}, op): // they have no answer
		return true, nil
	case op == opInterrupt && len(b) >= targetAt+8:
		target := binary.NativeEndian.Uint64(b[targetAt:])
		interrupted, is := q.asked[target]
		if is = is && !interrupted; is {
			q.asked[target] = true
		}
		return is, nil
	}
	for len(q.asked) >= maxPending && !q.over {
		q.change.Wait()
	}
	if _, twice := q.asked[unique]; twice {
		return false, fmt.Errorf("%w: two requests of FUSE of one number", resume.ErrProtocol)
	}
	q.asked[unique] = false
	return true, nil
}

// answers passes whole messages to the stream on. The first one is about the connection
// (fuse_init_out): it is not to promise more than fits.
func (q *pending) answers(to io.Writer, from io.Reader) error {
	defer q.end()
	b := make([]byte, 2*resume.MaxMessage)
	for first := true; ; first = false {
		n, err := from.Read(b)
		if err != nil {
			return err
		}
		if n == 0 {
			return io.EOF
		}
		if first {
			boundInit(b[:n])
		}
		if _, err := to.Write(b[:n]); err != nil {
			return err
		}
		if n >= headerOut {
			q.answered(binary.NativeEndian.Uint64(b[uniqueOutAt:]))
		}
	}
}

// answered notes an answer. One to an interrupt, whose number is the next after that of its
// request (Linux's FUSE_INT_REQ_BIT), says that it came too early: the kernel sends it again.
func (q *pending) answered(unique uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, is := q.asked[unique]; is {
		delete(q.asked, unique)
		q.change.Signal()
	} else if _, is := q.asked[unique&^1]; is {
		q.asked[unique&^1] = false
	}
}

// end lets go of who waits.
func (q *pending) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.over = true
	q.change.Broadcast()
}
