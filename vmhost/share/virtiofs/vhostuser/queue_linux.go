package vhostuser

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"piwork/vmhost/share/internal/lead"
)

// DrainTime is how long the stop of a ring waits for requests under way. QEMU
// and with it the whole machine stand still meanwhile.
const DrainTime = 250 * time.Millisecond

// queue is a ring and what it is made of. Messages are dealt with one at a time
// (Serve); mu is for what the requests share with them.
type queue struct {
	dev   *device
	index int

	// Used by messages only.
	num     uint16
	base    uint16
	addr    ringAddr
	placed  bool // addr is known
	enabled bool
	kick    int             // -1: none
	loop    <-chan struct{} // closed when requests are not taken any more; nil while they are not

	mu     sync.Mutex
	call   int   // -1: nobody listens
	ring   *ring // nil: stopped
	parked *ring // as it was when it was stopped, with requests under way
	life   uint64
	flying int // requests of this life under way
	late   []finished
	idle   chan struct{} // closed when nothing flies; nil: nobody waits
	halted bool          // no request is to be taken
}

// taken is a request to deal with.
type taken struct {
	*chain
	life uint64
}

// finished is a request whose reply could not be delivered yet.
type finished struct {
	c     *chain
	reply []byte
	n     int
}

// update starts what can be started.
func (q *queue) update() error {
	if q.kick < 0 || !q.placed || !q.enabled || q.loop != nil {
		return nil
	}
	if err := q.open(); err != nil {
		return err
	}
	q.mu.Lock()
	q.halted = false
	q.mu.Unlock()
	l := &lead.Loop[taken]{Take: q.take, Deal: q.serve, Work: &q.dev.work}
	q.loop = l.Start()
	return nil
}

// open makes the ring usable, going on where it was parked when it is the same.
func (q *queue) open() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ring != nil {
		return nil
	}
	if q.dev.mem == nil {
		return wrong("ring %d is started before there is memory", q.index)
	}
	r, err := newRing(q.dev.mem, q.addr, q.num, q.base, q.dev.eventIdx)
	if err != nil {
		return err
	}
	p := q.parked
	q.parked = nil
	q.ring = r
	if p != nil && p.num == r.num && p.next == r.next && p.done == r.done {
		late := q.late
		q.late = nil
		for _, f := range late {
			q.deliver(f)
		}
		return nil
	}
	q.forget()
	return nil
}

// forget begins a new life: replies to what was asked before go nowhere. mu is
// held.
func (q *queue) forget() {
	for _, f := range q.late {
		f.c.mem.done()
	}
	q.life++
	q.flying, q.late = 0, nil
}

// halt ends the taking of requests. What is dealt with goes on.
func (q *queue) halt() {
	if q.loop == nil {
		return
	}
	q.mu.Lock()
	q.halted = true
	q.mu.Unlock()
	one := [8]byte{1}
	_, _ = unix.Write(q.kick, one[:]) // as the guest does; EAGAIN: nobody waits
	<-q.loop
	q.loop = nil
}

// park stops the ring and returns the index of the next request in it.
func (q *queue) park() uint16 {
	q.halt()
	q.mu.Lock()
	if q.ring == nil {
		q.mu.Unlock()
		return q.base
	}
	if q.flying > 0 {
		q.idle = make(chan struct{})
		wait := q.idle
		q.mu.Unlock()
		t := time.NewTimer(DrainTime)
		select {
		case <-wait:
		case <-t.C:
		}
		t.Stop()
		q.mu.Lock()
	}
	q.idle = nil
	q.parked, q.ring = q.ring, nil
	q.base = q.parked.next
	q.mu.Unlock()
	return q.base
}

// remap follows a new table of regions; mu is not held.
func (q *queue) remap(m *memory) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ring == nil {
		return nil
	}
	r, err := newRing(m, q.addr, q.num, q.ring.next, q.ring.eventIdx)
	if err != nil {
		return err
	}
	r.done, r.signalled, r.valid = q.ring.done, q.ring.signalled, q.ring.valid
	q.ring = r
	return nil
}

// take waits for a request.
func (q *queue) take() (t taken, more bool) {
	defer q.dev.guard()
	debug.SetPanicOnFault(true)
	for {
		t, more, err := q.next()
		if err != nil {
			q.dev.fail(err)
			return t, false
		}
		if !more || t.chain != nil {
			return t, more
		}
		if err := awaitKick(q.kick); err != nil {
			q.dev.fail(fmt.Errorf("vhost-user: kick of ring %d: %w", q.index, err))
			return t, false
		}
	}
}

// next takes a request off the ring, or none, in which case the guest kicks with
// the next one. While more than one is there, others deal with all but the last.
// It ends, whatever the guest does: no reply is delivered meanwhile, so that the
// ring fills up.
func (q *queue) next() (_ taken, more bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		if q.halted {
			return taken{}, false, nil
		}
		c, err := q.ring.pop()
		if err != nil {
			return taken{}, false, err
		}
		if c == nil {
			if q.ring.sleep() {
				continue
			}
			return taken{}, true, nil
		}
		if q.flying >= int(q.num) || !q.dev.begin() {
			return taken{}, false, wrong("more requests under way than ring %d has entries", q.index)
		}
		c.mem.use()
		q.flying++
		t := taken{c, q.life}
		if !q.ring.more() {
			return t, true, nil
		}
		q.dev.work.Go(func() { q.serve(t) })
	}
}

// awaitKick waits for the guest in the kernel: Go's poller would wake another
// thread for each request.
func awaitKick(kick int) error {
	fds := []unix.PollFd{{Fd: int32(kick), Events: unix.POLLIN}}
	for {
		if _, err := unix.Poll(fds, -1); err != nil && !errors.Is(err, unix.EINTR) {
			return err
		}
		var b [8]byte
		_, err := unix.Read(kick, b[:])
		if !errors.Is(err, unix.EINTR) && !errors.Is(err, unix.EAGAIN) {
			return err
		}
	}
}

// serve deals with one request.
func (q *queue) serve(t taken) {
	defer q.dev.end()
	defer q.dev.guard()
	debug.SetPanicOnFault(true)
	c := t.chain
	handled := false
	defer func() {
		if !handled {
			c.mem.done()
		}
	}()
	reply, n := q.dev.handle(c.read, c.write)
	handled = true
	q.finish(finished{c, reply, n}, t.life)
}

// finish delivers a reply, or keeps it while the ring is parked.
func (q *queue) finish(f finished, life uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case life != q.life:
		f.c.mem.done()
	case q.ring == nil:
		q.late = append(q.late, f)
	default:
		q.deliver(f)
	}
}

// deliver copies a reply to the guest, as much of it as there is room for, and
// says so. mu is held.
func (q *queue) deliver(f finished) {
	defer f.c.mem.done()
	n := f.n
	if f.reply != nil {
		n = 0
		for _, b := range f.c.write {
			n += copy(b, f.reply[n:])
		}
	}
	if q.flying--; q.flying == 0 && q.idle != nil {
		close(q.idle)
		q.idle = nil
	}
	if q.ring.push(f.c.head, n) {
		q.wake()
	}
}

// setKick takes over the descriptor by which the guest wakes the ring; fd may
// be -1.
func (q *queue) setKick(fd int) error {
	q.halt()
	q.dropKick()
	if fd < 0 {
		return wrong("ring %d without a kick", q.index) // it would have to be polled
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		_ = unix.Close(fd)
		return fmt.Errorf("vhost-user: kick of ring %d: %w", q.index, err)
	}
	q.kick = fd
	return q.update()
}

// dropKick closes it. Nobody waits for it.
func (q *queue) dropKick() {
	if q.kick >= 0 {
		_ = unix.Close(q.kick)
		q.kick = -1
	}
}

// setCall takes over the descriptor by which the guest is woken; fd may be -1.
func (q *queue) setCall(fd int) error {
	if fd >= 0 {
		if err := unix.SetNonblock(fd, true); err != nil {
			_ = unix.Close(fd)
			return fmt.Errorf("vhost-user: call of ring %d: %w", q.index, err)
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.call >= 0 {
		_ = unix.Close(q.call)
	}
	q.call = fd
	if q.ring != nil {
		q.wake() // for what was finished while nobody listened
	}
	return nil
}

// wake tells the guest to look at its used ring. mu is held.
func (q *queue) wake() {
	if q.call < 0 {
		return
	}
	one := [8]byte{1}
	// EAGAIN: the counter is full, so that the guest has been told.
	if _, err := unix.Write(q.call, one[:]); err != nil && !errors.Is(err, unix.EAGAIN) {
		q.dev.fail(fmt.Errorf("vhost-user: call of ring %d: %w", q.index, err))
	}
}

// close ends the queue. Requests under way go on, and their replies nowhere.
func (q *queue) close() {
	q.halt()
	q.mu.Lock()
	q.ring, q.parked = nil, nil
	q.forget()
	q.mu.Unlock()
	q.dropKick()
	_ = q.setCall(-1)
}
