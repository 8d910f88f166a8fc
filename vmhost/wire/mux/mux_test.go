package mux

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/yamux"
)

// pair is a guest and a guarded host.
func pair(t testing.TB) (guest, host *yamux.Session) {
	t.Helper()
	a, b := net.Pipe()
	host, err := Host(Guard(a))
	if err == nil {
		guest, err = Guest(b)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = guest.Close(); _ = host.Close() })
	return guest, host
}

// echo says back what each stream says, after its end.
func echo(host *yamux.Session) {
	for {
		s, err := host.Accept()
		if err != nil {
			return
		}
		go func() {
			defer s.Close()
			b, _ := io.ReadAll(s)
			_, _ = s.Write(b)
		}()
	}
}

// One side may be closed while the other goes on, and nothing of a stream is left
// when both are: there can be any number one after another.
func TestHalfClose(t *testing.T) {
	guest, host := pair(t)
	go echo(host)
	large := bytes.Repeat([]byte("0123456789abcdef"), Window/4) // four windows
	for i := range 3 * MaxStreams {
		s, err := guest.Open()
		if err != nil {
			t.Fatal(err)
		}
		say := large[:1+i%100]
		if i == 0 {
			say = large
		}
		if _, err := s.Write(say); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(s); err != nil || !bytes.Equal(b, say) {
			t.Fatalf("stream %d: %d bytes of %d, %v", i, len(b), len(say), err)
		}
	}
	if n := guest.NumStreams(); n != 0 {
		t.Errorf("%d streams are left", n)
	}
}

// As many as are allowed at once work, from many goroutines.
func TestMaxStreams(t *testing.T) {
	guest, host := pair(t)
	go echo(host)
	var all sync.WaitGroup
	var streams []net.Conn
	for range MaxStreams {
		s, err := guest.Open()
		if err != nil {
			t.Fatal(err)
		}
		streams = append(streams, s)
	}
	for i, s := range streams {
		all.Go(func() {
			say := bytes.Repeat([]byte{byte(i)}, 100_000)
			_, err := s.Write(say)
			if err = errors.Join(err, s.Close()); err != nil {
				t.Error(err)
			}
			if b, err := io.ReadAll(s); err != nil || !bytes.Equal(b, say) {
				t.Errorf("stream %d: %d bytes, %v", i, len(b), err)
			}
		})
	}
	all.Wait()
	if _, err := guest.Open(); err != nil {
		t.Errorf("one after them: %v", err)
	}
}

// frame is a frame of a guest that says what it likes.
func frame(typ byte, flags uint16, stream, size uint32, payload ...byte) []byte {
	b := []byte{0, typ}
	b = binary.BigEndian.AppendUint16(b, flags)
	b = binary.BigEndian.AppendUint32(b, stream)
	return append(binary.BigEndian.AppendUint32(b, size), payload...)
}

func repeat(n int, f func(i uint32) []byte) (out []byte) {
	for i := range uint32(n) {
		out = append(out, f(i)...)
	}
	return out
}

// A guest that breaks the protocol ends its own connection, and nothing else.
func TestHostile(t *testing.T) {
	syn := func(i uint32) []byte { return frame(typeWindow, flagSYN, 2*i+1, 0) }
	for name, said := range map[string][]byte{
		"noise":                   bytes.Repeat([]byte("GET / HTTP/1.1\r\n"), 100),
		"zeros of another type":   frame(9, 0, 0, 0),
		"another version":         {7, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0},
		"unknown flags":           frame(typeData, 0x8001, 1, 0),
		"pings":                   repeat(10_000, func(i uint32) []byte { return frame(typePing, flagSYN, 0, i) }),
		"pings with all flags":    frame(typePing, flagSYN|flagACK, 0, 1),
		"too many streams":        repeat(MaxStreams+1, syn),
		"streams that end halves": repeat(MaxStreams+1, func(i uint32) []byte { return frame(typeWindow, flagSYN|flagFIN, 2*i+1, 0) }),
		"the same stream":         append(syn(0), syn(0)...),
		"an old number":           append(syn(5), syn(0)...),
		"an even number":          frame(typeWindow, flagSYN, 2, 0),
		"number nought":           frame(typeWindow, flagSYN, 0, 0),
		"a huge frame":            append(syn(0), frame(typeData, 0, 1, 1<<31)...),
		"a huge window":           append(syn(0), frame(typeWindow, 0, 1, 1<<31)...),
		"more than the window":    append(append(syn(0), frame(typeData, 0, 1, Window, make([]byte, Window)...)...), frame(typeData, 0, 1, 1, 1)...),
	} {
		t.Run(name, func(t *testing.T) {
			a, b := net.Pipe()
			before := runtime.NumGoroutine()
			host, err := Host(Guard(a))
			if err != nil {
				t.Fatal(err)
			}
			go func() { _, _ = b.Write(said) }() // and never reads
			select {
			case <-host.CloseChan():
			case <-time.After(20 * time.Second):
				t.Error("the connection goes on")
			}
			if n := runtime.NumGoroutine(); n > before+3*MaxStreams {
				t.Errorf("%d goroutines", n)
			}
			_ = b.Close()
			_ = host.Close()
		})
	}
}

// What the bridge never says and yet harms nobody is borne.
func TestBorne(t *testing.T) {
	a, b := net.Pipe()
	host, err := Host(Guard(a))
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	go func() { _, _ = io.Copy(io.Discard, b) }()
	for _, f := range [][]byte{
		frame(typeData, 0, 77, 3, 1, 2, 3), // of no stream
		frame(typeWindow, flagRST, 78, 0), frame(typeWindow, flagFIN, 79, 10), frame(typePing, flagACK, 0, 5),
		frame(typeData, flagSYN, 81, 2, 'h', 'i'),
	} {
		if _, err := b.Write(f); err != nil {
			t.Fatal(err)
		}
	}
	s, err := host.Accept()
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 2)
	if _, err := io.ReadFull(s, got); err != nil || string(got) != "hi" {
		t.Errorf("%q %v", got, err)
	}
}

// Whatever a guest says, the host goes on; a stream is never longer than what was
// said.
func FuzzHost(f *testing.F) {
	f.Add([]byte("\x00\x01\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x02hi"))
	f.Add(frame(typePing, flagSYN, 0, 1))
	f.Add(append(frame(typeWindow, flagSYN, 1, 9), frame(typeData, flagFIN, 1, 1, 'x')...))
	f.Add(frame(typeGoAway, 0, 0, 2))
	f.Fuzz(func(t *testing.T, said []byte) {
		a, b := net.Pipe()
		host, err := Host(Guard(a))
		if err != nil {
			t.Fatal(err)
		}
		var readers sync.WaitGroup
		accepted := make(chan struct{})
		go func() {
			defer close(accepted)
			for {
				s, err := host.Accept()
				if err != nil {
					return
				}
				readers.Go(func() {
					n, _ := io.Copy(io.Discard, s)
					if n > int64(len(said)) {
						t.Errorf("%d bytes of %d", n, len(said))
					}
					_ = s.Close()
				})
			}
		}()
		go func() { _, _ = io.Copy(io.Discard, b) }()
		_, _ = b.Write(said)
		if n := host.NumStreams(); n > MaxStreams {
			t.Errorf("%d streams", n)
		}
		_ = b.Close()
		<-host.CloseChan()
		<-accepted
		readers.Wait()
	})
}
