package vhostuser_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"piwork/vmhost/share/virtiofs/vhostuser"
	"piwork/vmhost/share/virtiofs/vhostuser/vhostusertest"
)

// device is a Serve that runs, with a front end.
type device struct {
	*vhostusertest.Front
	t      testing.TB
	cancel context.CancelFunc
	done   chan error
}

func serve(t testing.TB, handle vhostuser.Handler) *device {
	t.Helper()
	a, b := vhostusertest.Pair(t)
	ctx, cancel := context.WithCancel(context.Background())
	d := &device{t: t, cancel: cancel, done: make(chan error, 1)}
	go func() { d.done <- vhostuser.Serve(ctx, b, vhostuser.Options{Queues: 2}, handle) }()
	d.Front = vhostusertest.New(t, a, 2, 256)
	t.Cleanup(cancel)
	return d
}

// up does everything up to a driver that may ask.
func (d *device) up() {
	d.t.Helper()
	d.Hello()
	d.Memory()
	d.Start()
}

// end waits for Serve to return.
func (d *device) end() error {
	d.t.Helper()
	select {
	case err := <-d.done:
		return err
	case <-time.After(vhostusertest.Patience):
		d.t.Fatal("Serve does not return")
		return nil
	}
}

// echo answers with what was asked, after a word that says so.
func echo(read, _ [][]byte) ([]byte, int) {
	return append([]byte("you said: "), bytes.Join(read, nil)...), 0
}

func (d *device) ask(ring int, text string) {
	d.t.Helper()
	got, err := d.Rings[ring].Do([]byte(text), 200)
	if err != nil || string(got) != "you said: "+text {
		d.t.Fatalf("asked %q, answered %q, %v", text, got, err)
	}
}

func TestRequests(t *testing.T) {
	d := serve(t, echo)
	d.up()
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 300 {
				text := fmt.Sprintf("%d of %d", i, w)
				got, err := d.Rings[w%2].Do([]byte(text), 100)
				if err != nil || string(got) != "you said: "+text {
					t.Errorf("asked %q, answered %q, %v", text, got, err)
					return
				}
			}
		})
	}
	wg.Wait()
	d.Conn.Close()
	if err := d.end(); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

func TestHandlerThatWritesItself(t *testing.T) {
	d := serve(t, func(_, write [][]byte) ([]byte, int) {
		return nil, copy(write[0], "abc")
	})
	d.up()
	if got, err := d.Rings[1].Do([]byte("x"), 100); err != nil || string(got) != "abc" {
		t.Errorf("answered %q, %v", got, err)
	}
}

func TestIndirect(t *testing.T) {
	d := serve(t, echo)
	d.up()
	const table, text, out = 8 << 20, 9 << 20, 10 << 20
	copy(d.Mem[text:], "hello")
	r := d.Rings[1]
	r.PutAt(table, vhostusertest.Descriptor{Addr: vhostusertest.GuestBase + text, Len: 5, Flags: 1, Next: 1})
	r.PutAt(table+16, vhostusertest.Descriptor{Addr: vhostusertest.GuestBase + out, Len: 50, Flags: 2})
	r.Put(200, vhostusertest.Descriptor{Addr: vhostusertest.GuestBase + table, Len: 32, Flags: 4})
	r.Push(200)
	wait(t, "a reply", func() bool { return r.Used() == 1 })
	if got := string(d.Mem[out : out+15]); got != "you said: hello" {
		t.Errorf("answered %q", got)
	}
}

func wait(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(vhostusertest.Patience); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("there is no %s", what)
		}
	}
}

// A machine that pauses stops the rings, with a request under way that waits
// for a person, and goes on where it was.
func TestPause(t *testing.T) {
	release, begun := make(chan struct{}), make(chan struct{})
	d := serve(t, func(read, write [][]byte) ([]byte, int) {
		if string(read[0]) == "wait" {
			close(begun)
			<-release
		}
		return echo(read, write)
	})
	d.up()
	d.ask(1, "one")
	call := d.Rings[1].Go([]byte("wait"), 100)
	<-begun
	base := d.Stop()
	if base[1] != 2 {
		t.Errorf("the ring stands at %d after two requests", base[1])
	}
	close(release)
	time.Sleep(20 * time.Millisecond) // the reply should have had time to go wrong
	if used := d.Rings[1].Used(); used != 1 {
		t.Errorf("%d replies on a stopped ring", used)
	}
	d.Memory()
	d.Start(base...)
	if got, err := call.Wait(vhostusertest.Patience); err != nil || string(got) != "you said: wait" {
		t.Errorf("after the pause: %q, %v", got, err)
	}
	d.ask(1, "two")
	for range 5 {
		d.Start(d.Stop()...)
		d.ask(0, "again")
	}
}

// A request that still runs when the machine goes on is answered then.
func TestPauseShorterThanARequest(t *testing.T) {
	release, begun := make(chan struct{}), make(chan struct{})
	d := serve(t, func(read, write [][]byte) ([]byte, int) {
		close(begun)
		<-release
		return echo(read, write)
	})
	d.up()
	call := d.Rings[1].Go([]byte("wait"), 100)
	<-begun
	d.Start(d.Stop()...)
	close(release)
	if got, err := call.Wait(vhostusertest.Patience); err != nil || string(got) != "you said: wait" {
		t.Errorf("after the pause: %q, %v", got, err)
	}
}

// After a reset nothing of what was asked before reaches the guest.
func TestReset(t *testing.T) {
	release, begun, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	d := serve(t, func(read, write [][]byte) ([]byte, int) {
		if string(read[0]) == "wait" {
			close(begun)
			<-release
			defer close(ended)
		}
		return echo(read, write)
	})
	d.up()
	d.Rings[1].Go([]byte("wait"), 100)
	<-begun
	d.Stop()
	d.Reset()
	d.Start()
	d.ask(1, "first")
	close(release)
	<-ended
	d.ask(1, "second")
	if used := d.Rings[1].Used(); used != 2 {
		t.Errorf("%d replies to two requests", used)
	}
}

func TestMemoryIsReplaced(t *testing.T) {
	d := serve(t, echo)
	d.up()
	for i := range 20 {
		d.Memory()
		d.ask(i%2, "still there?")
	}
}

// QEMU masks and unmasks interrupts while a ring runs.
func TestMask(t *testing.T) {
	d := serve(t, echo)
	d.up()
	for range 3 {
		d.ask(1, "one")
		d.Rings[1].Mask(true)
		call := d.Rings[1].Go([]byte("two"), 100)
		wait(t, "reply", func() bool { return d.Rings[1].Used() > 1 })
		d.Rings[1].Mask(false)
		d.ask(1, "three")
		if _, err := call.Wait(vhostusertest.Patience); err != nil {
			t.Error(err)
		}
	}
}

// fds counts the open descriptors of this process.
func fds(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

func TestDescriptorsAreClosed(t *testing.T) {
	before := 0
	for i := range 3 {
		t.Run("", func(t *testing.T) {
			d := serve(t, echo)
			d.up()
			d.ask(1, "x")
			if i == 1 { // descriptors where none belong
				fd := int(d.File.Fd())
				_, _ = d.Send(1, nil, false, fd, fd, fd)
			}
			if i == 2 {
				payload, list := d.Regions()
				payload[8] = 1 // no whole page
				_, _ = d.Send(5, payload, false, list...)
			}
			d.Conn.Close()
			_ = d.end()
		})
		now := fds(t)
		if i > 0 && now > before {
			t.Errorf("%d descriptors are open, before %d", now, before)
		}
		before = max(before, now)
	}
}

func TestPanicEndsTheConnection(t *testing.T) {
	d := serve(t, func(_, _ [][]byte) ([]byte, int) { panic("a fault") })
	d.up()
	d.Rings[1].Go([]byte("x"), 100)
	var p *vhostuser.PanicError
	if err := d.end(); !errors.As(err, &p) || p.Value != "a fault" {
		t.Errorf("Serve: %v", err)
	}
}

func TestMemoryThatIsCutOff(t *testing.T) {
	for _, size := range []int64{0, 5 << 20} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			d := serve(t, echo)
			d.up()
			d.ask(1, "x")
			at := d.Rings[1].At
			d.Rings[1].Put(0, vhostusertest.Descriptor{Addr: vhostusertest.GuestBase + 6<<20, Len: 5})
			binary.LittleEndian.PutUint16(d.Mem[at+16<<10+4+2:], 0)
			binary.LittleEndian.PutUint16(d.Mem[at+16<<10+2:], 2)
			if err := d.File.Truncate(size); err != nil {
				t.Fatal(err)
			}
			d.Rings[1].Kick()
			var p *vhostuser.PanicError
			if err := d.end(); !errors.As(err, &p) {
				t.Errorf("Serve: %v", err)
			}
			_ = d.File.Truncate(vhostusertest.Size) // for the driver's own clean-up
		})
	}
}

func TestEndWithARequestUnderWay(t *testing.T) {
	a, b := vhostusertest.Pair(t)
	ctx, cancel := context.WithCancel(context.Background())
	release, begun := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- vhostuser.Serve(ctx, b, vhostuser.Options{Queues: 1, Patience: time.Millisecond}, func(_, _ [][]byte) ([]byte, int) {
			close(begun)
			<-release
			return nil, 0
		})
	}()
	f := vhostusertest.New(t, a, 1, 64)
	f.Hello()
	f.Memory()
	f.Start()
	f.Rings[0].Go([]byte("x"), 100)
	<-begun
	cancel()
	if err := <-done; err == nil {
		t.Error("Serve does not say that something still runs")
	}
	close(release)
}

// Messages that are none, each after an ordinary beginning.
func TestMessagesThatAreRefused(t *testing.T) {
	u32, u64 := vhostusertest.U32, vhostusertest.U64
	region := func(v ...uint64) []byte { return append(u32(1, 0), u64(v...)...) }
	const guest, user, mib = vhostusertest.GuestBase, vhostusertest.UserBase, 1 << 20
	type sent struct {
		request uint32
		payload []byte
		fds     int
	}
	for name, list := range map[string][]sent{
		"unknown":                     {{99, nil, 0}},
		"number 0":                    {{0, nil, 0}},
		"not agreed on":               {{37, make([]byte, 40), 1}},
		"too short":                   {{18, u32(1), 0}},
		"too long":                    {{18, u32(1, 1, 1), 0}},
		"payload where none is":       {{1, u64(0), 0}},
		"descriptor where none is":    {{1, nil, 1}},
		"too many descriptors":        {{1, nil, 30}},
		"features nobody offered":     {{2, u64(1<<34 | 1<<32), 0}},
		"an old device":               {{2, u64(1 << 30), 0}},
		"protocol features":           {{16, u64(1 << 15), 0}},
		"ring 2":                      {{18, u32(2, 1), 0}},
		"ring 2^32-1":                 {{8, u32(1<<32-1, 4), 0}},
		"kick of ring 9":              {{12, u64(9), 1}},
		"kick of ring 2^40":           {{12, u64(1 << 40), 1}},
		"kick without descriptor":     {{12, u64(0), 0}},
		"kick without, but with one":  {{12, u64(0x100), 1}},
		"a ring to be polled":         {{12, u64(0x100), 0}},
		"no entries":                  {{8, u32(0, 0), 0}},
		"three entries":               {{8, u32(0, 3), 0}},
		"2048 entries":                {{8, u32(0, 2048), 0}},
		"65536 entries":               {{8, u32(0, 65536), 0}},
		"base 65536":                  {{10, u32(0, 65536), 0}},
		"no region":                   {{5, u32(0, 0), 0}},
		"nine regions":                {{5, append(u32(9, 0), make([]byte, 9*32)...), 0}},
		"2^32-1 regions":              {{5, u32(1<<32-1, 0), 0}},
		"a region without descriptor": {{5, region(guest, mib, user, 0), 0}},
		"two descriptors":             {{5, region(guest, mib, user, 0), 2}},
		"an empty region":             {{5, region(guest, 0, user, 0), 1}},
		"an endless region":           {{5, region(guest, 1<<64-4096, user, 0), 1}},
		"round the end":               {{5, region(1<<64-4096, mib, user, 0), 1}},
		"round QEMU's end":            {{5, region(guest, mib, 1<<64-4096, 0), 1}},
		"behind the file":             {{5, region(guest, mib, user, vhostusertest.Size), 1}},
		"over the file's end":         {{5, region(guest, 2*vhostusertest.Size, user, 0), 1}},
		"offset 2^63":                 {{5, region(guest, mib, user, 1<<63), 1}},
		"no whole page":               {{5, region(guest+1, mib, user, 0), 1}},
		"overlap": {{5, append(append(u32(2, 0), u64(guest, 2*mib, user, 0)...),
			u64(guest+mib, mib, user+8*mib, 0)...), 2}},
		"twice the same": {{5, append(append(u32(2, 0), u64(guest, mib, user, 0)...),
			u64(guest, mib, user+8*mib, 0)...), 2}},
		"started without memory": {{8, u32(0, 4), 0}, {9, append(u32(0, 0), u64(user, user+32768, user+16384, 0)...), 0},
			{18, u32(0, 1), 0}, {12, u64(0), 1}},
	} {
		t.Run(name, func(t *testing.T) {
			d := serve(t, echo)
			d.Hello()
			for _, s := range list {
				var fds []int
				for range s.fds {
					fd, err := unix.Dup(int(d.File.Fd()))
					if s.request == 12 {
						fd, err = unix.Eventfd(0, unix.EFD_CLOEXEC)
					}
					if err != nil {
						t.Fatal(err)
					}
					defer unix.Close(fd)
					fds = append(fds, fd)
				}
				_, _ = d.Send(s.request, s.payload, false, fds...)
			}
			var p *vhostuser.ProtocolError
			if err := d.end(); !errors.As(err, &p) {
				t.Errorf("Serve: %v", err)
			}
		})
	}
}

// Rings that are placed where they must not be.
func TestPlaces(t *testing.T) {
	u32, u64 := vhostusertest.U32, vhostusertest.U64
	const user = vhostusertest.UserBase
	const half = user + vhostusertest.Size/2
	for name, a := range map[string][3]uint64{ // descriptors, used, available
		"nowhere":             {0, user + 32768, user + 16384},
		"used nowhere":        {user, 0, user + 16384},
		"available nowhere":   {user, user + 32768, 1 << 63},
		"before":              {user - 16, user + 32768, user + 16384},
		"at the end":          {user + vhostusertest.Size - 16, user + 32768, user + 16384},
		"used at the end":     {user, user + vhostusertest.Size - 2048, user + 16384},
		"over two regions":    {half - 16, user + 32768, user + 16384},
		"odd descriptors":     {user + 8, user + 32768, user + 16384},
		"odd available":       {user, user + 32768, user + 16386},
		"odd used":            {user, user + 32770, user + 16384},
		"at the highest byte": {1<<64 - 16, user + 32768, user + 16384},
	} {
		t.Run(name, func(t *testing.T) {
			d := serve(t, echo)
			d.Hello()
			d.Memory()
			fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
			if err != nil {
				t.Fatal(err)
			}
			defer unix.Close(fd)
			_, _ = d.Send(8, u32(0, 256), false)
			_, _ = d.Send(9, append(u32(0, 0), u64(a[0], a[1], a[2], 0)...), false)
			_, _ = d.Send(18, u32(0, 1), false)
			_, _ = d.Send(12, u64(0), false, fd)
			var p *vhostuser.ProtocolError
			if err := d.end(); !errors.As(err, &p) {
				t.Errorf("Serve: %v", err)
			}
		})
	}
}

// A ring that runs cannot be changed.
func TestChangesOfARingThatRuns(t *testing.T) {
	u32, u64 := vhostusertest.U32, vhostusertest.U64
	for name, m := range map[string][]byte{"num": u32(0, 4), "base": u32(0, 4), "addr": append(u32(0, 0), u64(1, 2, 3, 4)...)} {
		t.Run(name, func(t *testing.T) {
			d := serve(t, echo)
			d.up()
			_, _ = d.Send(map[string]uint32{"num": 8, "base": 10, "addr": 9}[name], m, false)
			var p *vhostuser.ProtocolError
			if err := d.end(); !errors.As(err, &p) {
				t.Errorf("Serve: %v", err)
			}
		})
	}
}

// What a guest writes into its ring.
func TestRingsThatAreRefused(t *testing.T) {
	desc := func(addr uint64, size uint32, flags, next uint16) vhostusertest.Descriptor {
		return vhostusertest.Descriptor{Addr: addr, Len: size, Flags: flags, Next: next}
	}
	const guest = vhostusertest.GuestBase
	good := desc(guest+8<<20, 10, 0, 0)
	for name, do := range map[string]func(r *vhostusertest.Ring){
		"a head outside":         func(r *vhostusertest.Ring) { r.Push(256) },
		"the highest head":       func(r *vhostusertest.Ring) { r.Push(65535) },
		"more than there can be": func(r *vhostusertest.Ring) { r.SetAvail(257) },
		"before the beginning":   func(r *vhostusertest.Ring) { r.SetAvail(65535) },
		"no memory":              func(r *vhostusertest.Ring) { r.Put(0, desc(0, 10, 0, 0)); r.Push(0) },
		"behind the memory":      func(r *vhostusertest.Ring) { r.Put(0, desc(guest+vhostusertest.Size, 1, 0, 0)); r.Push(0) },
		"over the end":           func(r *vhostusertest.Ring) { r.Put(0, desc(guest+vhostusertest.Size-5, 10, 0, 0)); r.Push(0) },
		"round the end":          func(r *vhostusertest.Ring) { r.Put(0, desc(1<<64-5, 10, 0, 0)); r.Push(0) },
		"nothing":                func(r *vhostusertest.Ring) { r.Put(0, desc(guest, 0, 0, 0)); r.Push(0) },
		"too much":               func(r *vhostusertest.Ring) { r.Put(0, desc(guest, 3<<20, 0, 0)); r.Push(0) },
		"4 GiB":                  func(r *vhostusertest.Ring) { r.Put(0, desc(guest, 1<<32-1, 0, 0)); r.Push(0) },
		"unknown flags":          func(r *vhostusertest.Ring) { good.Flags = 0x80; r.Put(0, good); r.Push(0) },
		"next outside":           func(r *vhostusertest.Ring) { good.Flags, good.Next = 1, 256; r.Put(0, good); r.Push(0) },
		"a circle":               func(r *vhostusertest.Ring) { good.Flags, good.Next = 1, 0; r.Put(0, good); r.Push(0) },
		"a circle of two": func(r *vhostusertest.Ring) {
			r.Put(0, desc(guest, 10, 1, 1))
			r.Put(1, desc(guest, 10, 1, 0))
			r.Push(0)
		},
		"too much in parts": func(r *vhostusertest.Ring) {
			for i := range uint16(200) {
				r.Put(i, desc(guest, 64<<10, 3, i+1))
			}
			r.Push(0)
		},
		"request after reply": func(r *vhostusertest.Ring) {
			r.Put(0, desc(guest, 10, 3, 1))
			r.Put(1, desc(guest, 10, 0, 0))
			r.Push(0)
		},
		"indirect, no table":     func(r *vhostusertest.Ring) { r.Put(0, desc(0, 32, 4, 0)); r.Push(0) },
		"indirect, empty":        func(r *vhostusertest.Ring) { r.Put(0, desc(guest, 0, 4, 0)); r.Push(0) },
		"indirect, odd":          func(r *vhostusertest.Ring) { r.Put(0, desc(guest, 17, 4, 0)); r.Push(0) },
		"indirect, long":         func(r *vhostusertest.Ring) { r.Put(0, desc(guest, 1<<20, 4, 0)); r.Push(0) },
		"indirect and next":      func(r *vhostusertest.Ring) { r.Put(0, desc(guest, 32, 5, 1)); r.Push(0) },
		"indirect to be written": func(r *vhostusertest.Ring) { r.Put(0, desc(guest, 32, 6, 1)); r.Push(0) },
		"indirect in the middle": func(r *vhostusertest.Ring) {
			r.Put(0, desc(guest, 10, 1, 1))
			r.Put(1, desc(guest, 32, 4, 0))
			r.Push(0)
		},
		"indirect in an indirect": func(r *vhostusertest.Ring) {
			r.PutAt(8<<20, desc(guest, 32, 4, 0))
			r.Put(0, desc(guest+8<<20, 16, 4, 0))
			r.Push(0)
		},
		"indirect, next outside": func(r *vhostusertest.Ring) {
			r.PutAt(8<<20, desc(guest, 32, 1, 1))
			r.Put(0, desc(guest+8<<20, 16, 4, 0))
			r.Push(0)
		},
		"indirect, a circle": func(r *vhostusertest.Ring) {
			r.PutAt(8<<20, desc(guest, 32, 1, 0))
			r.Put(0, desc(guest+8<<20, 16, 4, 0))
			r.Push(0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := serve(t, echo)
			d.up()
			good = desc(guest+8<<20, 10, 0, 0)
			do(d.Rings[1])
			var p *vhostuser.ProtocolError
			if err := d.end(); !errors.As(err, &p) {
				t.Errorf("Serve: %v", err)
			}
		})
	}
}

// A guest that asks without end and takes no reply, over and over.
func TestFlood(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	d := serve(t, func(_, _ [][]byte) ([]byte, int) { <-release; return nil, 0 })
	d.up()
	r := d.Rings[1]
	r.Put(0, vhostusertest.Descriptor{Addr: vhostusertest.GuestBase, Len: 10})
	r.Push(slices.Repeat([]uint16{0}, 256)...)
	for range 256 { // more than are allowed
		r.Push(0)
	}
	var p *vhostuser.ProtocolError
	select {
	case err := <-d.done:
		if !errors.As(err, &p) {
			t.Errorf("Serve: %v", err)
		}
	case <-time.After(2 * vhostusertest.Patience):
		t.Fatal("Serve does not return")
	}
}
