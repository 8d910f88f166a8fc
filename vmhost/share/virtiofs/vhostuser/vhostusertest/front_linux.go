package vhostusertest

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Where things are in the guest's memory, and where that memory is.
const (
	GuestBase = 0x4000_0000
	UserBase  = 0x7f00_0000_0000
	Size      = 64 << 20

	ringLen  = 64 << 10 // for each ring: descriptors, available, used
	availOff = 16 << 10
	usedOff  = 32 << 10
	slotBase = 4 << 20
	slotLen  = 2304 << 10
	slots    = 24

	// Features that are agreed on: indirect descriptors, event index, protocol
	// features and version 1.
	Features = 1<<28 | 1<<29 | 1<<30 | 1<<32

	// Patience is how long a test waits for what must happen.
	Patience = 20 * time.Second
)

// Front is a front end with the memory of a guest.
type Front struct {
	t     testing.TB
	Conn  *net.UnixConn
	Mem   []byte
	File  *os.File
	Rings []*Ring
	Num   int // entries of a ring

	mu   sync.Mutex // one message at a time
	slot chan int
}

// Ring is a ring as the guest's driver has it.
type Ring struct {
	f     *Front
	Index int
	At    int // offset in the memory
	kick  *os.File
	call  *os.File

	mu   sync.Mutex
	free []uint16
	wait map[uint16]chan uint32
	seen uint16
	done chan struct{}
}

// Pair returns two ends of a Unix socket.
func Pair(t testing.TB) (a, b *net.UnixConn) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out [2]*net.UnixConn
	for i, fd := range fds {
		f := os.NewFile(uintptr(fd), "socket")
		c, err := net.FileConn(f)
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		out[i] = c.(*net.UnixConn)
	}
	t.Cleanup(func() { out[0].Close(); out[1].Close() })
	return out[0], out[1]
}

// New returns a front end that has said nothing yet on conn.
func New(t testing.TB, conn *net.UnixConn, rings, num int) *Front {
	t.Helper()
	fd, err := unix.MemfdCreate("guest", unix.MFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	f := &Front{t: t, Conn: conn, File: os.NewFile(uintptr(fd), "guest"), Num: num, slot: make(chan int, slots)}
	if err := f.File.Truncate(Size); err != nil {
		t.Fatal(err)
	}
	if f.Mem, err = unix.Mmap(fd, 0, Size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
		t.Fatal(err)
	}
	for i := range slots {
		f.slot <- i
	}
	for i := range rings {
		r := &Ring{f: f, Index: i, At: i * ringLen}
		r.reset()
		f.Rings = append(f.Rings, r)
	}
	t.Cleanup(func() {
		f.Conn.Close()
		for _, r := range f.Rings {
			r.close()
		}
		f.File.Close()
		_ = unix.Munmap(f.Mem)
	})
	return f
}

// reset begins the ring anew, as a driver does after a reset of its device.
func (r *Ring) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.f.Mem[r.At : r.At+ringLen])
	r.free, r.wait, r.seen = nil, map[uint16]chan uint32{}, 0
	for i := range r.f.Num / 4 {
		r.free = append(r.free, uint16(i*4)) // four descriptors for each request
	}
}

// Send sends a message with descriptors. With reply it waits for the answer and
// returns its payload.
func (f *Front) Send(request uint32, payload []byte, reply bool, fds ...int) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	le := binary.LittleEndian
	b := le.AppendUint32(nil, request)
	b = le.AppendUint32(b, 1)
	b = le.AppendUint32(b, uint32(len(payload)))
	var oob []byte
	if len(fds) > 0 {
		oob = unix.UnixRights(fds...)
	}
	if _, _, err := f.Conn.WriteMsgUnix(append(b, payload...), oob, nil); err != nil {
		return nil, err
	}
	if !reply {
		return nil, nil
	}
	var h [12]byte
	_ = f.Conn.SetReadDeadline(time.Now().Add(Patience))
	if _, err := io.ReadFull(f.Conn, h[:]); err != nil {
		return nil, err
	}
	if got := le.Uint32(h[:]); got != request || le.Uint32(h[4:]) != 5 {
		return nil, fmt.Errorf("answer to message %d with flags %#x, asked %d", got, le.Uint32(h[4:]), request)
	}
	out := make([]byte, le.Uint32(h[8:]))
	_, err := io.ReadFull(f.Conn, out)
	return out, err
}

// Must is Send for messages that cannot fail.
func (f *Front) Must(request uint32, payload []byte, reply bool, fds ...int) []byte {
	f.t.Helper()
	b, err := f.Send(request, payload, reply, fds...)
	if err != nil {
		f.t.Fatalf("message %d: %v", request, err)
	}
	return b
}

// U32 and U64 make payloads.
func U32(v ...uint32) (b []byte) {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	return b
}

// U64 is the counterpart of U32.
func U64(v ...uint64) (b []byte) {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	return b
}

// Regions is the table of the guest's memory, in two regions of one file.
func (f *Front) Regions() (payload []byte, fds []int) {
	const half = Size / 2
	payload = append(U32(2, 0), U64(GuestBase, half, UserBase, 0)...)
	payload = append(payload, U64(GuestBase+half, half, UserBase+half, half)...)
	fd := int(f.File.Fd())
	return payload, []int{fd, fd}
}

// Hello does what QEMU does before the guest's driver is there.
func (f *Front) Hello() {
	f.t.Helper()
	f.Must(1, nil, true)
	f.Must(15, nil, true)
	f.Must(16, U64(1<<0|1<<3), false)
	f.Must(17, nil, true)
	f.Must(3, nil, false)
	f.Must(2, U64(Features), false)
}

// Memory tells of the guest's memory.
func (f *Front) Memory() {
	f.t.Helper()
	payload, fds := f.Regions()
	f.Must(5, payload, false, fds...)
}

// Start starts every ring at index base of its available ring.
func (f *Front) Start(base ...uint16) {
	f.t.Helper()
	for i, r := range f.Rings {
		var b uint16
		if i < len(base) {
			b = base[i]
		}
		r.Start(b)
	}
}

// Start starts one ring.
func (r *Ring) Start(base uint16) {
	f := r.f
	f.t.Helper()
	r.close()
	r.kick, r.call = eventfd(f.t), eventfd(f.t)
	i := uint32(r.Index)
	u := uint64(UserBase + r.At)
	f.Must(8, U32(i, uint32(f.Num)), false)
	f.Must(10, U32(i, uint32(base)), false)
	f.Must(9, append(U32(i, 0), U64(u, u+usedOff, u+availOff, 0)...), false)
	f.Must(12, U64(uint64(i)), false, int(r.kick.Fd()))
	f.Must(13, U64(uint64(i)), false, int(r.call.Fd()))
	f.Must(18, U32(i, 1), false)
	r.done = make(chan struct{})
	go r.listen(r.call, r.done)
}

// Mask takes away the descriptor by which the driver is woken, or gives it back.
func (r *Ring) Mask(on bool) {
	r.f.t.Helper()
	if on {
		r.f.Must(13, U64(uint64(r.Index)|0x100), false)
		return
	}
	r.f.Must(13, U64(uint64(r.Index)), false, int(r.call.Fd()))
}

// Stop disables every ring and returns where each stands, as QEMU does for a
// machine that pauses.
func (f *Front) Stop() (base []uint16) {
	f.t.Helper()
	for _, r := range f.Rings {
		f.Must(18, U32(uint32(r.Index), 0), false)
	}
	for _, r := range f.Rings {
		b := f.Must(11, U32(uint32(r.Index), 0), true)
		base = append(base, uint16(binary.LittleEndian.Uint32(b[4:])))
	}
	return base
}

// Reset makes the driver forget everything, after Stop.
func (f *Front) Reset() {
	for _, r := range f.Rings {
		r.reset()
	}
}

func eventfd(t testing.TB) *os.File {
	t.Helper()
	fd, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	return os.NewFile(uintptr(fd), "event")
}

func (r *Ring) close() {
	if r.call == nil {
		return
	}
	r.call.Close()
	r.kick.Close()
	<-r.done
	r.call, r.kick = nil, nil
}

func (r *Ring) word(off int) *uint32 { return (*uint32)(unsafe.Pointer(&r.f.Mem[r.At+off])) }

// listen gives the used entries to those who wait for them.
func (r *Ring) listen(call *os.File, done chan struct{}) {
	defer close(done)
	for {
		for _, tell := range r.collect() { // afterwards nothing here looks at the memory
			tell()
		}
		var b [8]byte
		if _, err := call.Read(b[:]); err != nil {
			return
		}
	}
}

// collect takes the used entries.
func (r *Ring) collect() (found []func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		idx := uint16(atomic.LoadUint32(r.word(usedOff)) >> 16)
		if idx == r.seen {
			// used_event: call with the next one; then look again.
			atomic.SwapUint32(r.word(availOff+4+2*r.f.Num), uint32(r.seen))
			if uint16(atomic.LoadUint32(r.word(usedOff))>>16) == r.seen {
				return found
			}
			continue
		}
		at := r.At + usedOff + 4 + 8*(int(r.seen)%r.f.Num)
		head := uint16(binary.LittleEndian.Uint32(r.f.Mem[at:]))
		n := binary.LittleEndian.Uint32(r.f.Mem[at+4:])
		r.seen++
		if ch := r.wait[head]; ch != nil {
			delete(r.wait, head)
			r.free = append(r.free, head)
			found = append(found, func() { ch <- n })
		}
	}
}

// Descriptor is one of a chain, by addresses of the guest.
type Descriptor struct {
	Addr  uint64
	Len   uint32
	Flags uint16
	Next  uint16
}

// Put writes a descriptor to the table of the ring.
func (r *Ring) Put(i uint16, d Descriptor) { r.PutAt(r.At+16*int(i), d) }

// PutAt writes a descriptor to the guest's memory.
func (r *Ring) PutAt(off int, d Descriptor) {
	b := r.f.Mem[off:]
	le := binary.LittleEndian
	le.PutUint64(b, d.Addr)
	le.PutUint32(b[8:], d.Len)
	le.PutUint16(b[12:], d.Flags)
	le.PutUint16(b[14:], d.Next)
}

// Push makes heads available, and kicks.
func (r *Ring) Push(heads ...uint16) {
	idx := uint16(atomic.LoadUint32(r.word(availOff)) >> 16)
	for _, h := range heads {
		binary.LittleEndian.PutUint16(r.f.Mem[r.At+availOff+4+2*(int(idx)%r.f.Num):], h)
		idx++
	}
	r.SetAvail(idx)
}

// SetAvail sets the index of the available ring, and kicks.
func (r *Ring) SetAvail(idx uint16) {
	atomic.StoreUint32(r.word(availOff), uint32(idx)<<16)
	r.Kick()
}

// Kick wakes the device.
func (r *Ring) Kick() {
	if _, err := r.kick.Write([]byte{1, 0, 0, 0, 0, 0, 0, 0}); err != nil {
		r.f.t.Errorf("kick: %v", err)
	}
}

// Used returns the index of the used ring.
func (r *Ring) Used() uint16 { return uint16(atomic.LoadUint32(r.word(usedOff)) >> 16) }

// Call is a request under way.
type Call struct {
	f    *Front
	slot int
	out  int
	n    chan uint32
}

// Go sends a request in a chain of three descriptors, of which the last two
// have room for 16 and size-16 bytes of reply, as the driver of virtio-fs does.
func (r *Ring) Go(request []byte, size int) *Call {
	f := r.f
	var slot int
	select {
	case slot = <-f.slot:
	case <-time.After(Patience):
		f.t.Error("no slot is free")
		return &Call{f: f}
	}
	at := slotBase + slot*slotLen
	copy(f.Mem[at:], request)
	out := at + slotLen/2
	clear(f.Mem[out : out+size])
	r.mu.Lock()
	head := r.free[0]
	r.free = slices.Delete(r.free, 0, 1)
	c := &Call{f: f, slot: slot, out: out, n: make(chan uint32, 1)}
	r.wait[head] = c.n
	d := Descriptor{Addr: GuestBase + uint64(at), Len: uint32(len(request))}
	switch {
	case size > 16:
		d.Flags, d.Next = 1, head+1
		r.Put(head+1, Descriptor{GuestBase + uint64(out), 16, 3, head + 2})
		r.Put(head+2, Descriptor{GuestBase + uint64(out) + 16, uint32(size - 16), 2, 0})
	case size > 0:
		d.Flags, d.Next = 1, head+1
		r.Put(head+1, Descriptor{GuestBase + uint64(out), uint32(size), 2, 0})
	}
	r.Put(head, d)
	r.Push(head)
	r.mu.Unlock()
	return c
}

// Wait returns the reply, or an error when none comes in time.
func (c *Call) Wait(d time.Duration) ([]byte, error) {
	select {
	case n := <-c.n: // never of a request that was not sent
		if n > slotLen/2 {
			return nil, fmt.Errorf("a reply of %d bytes", n)
		}
		b := append([]byte(nil), c.f.Mem[c.out:c.out+int(n)]...)
		c.f.slot <- c.slot
		return b, nil
	case <-time.After(d):
		return nil, os.ErrDeadlineExceeded
	}
}

// Do sends a request and returns its reply.
func (r *Ring) Do(request []byte, size int) ([]byte, error) {
	return r.Go(request, size).Wait(Patience)
}
