//go:build vm && long && linux

package suites_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"piwork/pack/packtest"
	"piwork/vmhost/qemu/qemutest"
)

// envDeviceFuzz says for how long the device is fuzzed, envDeviceSeed with what, and
// envDeviceQEMU by which QEMU in place of the pack's: one with sanitizers finds more.
const (
	envDeviceFuzz = "PIWORK_TEST_FUZZ_DEVICE"
	envDeviceSeed = "PIWORK_TEST_FUZZ_SEED"
	envDeviceQEMU = "PIWORK_TEST_QEMU"
)

// Neither a guest's driver that does as it likes nor a server that lies at the same time ends
// the 9p device, has it hang, or has it write where it was not told to; and a driver that
// comes after that is served. No guest can say all of this, so there is none: the test is
// processor, driver and server. The seed of a failure plays it again, but for when the
// server's bytes arrive.
func TestDeviceIsFuzzed(t *testing.T) {
	packtest.Needs9P(t)
	image := qemutest.PackImage(t)
	long := time.Minute
	if s := os.Getenv(envDeviceFuzz); s != "" {
		d, err := time.ParseDuration(s)
		if err != nil {
			t.Fatal(err)
		}
		long = d
	}
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv(envDeviceSeed); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seed = n
	}
	if program := os.Getenv(envDeviceQEMU); program != "" {
		image.Program = []string{program}
	}
	b, err := startBare(t.Context(), image, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := &deviceFuzz{bare: b, count: map[string]int{}}
	defer func() {
		if f.server != nil {
			_ = f.server.Close()
		}
		b.over(t, recover(), fmt.Sprintf("seed %d, the last steps: %q", seed, f.steps))
	}()
	b.find()
	for began := time.Now(); time.Since(began) < long; seed++ {
		f.round(seed)
	}
	for _, name := range slices.Sorted(maps.Keys(f.count)) {
		t.Logf("%s: %d", name, f.count[name])
	}
	for _, must := range []string{"request", "reply", "given back", "connected", "round", "broken", "the device hung up"} {
		if f.count[must] == 0 {
			t.Errorf("never: %s", must)
		}
	}
}

// Requests have a slot each: descriptors, a table of such, and memory.
const (
	slots        = 16
	slotDescs    = ringSize / slots
	slotIndirect = 0x13_0000
	slotMemory   = 0x20_0000
	slotSize     = 0x4_0000
	slotReply    = slotSize / 2
	guardSize    = 64 // bytes behind the place of a reply
	guardByte    = 0xee
)

// asked is a request that the server has got.
type asked struct {
	kind byte
	tag  uint16
}

type deviceFuzz struct {
	*bare
	*rand.Rand
	count map[string]int
	steps []string // the last ones

	avail, seen uint16            // requests that were made, and that were given back
	room        map[uint16]uint32 // of those that are under way, for a reply, by head
	lied        bool              // nothing is known of this round any more
	server      net.Conn
	got, rest   []byte // what the server got of a request, and still has to send of a reply
	asked       []asked
}

func (f *deviceFuzz) note(what string) {
	f.count[what]++
	f.steps = append(f.steps[max(0, len(f.steps)-80):], what)
}

func (f *deviceFuzz) chance(percent int) bool { return f.IntN(100) < percent }

// round is a driver from its beginning to its end, and then one that is honest.
func (f *deviceFuzz) round(seed uint64) {
	f.Rand = rand.New(rand.NewPCG(seed, 9))
	f.note("round")
	f.begin()
	for range 1 + f.IntN(100) {
		switch n := f.IntN(100); {
		case n < 45:
			f.request()
		case n < 60:
			f.serve(time.Millisecond)
		case n < 80:
			f.reply()
		case n < 82:
			f.hangUp()
		case n < 86:
			f.connect()
		case n < 88:
			f.begin()
		case n < 89:
			f.note("queue reset")
			f.set16(queueSelect, 0)
			f.set16(queueReset, 1)
			f.lied = true
		case n < 91:
			f.note("noise")
			f.set32(4*f.IntN(15), f.Uint32())
			f.lied = true
		default:
			f.check()
			if f.status()&statusNeedsReset != 0 {
				f.note("broken")
				if f.chance(80) {
					f.begin()
				}
			}
		}
	}
	f.check()
	f.honest()
}

// begin resets the device and begins anew.
func (f *deviceFuzz) begin() {
	f.note("reset")
	f.drive(f.Uint64()&(1<<bitIndirect|1<<bitEventIndex|1<<bitRingReset), ringSize)
	f.avail, f.seen, f.lied = 0, 0, false
	f.room = map[uint16]uint32{}
}

// message is a request of 9P.
func message(kind byte, tag uint16, size int) []byte {
	m := binary.LittleEndian.AppendUint32(nil, uint32(size))
	m = binary.LittleEndian.AppendUint16(append(m, kind), tag)
	return append(m, make([]byte, max(0, size-len(m)))...)[:max(size, 0)]
}

// request puts one into the queue, or what only looks like one.
func (f *deviceFuzz) request() {
	slot := uint64(f.IntN(slots))
	head := uint16(slot * slotDescs)
	if _, busy := f.room[head]; busy && !f.chance(3) {
		return
	} else if busy {
		f.lied = true
	}
	f.note("request")
	kind, tag := []byte{116, 118, 108, 24, 100, byte(f.Uint32())}[f.IntN(6)], uint16(f.IntN(40))
	if kind == 100 {
		tag = math.MaxUint16
	}
	size := 7 + f.IntN(40)
	if f.chance(5) {
		size = 7 + f.IntN(slotReply-7)
	}
	m := message(kind, tag, size)
	if kind == 108 && size >= 9 {
		binary.LittleEndian.PutUint16(m[7:], uint16(f.IntN(40)))
	}
	room := uint32(11 + f.IntN(200))
	if f.chance(10) {
		room = uint32(11 + f.IntN(slotReply-guardSize-11))
	}
	switch f.IntN(40) {
	case 0:
		binary.LittleEndian.PutUint32(m, f.Uint32())
	case 1:
		m = m[:f.IntN(7)]
	case 2:
		room = uint32(f.IntN(11))
	case 3:
		binary.LittleEndian.PutUint16(m[5:], math.MaxUint16)
	}
	out := slotMemory + slot*slotSize
	in := out + slotReply
	f.write(out, m)
	f.fill(in, int(room)+guardSize, guardByte)
	chain := slices.Concat(f.parts(out, uint32(len(m)), 0), f.parts(in, room, flagWrite))
	f.room[head] = room
	f.put(slot, head, chain)
	at := f.avail % ringSize
	first := head
	if f.chance(1) {
		f.lied, first = true, uint16(f.Uint32())
	}
	f.write(ringAvail+4+2*uint64(at), binary.LittleEndian.AppendUint16(nil, first))
	f.avail++
	if f.chance(1) {
		f.lied = true
		f.avail += uint16(f.Uint32())
	}
	f.write(ringAvail+2, binary.LittleEndian.AppendUint16(nil, f.avail))
	if f.chance(90) {
		f.kick()
	}
}

// parts are descriptors of so many bytes.
func (f *deviceFuzz) parts(at uint64, size uint32, flags uint16) (out []descriptor) {
	for range f.IntN(3) {
		if n := f.Uint32N(size + 1); n > 0 {
			out = append(out, descriptor{addr: at, size: n, flags: flags})
			at, size = at+uint64(n), size-n
		}
	}
	if size > 0 {
		out = append(out, descriptor{addr: at, size: size, flags: flags})
	}
	return out
}

// put writes the descriptors of a slot, some of which are wrong.
func (f *deviceFuzz) put(slot uint64, head uint16, chain []descriptor) {
	indirect, at, first := f.chance(30), ringDesc+16*uint64(head), head
	if indirect {
		at, first = slotIndirect+16*slotDescs*slot, 0
	}
	var table []byte
	for i, d := range chain {
		if i < len(chain)-1 {
			d.flags, d.next = d.flags|flagNext, first+uint16(i)+1
		}
		if f.chance(2) {
			f.note("a wrong descriptor")
			f.lied = true
			switch f.IntN(6) {
			case 0:
				d.addr = []uint64{0, math.MaxUint64, math.MaxUint64 - uint64(d.size), bareMemory, 64<<20 - 1, ringUsed, ringDesc, f.common + uint64(f.IntN(64)), f.notify, f.Uint64()}[f.IntN(10)]
			case 1:
				d.size = []uint32{0, math.MaxUint32, 1 << 20, 64 << 20, f.Uint32()}[f.IntN(5)]
			case 2:
				d.flags ^= 1 << f.IntN(4)
			case 3:
				d.next, d.flags = uint16(f.IntN(ringSize*2)), d.flags|flagNext
			case 4:
				d.flags |= flagIndirect
			default:
				d = descriptor{f.Uint64(), f.Uint32(), uint16(f.Uint32()), uint16(f.Uint32())}
			}
		}
		table = d.append(table)
	}
	f.write(at, table)
	if indirect {
		size := uint32(len(table))
		if f.chance(3) {
			f.lied, size = true, f.Uint32N(1<<16)
		}
		f.write(ringDesc+16*uint64(head), descriptor{at, size, flagIndirect, 0}.append(nil))
	}
}

// connect has the server come.
func (f *deviceFuzz) connect() {
	if f.server != nil {
		return
	}
	f.note("connected")
	began := time.Now()
	c, err := net.DialTimeout("unix", f.bare.server, answerWithin)
	for errors.Is(err, syscall.EAGAIN) && time.Since(began) < answerWithin { // those before were not accepted yet
		f.uses()
		c, err = net.DialTimeout("unix", f.bare.server, answerWithin)
	}
	if err != nil {
		failBare("%w", err)
	}
	f.server, f.got, f.rest, f.asked = c, nil, nil, nil
}

func (f *deviceFuzz) hangUp() {
	if f.server != nil {
		f.note("hung up")
		_ = f.server.Close()
		f.server = nil
	}
}

// serve has the server read what is there. What it gets are whole requests, whatever the
// driver says.
func (f *deviceFuzz) serve(within time.Duration) {
	if f.server == nil {
		return
	}
	buf := make([]byte, 64<<10)
	if err := f.server.SetReadDeadline(time.Now().Add(within)); err != nil {
		failBare("%w", err)
	}
	n, err := f.server.Read(buf)
	f.got = append(f.got, buf[:n]...)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = nil
	}
	for len(f.got) >= 7 {
		size := binary.LittleEndian.Uint32(f.got)
		if size < 7 || size > 1<<20 {
			failBare("the server got a request of %d bytes", size)
		}
		if uint32(len(f.got)) < size {
			break
		}
		f.asked = append(f.asked, asked{f.got[4], binary.LittleEndian.Uint16(f.got[5:])})
		f.got = f.got[size:]
		f.note("served")
	}
	if err != nil {
		if errors.Is(err, io.EOF) {
			f.note("the device hung up")
		}
		f.hangUp()
	}
}

// reply has the server answer something, wholly or not, or lie.
func (f *deviceFuzz) reply() {
	if f.server == nil {
		return
	}
	data := f.rest
	if len(data) == 0 {
		if len(f.asked) == 0 && !f.chance(5) {
			return
		}
		a := asked{byte(f.Uint32()), uint16(f.IntN(60))}
		if len(f.asked) > 0 && !f.chance(2) {
			i := f.IntN(len(f.asked))
			a = f.asked[i]
			f.asked = slices.Delete(f.asked, i, i+1)
		}
		size := 7 + f.IntN(60)
		if f.chance(10) {
			size = 7 + f.IntN(slotReply)
		}
		data = message(a.kind+1, a.tag, size)
		switch f.IntN(50) {
		case 0:
			binary.LittleEndian.PutUint32(data, f.Uint32N(1<<21))
		case 1:
			data[4] = byte(f.Uint32())
		case 2:
			binary.LittleEndian.PutUint32(data, f.Uint32N(7))
		}
		f.note("reply")
	}
	n := len(data)
	if f.chance(20) {
		n = f.IntN(n + 1)
	}
	if err := f.server.SetWriteDeadline(time.Now().Add(time.Second)); err != nil {
		failBare("%w", err)
	}
	n, err := f.server.Write(data[:n])
	f.rest = data[n:]
	if err != nil {
		f.hangUp()
	}
}

// check looks at what was given back.
func (f *deviceFuzz) check() {
	if f.lied {
		return
	}
	for uses := f.uses(); f.seen != uses; f.seen++ {
		head, size := f.used(f.seen)
		room, asked := f.room[uint16(head)]
		if !asked || head > math.MaxUint16 || size > room {
			failBare("given back: request %d of %v with %d bytes", head, f.room, size)
		}
		at := slotMemory + uint64(head/slotDescs)*slotSize + slotReply
		if guard := f.read(at+uint64(room), guardSize); !bytes.Equal(guard, bytes.Repeat([]byte{guardByte}, guardSize)) {
			failBare("the device wrote behind the %d bytes of request %d: %x", room, head, guard)
		}
		delete(f.room, uint16(head))
		f.note("given back")
	}
}

// honest has a new driver and a new server understand one another.
func (f *deviceFuzz) honest() {
	f.hangUp()
	f.connect()
	f.begin()
	m := message(100, math.MaxUint16, 21)
	const room = 64
	for began := time.Now(); ; {
		f.write(slotMemory, m)
		f.fill(slotMemory+slotReply, room+guardSize, guardByte)
		f.write(ringDesc, descriptor{slotMemory + slotReply, room, flagWrite, 0}.append(descriptor{slotMemory, uint32(len(m)), flagNext, 1}.append(nil)))
		f.room[0] = room
		f.write(ringAvail+4+2*uint64(f.avail%ringSize), []byte{0, 0})
		f.avail++
		f.write(ringAvail+2, binary.LittleEndian.AppendUint16(nil, f.avail))
		f.kick()
		for len(f.room) > 0 { // until it is given back
			f.serve(time.Millisecond)
			if f.server == nil {
				failBare("the device hung up on an honest server")
			}
			if len(f.asked) > 0 {
				f.asked = nil
				if _, err := f.server.Write(m); err != nil {
					failBare("%w", err)
				}
			}
			f.check()
			if time.Since(began) > answerWithin {
				failBare("an honest driver is not answered")
			}
		}
		// The server may come late: then the device says EIO in its place.
		if got := f.read(slotMemory+slotReply, len(m)); bytes.Equal(got, m) {
			return
		} else if got[4] != 7 {
			failBare("an honest driver got %x", got)
		}
	}
}
