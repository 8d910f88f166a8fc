package vhostuser

import (
	"encoding/binary"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// Bits that are agreed on (vhost-user, "Protocol features"; Virtio 1.2 §6).
const (
	featureIndirect = 1 << 28
	featureEventIdx = 1 << 29
	featureProtocol = 1 << 30
	featureVersion1 = 1 << 32

	features = featureIndirect | featureEventIdx | featureProtocol | featureVersion1

	protocolMQ       = 1 << 0
	protocolReplyAck = 1 << 3

	protocolFeatures = protocolMQ | protocolReplyAck
)

// device is what one connection has set up.
type device struct {
	handle   Handler
	queues   []*queue
	mem      *memory
	eventIdx bool
	stop     func() // ends the connection

	flying atomic.Int64 // requests under way, of all lives of all queues
	work   sync.WaitGroup

	mu  sync.Mutex
	err error // the first that ended the connection
}

func newDevice(queues int, handle Handler, stop func()) *device {
	d := &device{handle: handle, stop: stop}
	for i := range queues {
		d.queues = append(d.queues, &queue{dev: d, index: i, kick: -1, call: -1})
	}
	return d
}

// fail ends the connection with an error.
func (d *device) fail(err error) {
	d.mu.Lock()
	if d.err == nil {
		d.err = err
	}
	d.mu.Unlock()
	d.stop()
}

func (d *device) failed() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

// guard makes of a panic the end of the connection. A fault in the guest's
// memory is one of them (debug.SetPanicOnFault).
func (d *device) guard() {
	if v := recover(); v != nil {
		d.fail(&PanicError{Value: v, Stack: debug.Stack()})
	}
}

// begin counts a request in, end counts it out. Lives that a guest ends with
// requests under way cannot add up without end.
func (d *device) begin() bool {
	if d.flying.Add(1) > int64(2*MaxQueue*len(d.queues)) {
		d.flying.Add(-1)
		return false
	}
	return true
}

func (d *device) end() { d.flying.Add(-1) }

// queue returns the ring that a message is about.
func (d *device) queue(index uint32) (*queue, error) {
	if uint64(index) >= uint64(len(d.queues)) {
		return nil, wrong("ring %d of %d", index, len(d.queues))
	}
	return d.queues[index], nil
}

// control does what a message says and returns the payload of its answer, if it
// has one of its own.
func (d *device) control(m *message) ([]byte, error) {
	switch m.request {
	case getFeatures:
		return u64(features), nil
	case setFeatures:
		return nil, d.setFeatures(m.u64(0))
	case getProtocolFeatures:
		return u64(protocolFeatures), nil
	case setProtocolFeatures:
		if f := m.u64(0); f&^protocolFeatures != 0 {
			return nil, wrong("protocol features %#x", f)
		}
		return nil, nil
	case setOwner:
		return nil, nil
	case getQueueNum:
		return u64(uint64(len(d.queues))), nil
	case setMemTable:
		return nil, d.setMemory(m)
	}
	index := m.u32(0)
	if m.request == setVringKick || m.request == setVringCall || m.request == setVringErr {
		index &= queueMask
	}
	q, err := d.queue(index)
	if err != nil {
		return nil, err
	}
	return d.onQueue(q, m)
}

func (d *device) setFeatures(f uint64) error {
	if f&^features != 0 || f&featureVersion1 == 0 {
		return wrong("features %#x", f)
	}
	d.eventIdx = f&featureEventIdx != 0
	return nil
}

// onQueue deals with messages about one ring.
func (d *device) onQueue(q *queue, m *message) ([]byte, error) {
	started := q.ring != nil // written by messages only
	switch m.request {
	case setVringKick, setVringCall, setVringErr:
		fd := -1
		if len(m.fds) > 0 {
			fd = m.take(0)
		}
		switch m.request {
		case setVringKick:
			return nil, q.setKick(fd)
		case setVringCall:
			return nil, q.setCall(fd)
		}
		if fd >= 0 {
			_ = unix.Close(fd) // what is wrong with a ring ends the connection
		}
		return nil, nil
	case setVringEnable:
		if q.enabled = m.u32(4) != 0; !q.enabled {
			q.halt()
			return nil, nil
		}
		return nil, q.update()
	case getVringBase:
		next := q.park()
		q.dropKick()
		return binary.LittleEndian.AppendUint32(append([]byte(nil), m.payload[:4]...), uint32(next)), nil
	}
	if started {
		return nil, wrong("message %d for ring %d, which runs", m.request, q.index)
	}
	switch m.request {
	case setVringNum:
		n := m.u32(4)
		if n == 0 || n > MaxQueue || n&(n-1) != 0 {
			return nil, wrong("a ring of %d entries", n)
		}
		q.num = uint16(n)
	case setVringBase:
		n := m.u32(4)
		if n > 0xffff {
			return nil, wrong("a ring that begins at %d", n)
		}
		q.base = uint16(n)
	case setVringAddr:
		q.addr = ringAddr{desc: m.u64(8), used: m.u64(16), avail: m.u64(24)}
		q.placed = true
		return nil, q.update()
	}
	return nil, nil
}

// setMemory replaces the guest's memory.
func (d *device) setMemory(m *message) error {
	mem, err := newMemory(m.payload, m.fds)
	if err != nil {
		return err
	}
	old := d.mem
	d.mem = mem
	for _, q := range d.queues {
		if err := q.remap(mem); err != nil {
			d.mem = old
			mem.done()
			return err
		}
	}
	if old != nil {
		old.done()
	}
	return nil
}

// close ends the device. Requests may still be under way.
func (d *device) close() {
	for _, q := range d.queues {
		q.close()
	}
	if d.mem != nil {
		d.mem.done()
		d.mem = nil
	}
}

func u64(v uint64) []byte { return binary.LittleEndian.AppendUint64(nil, v) }

// PanicError is a fault of this program, or of the guest's memory, in the middle
// of a request. It ends the connection.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("vhost-user: a request failed inside: %v", e.Value)
}
