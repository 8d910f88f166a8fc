package vhostuser

import (
	"encoding/binary"
	"sync/atomic"
	"unsafe"
)

// Bounds of a ring. A longer chain, or more bytes in either direction, is not
// what a driver makes of a device that says what it takes.
const (
	MaxQueue = 1024           // entries of a ring, and descriptors of a chain
	MaxBytes = 1<<20 + 64<<10 // of a request, and of its reply
)

// Parts of a split ring (Virtio 1.2 §2.7.5, §2.7.6, §2.7.8).
const (
	descLen = 16

	flagNext     = 1
	flagWrite    = 2
	flagIndirect = 4

	availNoInterrupt = 1

	availHead = 4 // flags, idx: 16 bits each
	usedHead  = 4
	usedLen   = 8
	eventPad  = 4 // an event index of 16 bits is read and written in its 32-bit word
)

// ring is one split ring in the guest's memory. Its own indexes are here; the
// guest's are read where they are, once each time. It is used under the lock of
// its queue.
type ring struct {
	mem      *memory
	num      uint16
	desc     []byte
	avail    []byte
	used     []byte
	eventIdx bool // VIRTIO_F_EVENT_IDX was agreed on

	next      uint16 // of the available ring
	done      uint16 // of the used ring
	signalled uint16
	valid     bool // signalled is known
}

// ringAddr is where a ring is, in addresses of QEMU.
type ringAddr struct{ desc, used, avail uint64 }

// newRing looks at the ring at an address of QEMU. The memory must stay in use
// for as long as the ring is.
func newRing(mem *memory, a ringAddr, num uint16, base uint16, eventIdx bool) (*ring, error) {
	if num == 0 || num > MaxQueue || num&(num-1) != 0 {
		return nil, wrong("a ring of %d entries", num)
	}
	if a.desc%16 != 0 || a.avail%4 != 0 || a.used%4 != 0 {
		return nil, wrong("a ring at odd addresses (%+v)", a)
	}
	r := &ring{mem: mem, num: num, next: base, eventIdx: eventIdx}
	var err error
	if r.desc, err = mem.user(a.desc, descLen*uint64(num)); err != nil {
		return nil, err
	}
	if r.avail, err = mem.user(a.avail, availHead+2*uint64(num)+eventPad); err != nil {
		return nil, err
	}
	if r.used, err = mem.user(a.used, usedHead+usedLen*uint64(num)+eventPad); err != nil {
		return nil, err
	}
	r.done = uint16(atomic.LoadUint32(word(r.used, 0)) >> 16)
	return r, nil
}

// word is the 32-bit word at i, which is a multiple of four as is the beginning
// of b. Loads and stores of it are ordered (sync/atomic), which the rings need
// between processors; a plain load or store of 16 bits is not.
func word(b []byte, i int) *uint32 {
	_ = b[i+3]
	return (*uint32)(unsafe.Pointer(&b[i]))
}

// chain is a request of the guest: its buffers, in the guest's memory, which
// the guest can change at any time.
type chain struct {
	head  uint16
	read  [][]byte // what the guest sent
	write [][]byte // where the reply goes
	mem   *memory
}

// pop takes the next chain off the ring, or none. An error means that there is
// no going on with this ring.
func (r *ring) pop() (*chain, error) {
	idx := uint16(atomic.LoadUint32(word(r.avail, 0)) >> 16)
	if idx == r.next {
		return nil, nil
	}
	if idx-r.next > r.num {
		return nil, wrong("%d requests available in a ring of %d", idx-r.next, r.num)
	}
	head := binary.LittleEndian.Uint16(r.avail[availHead+2*int(r.next%r.num):])
	if head >= r.num {
		return nil, wrong("request %d in a ring of %d", head, r.num)
	}
	r.next++
	return r.walk(head)
}

// descriptor is a copy of one in the guest's memory.
type descriptor struct {
	addr  uint64
	size  uint32
	flags uint16
	next  uint16
}

func readDescriptor(table []byte, i uint16) descriptor {
	var d [descLen]byte
	copy(d[:], table[int(i)*descLen:])
	le := binary.LittleEndian
	return descriptor{le.Uint64(d[:]), le.Uint32(d[8:]), le.Uint16(d[12:]), le.Uint16(d[14:])}
}

// walk follows a chain of descriptors.
func (r *ring) walk(head uint16) (*chain, error) {
	c := &chain{head: head, mem: r.mem}
	table, at, num := r.desc, head, uint32(r.num)
	if d := readDescriptor(table, head); d.flags&flagIndirect != 0 {
		if d.flags&(flagNext|flagWrite) != 0 || d.size == 0 || d.size%descLen != 0 || d.size > MaxQueue*descLen {
			return nil, wrong("a table of descriptors of %d bytes with flags %#x", d.size, d.flags)
		}
		parts, err := r.mem.guest(nil, d.addr, uint64(d.size))
		if err != nil {
			return nil, err
		}
		// A copy: the table can lie across regions, and does not change any more.
		table = make([]byte, 0, d.size)
		for _, p := range parts {
			table = append(table, p...)
		}
		at, num = 0, d.size/descLen
	}
	var in, out uint64
	for count := uint32(1); ; count++ {
		d := readDescriptor(table, at)
		switch {
		case d.flags&^(flagNext|flagWrite) != 0:
			return nil, wrong("a descriptor with flags %#x", d.flags)
		case d.size == 0:
			return nil, wrong("a descriptor of nothing")
		case d.flags&flagWrite == 0 && len(c.write) > 0:
			return nil, wrong("a request that goes on after its reply")
		}
		into, sum := &c.read, &in
		if d.flags&flagWrite != 0 {
			into, sum = &c.write, &out
		}
		if *sum += uint64(d.size); *sum > MaxBytes {
			return nil, wrong("a request of more than %d bytes", MaxBytes)
		}
		var err error
		if *into, err = r.mem.guest(*into, d.addr, uint64(d.size)); err != nil {
			return nil, err
		}
		if d.flags&flagNext == 0 {
			return c, nil
		}
		if uint32(d.next) >= num || count >= num {
			return nil, wrong("a chain of descriptors without an end")
		}
		at = d.next
	}
}

// sleep asks the guest for a kick with its next request, and reports whether
// there is one already.
func (r *ring) sleep() (more bool) {
	if r.eventIdx {
		w := word(r.used, usedHead+usedLen*int(r.num))
		for {
			old := atomic.LoadUint32(w)
			if atomic.CompareAndSwapUint32(w, old, old&^0xffff|uint32(r.next)) {
				break
			}
		}
	}
	return r.more()
}

// more reports whether another request is there.
func (r *ring) more() bool { return uint16(atomic.LoadUint32(word(r.avail, 0))>>16) != r.next }

// push puts a finished chain, with so many bytes of reply, on the used ring,
// and reports whether the guest wants to hear of it.
func (r *ring) push(head uint16, n int) (notify bool) {
	at := usedHead + usedLen*int(r.done%r.num)
	binary.LittleEndian.PutUint32(r.used[at:], uint32(head))
	binary.LittleEndian.PutUint32(r.used[at+4:], uint32(n))
	r.done++
	// Flags 0: kicks are wanted. A swap, because the guest's event must be read
	// after it: a store is no full barrier under the race detector.
	atomic.SwapUint32(word(r.used, 0), uint32(r.done)<<16)
	if !r.eventIdx {
		return atomic.LoadUint32(word(r.avail, 0))&availNoInterrupt == 0
	}
	event := uint16(atomic.LoadUint32(word(r.avail, availHead+2*int(r.num))))
	notify = !r.valid || needEvent(event, r.done, r.signalled)
	r.signalled, r.valid = r.done, true
	return notify
}

// needEvent is vring_need_event (Virtio 1.2 §2.7.7.1): the index went past event
// on the way from old to new.
func needEvent(event, new, old uint16) bool { return new-event-1 < new-old }
