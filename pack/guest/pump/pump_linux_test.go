package pump

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"piwork/vmhost/wire"
)

func socket(t *testing.T) (ours int, other *os.File) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	other = os.NewFile(uintptr(fds[1]), "other")
	t.Cleanup(func() {
		unix.Close(fds[0])
		other.Close()
	})
	return fds[0], other
}

func TestTransfer(t *testing.T) {
	from, writer := socket(t)
	to, reader := socket(t)
	data := make([]byte, 5<<20)
	if _, err := rand.Read(data); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- transfer(to, from, make([]byte, 1000)) }()
	go func() {
		for rest := data; len(rest) > 0; { // in odd pieces
			n := min(len(rest), 7777)
			if _, err := writer.Write(rest[:n]); err != nil {
				return
			}
			rest = rest[n:]
		}
		writer.Close()
	}()
	got := make([]byte, len(data))
	if _, err := io.ReadFull(reader, got); err != nil || !bytes.Equal(got, data) {
		t.Errorf("the bytes are not the same: %v", err)
	}
	if err := <-done; !errors.Is(err, io.EOF) {
		t.Errorf("error = %v", err)
	}
}

func TestTransferIdle(t *testing.T) {
	from, writer := socket(t)
	to, reader := socket(t)
	done := make(chan error, 1)
	go func() { done <- transfer(to, from, make([]byte, 100)) }()
	<-time.After(5 * busyWait * time.Millisecond) // longer than it looks busily
	if _, err := writer.Write([]byte("late")); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 4)
	if _, err := io.ReadFull(reader, got); err != nil || string(got) != "late" {
		t.Errorf("%q, %v", got, err)
	}
	writer.Close()
	// It must not outlive the test: it waits in the kernel without the runtime
	// knowing, which a collection of garbage would wait for.
	if err := <-done; !errors.Is(err, io.EOF) {
		t.Errorf("error = %v", err)
	}
}

func TestTransferReaderGone(t *testing.T) {
	from, writer := socket(t)
	to, reader := socket(t)
	reader.Close()
	done := make(chan error, 1)
	go func() { done <- transfer(to, from, make([]byte, 100)) }()
	if _, err := writer.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-done:
		if err == nil {
			t.Error("no error")
		}
	case <-time.After(10 * time.Second):
		t.Error("it goes on")
	}
}

func TestGatherTakesWhatIsThere(t *testing.T) {
	from, writer := socket(t)
	for range 3 {
		if _, err := writer.Write([]byte("abc")); err != nil {
			t.Fatal(err)
		}
	}
	buf := make([]byte, 100)
	if n, err := gather(from, buf, &place{}); err != nil || string(buf[:n]) != "abcabcabc" {
		t.Errorf("%q, %v", buf[:n], err)
	}
	if _, err := writer.Write([]byte("stale answer")); err != nil {
		t.Fatal(err)
	}
	drain(from, buf)
	if _, err := writer.Write([]byte("new")); err != nil {
		t.Fatal(err)
	}
	if n, err := gather(from, buf, &place{}); err != nil || string(buf[:n]) != "new" {
		t.Errorf("%q, %v", buf[:n], err)
	}
}

// What is sent as messages arrives one by one when nothing else is there, and
// together when it is, whatever the pieces are.
func TestGatherMessages(t *testing.T) {
	from, writer := socket(t)
	buf := make([]byte, 100)
	var at place
	send := func(b ...byte) {
		t.Helper()
		if _, err := writer.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	for i, pieces := range [][][]byte{{{5, 0, 0, 0, 1}}, {{6, 0}, {0, 0, 1, 2}}, {{5, 0, 0, 0, 1, 7, 0, 0, 0, 1, 2, 3}}, {{8, 0, 0, 0, 1}, {2}, {3}, {4}}} {
		want := 0
		for _, p := range pieces {
			send(p...)
			want += len(p)
		}
		if n, err := gather(from, buf, &at); err != nil || n != want || at != (place{head: at.head}) {
			t.Errorf("%d: %d bytes of %d, %+v, %v", i, n, want, at, err)
		}
	}
}

func TestPlace(t *testing.T) {
	stream := []byte{5, 0, 0, 0, 9, 7, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 1}
	between := map[int]bool{5: true, 12: true, 16: true, 20: true} // sizes that cannot be are passed
	var at place
	for i := range stream {
		if got := at.pass(stream[i : i+1]); got != between[i+1] {
			t.Errorf("after %d bytes: %v", i+1, got)
		}
	}
	for cut := range stream {
		var at place
		if got := at.pass(stream[:cut]); got != (between[cut] || cut == 0) {
			t.Errorf("%d bytes at once: %v", cut, got)
		}
	}
}

func TestOrder(t *testing.T) {
	for want, p := range map[string]wire.MountParams{
		"trans=fd,version=9p2000.L,cache=mmap,access=any,msize=1048576":           {Kind: "9p", Path: "/folders/ü\n"},
		"trans=fd,version=9p2000.L,cache=mmap,access=any,msize=65536,aname=state": {Kind: "9p", Path: "/state", Export: "state", MSize: 65536},
	} {
		from, writer := pipe(t)
		go func() { // byte by byte
			for _, b := range []byte(orderFor(orderMount, p)) {
				if _, err := writer.Write([]byte{b}); err != nil {
					return
				}
			}
		}()
		if what, path, options, err := readOrder(from, make([]byte, maxOrder)); err != nil || what != orderMount || path != p.Path || options != want {
			t.Errorf("%q %q, %v, want %q", path, options, err, want)
		}
	}
	for name, text := range map[string]string{"none": "", "half": "/folders\x00trans=fd"} {
		from, writer := pipe(t)
		if _, err := writer.WriteString(text); err != nil {
			t.Fatal(err)
		}
		writer.Close()
		if _, _, _, err := readOrder(from, make([]byte, maxOrder)); !errors.Is(err, io.EOF) {
			t.Errorf("%s: %v", name, err)
		}
	}
	from, writer := pipe(t)
	go func() { _, _ = writer.Write(bytes.Repeat([]byte("x"), 2*maxOrder)) }()
	if _, _, _, err := readOrder(from, make([]byte, 4*maxOrder)); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("an order without end: %v", err)
	}
}

func pipe(t *testing.T) (from int, writer *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.Close()
		w.Close()
	})
	return int(r.Fd()), w // blocking from now on, as in the pump
}

func TestAwaitHost(t *testing.T) {
	fd, other := socket(t)
	if err := awaitHost(fd, time.Minute); err != nil {
		t.Errorf("a host that is there: %v", err)
	}
	other.Close()
	if err := awaitHost(fd, 50*time.Millisecond); err == nil {
		t.Error("a host that is away is there")
	}
}
