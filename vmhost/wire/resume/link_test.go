package resume

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// pair are two linked streams, and what is local on both sides.
func pair(t *testing.T, waits bool) (a, b *Link, here, there net.Conn) {
	t.Helper()
	here, ha := net.Pipe()
	there, tb := net.Pipe()
	a, b = New(ha, false), New(tb, waits)
	t.Cleanup(func() { a.Close(); b.Close(); here.Close(); there.Close() })
	return a, b, here, there
}

// cut is a transport that ends after some bytes.
type cut struct {
	net.Conn
	left int
	mu   sync.Mutex
}

func (c *cut) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, err := c.Conn.Write(p[:min(len(p), c.left)])
	if c.left -= n; err == nil && n < len(p) {
		c.Close()
		return n, io.ErrClosedPipe
	}
	return n, err
}

// However often the transport is cut, and wherever, all that was said arrives once.
func TestNothingIsLost(t *testing.T) {
	a, b, here, there := pair(t, false)
	random := rand.New(rand.NewPCG(1, 2))
	up, down := make([]byte, 2<<20), make([]byte, 1<<20)
	for _, all := range [][]byte{up, down} {
		for i := range all {
			all[i] = byte(random.Uint32())
		}
	}
	var work sync.WaitGroup
	var gotUp, gotDown []byte
	work.Go(func() { here.Write(up) })
	work.Go(func() { there.Write(down) })
	work.Go(func() { gotUp = make([]byte, len(up)); io.ReadFull(there, gotUp) })
	work.Go(func() { gotDown = make([]byte, len(down)); io.ReadFull(here, gotDown) })
	over := make(chan struct{})
	go func() { work.Wait(); close(over) }()
	cuts := 0
	for {
		x, y := net.Pipe()
		var ends sync.WaitGroup
		ends.Go(func() { a.Attach(&cut{Conn: x, left: random.IntN(80_000)}) })
		ends.Go(func() { b.Attach(y) })
		gone := make(chan struct{})
		go func() { ends.Wait(); close(gone) }()
		select {
		case <-gone:
			cuts++
			continue
		case <-over:
		}
		break
	}
	if !bytes.Equal(gotUp, up) || !bytes.Equal(gotDown, down) || cuts < 10 {
		t.Errorf("after %d cuts: up %v, down %v", cuts, bytes.Equal(gotUp, up), bytes.Equal(gotDown, down))
	}
	here.Close()
	<-a.Done()
	<-b.Done()
}

// The end is heard after all that was said before it, with its reason.
func TestEnd(t *testing.T) {
	a, b, here, there := pair(t, true)
	go func() { there.Write([]byte("last words")); there.Close(); b.End("it ended with 3") }()
	x, y := net.Pipe()
	go a.Attach(x)
	go b.Attach(y)
	if got, err := io.ReadAll(here); string(got) != "last words" || err != nil {
		t.Errorf("%q %v", got, err)
	}
	<-a.Done()
	<-b.Done()
	if text, ended := a.Ended(); text != "it ended with 3" || !ended {
		t.Errorf("%q %v", text, ended)
	}
}

// What is said without a transport is bounded: who says it waits.
func TestBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, local := net.Pipe()
		l := New(local, false)
		said := 0
		go func() {
			for {
				n, err := here.Write(make([]byte, 10_000))
				if said += n; err != nil {
					return
				}
			}
		}()
		synctest.Wait()
		if said < Window/2 || said > Window+maxData {
			t.Errorf("%d bytes are kept", said)
		}
		l.Close()
		here.Close()
	})
}

// A transport that is silent is given up; one that has nothing to say is not silent.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, local := net.Pipe()
		l := New(local, false)
		x, y := net.Pipe()
		go io.Copy(io.Discard, y)
		ended := make(chan error, 1)
		go func() { ended <- l.Attach(x) }()
		if err := <-ended; err == nil {
			t.Error("it is attached for good")
		}
		l.Close()
		here.Close()

		here2, local2 := net.Pipe()
		there2, far2 := net.Pipe()
		m, n := New(local2, false), New(far2, false)
		x, y = net.Pipe()
		go func() { ended <- m.Attach(x) }()
		go n.Attach(y)
		select {
		case err := <-ended:
			t.Errorf("given up: %v", err)
		case <-afterQuiet():
		}
		m.Close()
		n.Close()
		here2.Close()
		there2.Close()
		<-ended
	})
}

// queued is how much a tested Link has to send.
const queued = 300_000

// Whoever breaks the rules loses the transport.
func TestHostile(t *testing.T) {
	hello := number(frameHello, 0)
	for name, says := range map[string][]byte{
		"no hello":                  frame(frameData, []byte("x")),
		"two of them":               append(bytes.Clone(hello), hello...),
		"it received what was not":  number(frameHello, 200_000),
		"a hello of another length": frame(frameHello, []byte("x")),
		"it took what was not":      append(bytes.Clone(hello), number(frameTaken, queued+1)...),
		"it took what was not sent": append(bytes.Clone(hello), number(frameTaken, 200_000)...),
		"an unknown frame":          append(bytes.Clone(hello), frame('x', nil)...),
		"no data":                   append(bytes.Clone(hello), frame(frameData, nil)...),
		"a length of 4 GiB":         append(bytes.Clone(hello), 'D', 255, 255, 255, 255),
		"it heard no end":           append(bytes.Clone(hello), frame(frameHeard, nil)...),
		"a long reason":             append(bytes.Clone(hello), frame(frameEnd, make([]byte, maxText+1))...),
		"data after the end":        bytes.Join([][]byte{hello, frame(frameData, []byte("x")), frame(frameEnd, nil), frame(frameData, []byte("x"))}, nil),
		"more than the window":      append(bytes.Clone(hello), bytes.Repeat(frame(frameData, make([]byte, maxData)), 2+Window/maxData)...),
	} {
		t.Run(name, func(t *testing.T) {
			here, local := net.Pipe()
			l := New(local, true)
			defer here.Close()
			defer l.Close()
			here.Write(make([]byte, queued))
			x, y := net.Pipe()
			go io.CopyN(io.Discard, y, int64(len(hello))) // and nothing of what is queued
			go y.Write(says)
			if err := l.Attach(x); !errors.Is(err, ErrProtocol) {
				t.Errorf("%v", err)
			}
			l.mu.Lock()
			defer l.mu.Unlock()
			if len(l.in) > Window+maxData {
				t.Errorf("it keeps %d bytes", len(l.in))
			}
		})
	}
}

// A line is read alone, and is bounded.
func TestReadLine(t *testing.T) {
	in := bytes.NewReader([]byte("{\"id\":\"x\"}\nrest"))
	var a Answer
	if err := ReadLine(in, &a); err != nil || a.ID != "x" || in.Len() != 4 {
		t.Errorf("%+v %v", a, err)
	}
	for _, s := range []string{"no JSON\n", string(make([]byte, 2*maxLine))} {
		if err := ReadLine(bytes.NewReader([]byte(s)), &a); !errors.Is(err, ErrProtocol) {
			t.Errorf("%.20q: %v", s, err)
		}
	}
}

// FuzzHeard has a Link hear anything.
func FuzzHeard(f *testing.F) {
	f.Add(append(number(frameHello, 0), frame(frameData, []byte("x"))...))
	f.Add(append(number(frameHello, 0), frame(frameEnd, []byte("x"))...))
	f.Add(append(number(frameHello, 0), number(frameTaken, 200_000)...))
	f.Add([]byte{'H', 0, 0, 0, 8})
	f.Fuzz(func(t *testing.T, says []byte) {
		here, local := net.Pipe()
		l := New(local, true)
		go io.Copy(io.Discard, here)
		here.Write(make([]byte, queued))
		x, y := net.Pipe()
		go io.Copy(io.Discard, y)
		go func() { y.Write(says); y.Close() }()
		_ = l.Attach(x)
		l.Close()
		here.Close()
	})
}

// afterQuiet passes when a silent transport would have been given up long ago.
func afterQuiet() <-chan time.Time { return time.After(10 * Quiet) }
