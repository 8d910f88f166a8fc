package vhostuser

import (
	"encoding/binary"
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// FuzzMessage holds the parser of messages to its word: what it lets through
// can be dealt with, and anything else is a ProtocolError.
func FuzzMessage(f *testing.F) {
	u32 := func(v ...uint32) (b []byte) {
		for _, x := range v {
			b = binary.LittleEndian.AppendUint32(b, x)
		}
		return b
	}
	f.Add(u32(1, 1, 0), 0)
	f.Add(u32(18, 9, 8, 1, 1), 0)
	f.Add(u32(12, 1, 8, 1, 0), 1)
	f.Add(u32(9, 1, 40, 0, 0, 0x1000, 0, 0x3000, 0, 0x2000, 0, 0, 0), 0)
	f.Add(u32(5, 1, 40, 1, 0, 0, 0x1000, 0x10000, 0, 0x1000, 0, 0, 0), 1)
	f.Fuzz(func(t *testing.T, b []byte, fds int) {
		if len(b) < headLen {
			return
		}
		h, err := parseHead(b)
		if err == nil && len(b)-headLen >= h.size {
			m := &message{request: h.request, payload: b[headLen:][:h.size]}
			for range uint(fds) % (maxFDs + 2) {
				m.fds = append(m.fds, -1)
			}
			if err = m.check(); err == nil {
				d := newDevice(2, nil, func() {})
				if m.request == setMemTable {
					_, err = parseRegions(m.payload)
				} else if m.request != setVringKick { // takes descriptors over
					_, err = d.control(m)
				}
				d.close()
			}
		}
		if _, is := errors.AsType[*ProtocolError](err); err != nil && !is {
			t.Errorf("%T: %v", err, err)
		}
	})
}

// guestMemory is a table of two regions with a hole between them.
func guestMemory(t testing.TB, content []byte) *memory {
	const size = 64 << 10
	fd, err := unix.MemfdCreate("guest", unix.MFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	file := os.NewFile(uintptr(fd), "guest")
	defer file.Close()
	if err := file.Truncate(2 * size); err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteAt(content[:min(len(content), 2*size)], 0); err != nil {
		t.Fatal(err)
	}
	le := binary.LittleEndian
	table := le.AppendUint64(nil, 2)
	for _, v := range []uint64{0, size, 0x10000, 0, 4 * size, size, 0x10000 + 4*size, size} {
		table = le.AppendUint64(table, v)
	}
	m, err := newMemory(table, []int{fd, fd})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// FuzzRing walks rings in memory that a guest filled with anything.
func FuzzRing(f *testing.F) {
	const num = 16
	a := ringAddr{desc: 0x10000, avail: 0x10000 + 16*num, used: 0x10000 + 16*num + 64}
	ring := func(heads []uint16, descs ...uint64) []byte {
		b := make([]byte, 4096)
		for i, v := range descs {
			binary.LittleEndian.PutUint64(b[8*i:], v)
		}
		binary.LittleEndian.PutUint16(b[16*num+2:], uint16(len(heads)))
		for i, h := range heads {
			binary.LittleEndian.PutUint16(b[16*num+4+2*i:], h)
		}
		return b
	}
	meta := func(size uint32, flags, next uint16) uint64 {
		return uint64(size) | uint64(flags)<<32 | uint64(next)<<48
	}
	f.Add(ring([]uint16{0}, 0x800, meta(40, 1, 1), 0x900, meta(16, 2, 0)), uint16(0), true)
	f.Add(ring([]uint16{0, 0}, 0x800, meta(64, 4, 0)), uint16(0), false)
	f.Add(ring([]uint16{0}, 0xfff0, meta(64, 0, 0)), uint16(0), true)
	f.Add(ring([]uint16{0}, 0x800, meta(40, 1, 0)), uint16(0), true)
	f.Fuzz(func(t *testing.T, content []byte, base uint16, eventIdx bool) {
		m := guestMemory(t, content)
		defer m.done()
		r, err := newRing(m, a, num, base, eventIdx)
		if err != nil {
			t.Fatal(err) // the place is a right one
		}
		for range 2 * num {
			c, err := r.pop()
			if _, is := errors.AsType[*ProtocolError](err); err != nil && !is {
				t.Fatalf("%T: %v", err, err)
			}
			if err != nil || c == nil && !r.sleep() {
				return
			}
			if c == nil {
				continue
			}
			if c.head >= num || len(c.read)+len(c.write) == 0 || len(c.read)+len(c.write) > 2*MaxQueue {
				t.Fatalf("chain %d with %d and %d parts", c.head, len(c.read), len(c.write))
			}
			for _, list := range [][][]byte{c.read, c.write} {
				sum := 0
				for _, b := range list {
					sum += len(b)
					_ = b[0]
					_ = b[len(b)-1]
				}
				if sum > MaxBytes {
					t.Fatalf("%d bytes", sum)
				}
			}
			for _, b := range c.write {
				b[len(b)-1]++ // it is the guest's, whatever is there
			}
			r.push(c.head, 1)
		}
	})
}
