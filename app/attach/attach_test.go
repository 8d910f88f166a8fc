package attach

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"piwork/scripts/lib/tier"
	"piwork/vmhost/wire"
)

// both are the two kinds of Conn, to one program.
func both(t *testing.T, info Info, awaited bool, test func(t *testing.T, p *Program, join func(wait bool) Conn)) {
	t.Run("in this process", func(t *testing.T) {
		p := New(info, awaited)
		test(t, p, p.Attach)
	})
	t.Run("over HTTP", func(t *testing.T) {
		p := New(info, awaited)
		test(t, p, func(wait bool) Conn { return dial(t, p, wait) })
	})
}

func dial(t *testing.T, p *Program, wait bool) Conn {
	t.Helper()
	var served sync.WaitGroup
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		served.Add(1)
		defer served.Done()
		_ = Serve(r.Context(), w, r, p.Attach(wait), wait)
	}))
	c, _, err := Dial(t.Context(), srv.URL, srv.Client(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(); p.Close(); served.Wait(); srv.Close() })
	return c
}

func TestWhatIsSaidArrives(t *testing.T) {
	both(t, Info{Terminal: true, Input: true}, true, func(t *testing.T, p *Program, join func(bool) Conn) {
		ctx := t.Context()
		go func() { // as a machine
			p.Output(ctx, wire.Stdout, []byte("ready\r\n"))
			in := p.Input()
			b := make([]byte, 100)
			for {
				n, err := in.Read(b)
				if err != nil {
					p.Output(ctx, wire.Stderr, []byte("end: "+err.Error()))
					p.Awaited(ctx)
					p.Close()
					return
				}
				p.Output(ctx, wire.Stdout, bytes.ToUpper(bytes.Clone(b[:n])))
			}
		}()
		c := join(true)
		if c.Info() != (Info{Terminal: true, Input: true}) {
			t.Errorf("it is said to be %+v", c.Info())
		}
		expect := func(stream, data string) {
			t.Helper()
			got, err := c.Read(ctx)
			if err != nil || got.Stream != stream || string(got.Data) != data {
				t.Fatalf("%q on %s, %v; want %q on %s", got.Data, got.Stream, err, data, stream)
			}
		}
		expect(wire.Stdout, "ready\r\n")
		if err := c.Write(ctx, []byte("\x03word")); err != nil {
			t.Fatal(err)
		}
		expect(wire.Stdout, "\x03WORD")
		for _, s := range []wire.TerminalSize{{Columns: 1, Rows: 2}, {Columns: 120, Rows: 50}} {
			if err := c.Resize(ctx, s); err != nil {
				t.Fatal(err)
			}
			if s.Columns == 120 {
				for got := range p.Sizes() {
					if got == s {
						break
					}
				}
			}
		}
		if err := c.CloseInput(ctx); err != nil {
			t.Fatal(err)
		}
		expect(wire.Stderr, "end: EOF")
		if _, err := c.Read(ctx); !errors.Is(err, io.EOF) {
			t.Errorf("after the end: %v", err)
		}
	})
}

// TestOutputIsWhole: the first client gets all of it, also what came before it.
func TestOutputIsWhole(t *testing.T) {
	both(t, Info{}, true, func(t *testing.T, p *Program, join func(bool) Conn) {
		const size = 8 << 20
		go func() {
			for i := range size / 1000 {
				p.Output(t.Context(), wire.Stdout, bytes.Repeat([]byte{byte(i)}, 1000))
			}
			p.Close()
		}()
		c, n := join(true), 0
		for {
			piece, err := c.Read(t.Context())
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range piece.Data {
				if b != byte(n/1000) {
					t.Fatalf("byte %d is %d", n, b)
				}
				n++
			}
		}
		if n != size/1000*1000 {
			t.Errorf("%d bytes", n)
		}
	})
}

// TestInputHasNoBound: as much input as there is is taken without being kept.
func TestInputHasNoBound(t *testing.T) {
	size := tier.Pick(64, 64, 256) << 20
	p := New(Info{Input: true}, true)
	c := dial(t, p, true)
	total := make(chan int64, 1)
	go func() {
		n, _ := io.Copy(io.Discard, p.Input())
		total <- n
		p.Close()
	}()
	block := make([]byte, 1<<20)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range size / len(block) {
		if err := c.Write(t.Context(), block); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 16<<20 {
		t.Errorf("%d bytes are kept", grown)
	}
	if err := c.CloseInput(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := <-total; n != int64(size) {
		t.Errorf("%d bytes arrived", n)
	}
}

// TestInputWaits: nobody can write more than the bounds ahead of a program that reads
// nothing, who writes then can be ended, and the end of the program ends it.
func TestInputWaits(t *testing.T) {
	p := New(Info{Input: true}, false)
	c := p.Attach(false)
	ctx, cancel := context.WithCancel(t.Context())
	written := make(chan error, 1)
	go func() { written <- c.Write(ctx, make([]byte, Room+1)) }()
	if err := p.until(t.Context(), func() bool { return len(p.in) == Room }); err != nil {
		t.Fatal(err)
	}
	p.mu.Unlock()
	cancel()
	if err := <-written; !errors.Is(err, context.Canceled) {
		t.Errorf("it is not ended: %v", err)
	}
	go func() { written <- c.Write(t.Context(), []byte("more")) }()
	_ = p.Input().Close()
	if err := <-written; err != nil {
		t.Errorf("a program that took no more: %v", err)
	}
}

// TestASizeGoesPastInput that waits for a program which reads nothing.
func TestASizeGoesPastInput(t *testing.T) {
	both(t, Info{Input: true, Terminal: true}, false, func(t *testing.T, p *Program, join func(bool) Conn) {
		c, size := join(true), wire.TerminalSize{Columns: 100, Rows: 30}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		written := make(chan error, 1)
		go func() { written <- c.Write(ctx, make([]byte, 4*Room)) }()
		if err := p.until(ctx, func() bool { return len(p.in) == Room }); err != nil {
			t.Fatal(err)
		}
		p.mu.Unlock()
		if err := c.Resize(ctx, size); err != nil {
			t.Fatal(err)
		}
		select {
		case got := <-p.Sizes():
			if got != size {
				t.Errorf("it is %v", got)
			}
		case <-time.After(20 * time.Second): // far above what it takes
			t.Error("the size waits")
		}
		in := p.Input()
		if n, err := io.CopyN(io.Discard, in, 4*Room); err != nil {
			t.Errorf("%d bytes arrived, %v", n, err)
		}
		if err := errors.Join(<-written, c.CloseInput(ctx)); err != nil {
			t.Error(err)
		}
		if n, err := io.Copy(io.Discard, in); n != 0 || err != nil {
			t.Errorf("%d bytes follow, %v", n, err)
		}
	})
}

// TestAClientThatIsGoneIsNoticed while its input waits for a program that neither reads nor
// writes: its place is free again, and output does not wait for it.
func TestAClientThatIsGoneIsNoticed(t *testing.T) {
	defer func(d time.Duration) { beat = d }(beat)
	beat = 10 * time.Millisecond
	p, over := New(Info{Input: true}, false), make(chan error, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		over <- Serve(r.Context(), w, r, p.Attach(true), true)
	}))
	defer srv.Close()
	c, _, err := Dial(t.Context(), srv.URL, srv.Client(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Write(t.Context(), make([]byte, 2*Room)); err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
	select {
	case <-over:
	case <-time.After(20 * time.Second): // far above what it takes
		t.Error("it has its place still")
		p.Close()
		<-over
	}
	p.Output(t.Context(), wire.Stdout, make([]byte, Backlog))
	p.Output(t.Context(), wire.Stdout, []byte("more"))
}

// TestAQuietProgramKeepsItsClients, also those of a process in between.
func TestAQuietProgramKeepsItsClients(t *testing.T) {
	defer func(d time.Duration) { beat = d }(beat)
	beat = time.Millisecond
	p := New(Info{}, false)
	far := dial(t, p, true)
	over := make(chan error, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		over <- Serve(r.Context(), w, r, far, true)
	}))
	defer srv.Close()
	ws, _, err := websocket.Dial(t.Context(), srv.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	said := func() string {
		t.Helper()
		_, data, err := ws.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	_ = said() // info
	for range 100 {
		if s := said(); s != "{}" {
			t.Fatalf("a program that says nothing: %s", s)
		}
	}
	p.Output(t.Context(), wire.Stdout, []byte("x"))
	p.Close()
	for s := said(); s != "\x01x"; s = said() {
		if s != "{}" {
			t.Fatalf("before its output: %s", s)
		}
	}
	for s := said(); s != `{"end":"over"}`; s = said() {
		if s != "{}" {
			t.Fatalf("before its end: %s", s)
		}
	}
	_ = ws.Close(websocket.StatusNormalClosure, "")
	if err := <-over; websocket.CloseStatus(err) != websocket.StatusNormalClosure {
		t.Errorf("it ends with %v", err)
	}
}

// TestSlowClientCostsItselfOnly: one that reads nothing is left behind; the program and
// another client are not.
func TestSlowClientCostsItselfOnly(t *testing.T) {
	both(t, Info{}, false, func(t *testing.T, p *Program, join func(bool) Conn) {
		slow, quick := p.Attach(false), join(true)
		const size = 4 << 20
		go func() {
			for range size / 4096 {
				p.Output(t.Context(), wire.Stdout, make([]byte, 4096))
			}
			p.Close()
		}()
		n := 0
		for {
			piece, err := quick.Read(t.Context())
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			n += len(piece.Data)
		}
		if n != size {
			t.Errorf("the quick one has %d bytes", n)
		}
		if _, err := slow.Read(t.Context()); !errors.Is(err, ErrBehind) {
			t.Errorf("the slow one: %v", err)
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.cost-p.pieces[0].at > Backlog {
			t.Errorf("%d bytes are kept", p.cost-p.pieces[0].at)
		}
	})
}

// TestBehindIsSaid: a client over HTTP learns that it was too slow.
func TestBehindIsSaid(t *testing.T) {
	p := New(Info{}, false)
	c := dial(t, p, false)
	for range 64 { // more than any buffer on the way, and nobody reads
		p.Output(t.Context(), wire.Stdout, make([]byte, 256<<10))
	}
	for {
		if _, err := c.Read(t.Context()); err != nil {
			if !errors.Is(err, ErrBehind) {
				t.Errorf("it ends with %v", err)
			}
			return
		}
	}
}

// TestSmallPiecesAreBounded: a guest that writes byte by byte takes no more memory.
func TestSmallPiecesAreBounded(t *testing.T) {
	p := New(Info{}, false)
	for range 100_000 {
		p.Output(t.Context(), wire.Stdout, []byte{'x'})
	}
	if len(p.pieces) > Backlog/pieceCost {
		t.Errorf("%d pieces are kept", len(p.pieces))
	}
}

// TestAProgramWaitsForAReader and goes on when that one leaves.
func TestAProgramWaitsForAReader(t *testing.T) {
	p := New(Info{}, true)
	done := make(chan struct{})
	go func() {
		for range 64 {
			p.Output(t.Context(), wire.Stdout, make([]byte, 64<<10))
		}
		close(done)
	}()
	c := p.Attach(true)
	if _, err := c.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := p.until(t.Context(), func() bool { return p.lag() >= Backlog }); err != nil {
		t.Fatal(err)
	}
	p.mu.Unlock()
	select {
	case <-done:
		t.Fatal("it did not wait")
	default:
	}
	_ = c.Close()
	<-done
}

// TestARequestThatIsNoWebSocketTakesNoPlace: output waits for whoever started the program
// as before.
func TestARequestThatIsNoWebSocketTakesNoPlace(t *testing.T) {
	upgrade := func(name, value string) http.Header {
		h := http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {"AAAAAAAAAAAAAAAAAAAAAA=="}}
		h.Set(name, value)
		return h
	}
	for name, header := range map[string]http.Header{
		"no upgrade":      {},
		"another upgrade": upgrade("Upgrade", "h2c"),
		"another version": upgrade("Sec-WebSocket-Version", "12"),
		"a short key":     upgrade("Sec-WebSocket-Key", "AAAA"),
		"another site":    upgrade("Origin", "http://evil.example"),
		"no connection":   upgrade("X-None", ""), // that a recorder could hand over
	} {
		t.Run(name, func(t *testing.T) {
			p := New(Info{}, true)
			r, w := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil), httptest.NewRecorder()
			r.Header = header
			err := Serve(t.Context(), w, r, p.Attach(true), true)
			if no, is := errors.AsType[*RefusedError](err); !is || no.Status < 400 || w.Body.Len() > 0 {
				t.Errorf("it is answered by %s, %v", w.Body, err)
			}
			p.Output(t.Context(), wire.Stdout, []byte("first"))
			over, stop := context.WithCancel(t.Context())
			stop()
			for range 64 { // what has to wait is lost
				p.Output(over, wire.Stdout, make([]byte, 64<<10))
			}
			if piece, err := p.Attach(true).Read(t.Context()); err != nil || string(piece.Data) != "first" {
				t.Errorf("whoever started it reads %d bytes first, %v", len(piece.Data), err)
			}
		})
	}
}

// TestAProgramThatAwaitsNobody goes on, and whoever is attached later gets the last of it.
func TestAProgramThatAwaitsNobody(t *testing.T) {
	p := New(Info{}, true)
	p.AwaitNobody()
	for range 64 {
		p.Output(t.Context(), wire.Stdout, make([]byte, 64<<10))
	}
	p.Awaited(t.Context())
	p.Close()
	if piece, err := p.Attach(true).Read(t.Context()); err != nil || len(piece.Data) != 64<<10 {
		t.Errorf("%d bytes, %v", len(piece.Data), err)
	}
}

// TestLateClientSeesTheLast: what was written before it, as far as it is kept.
func TestLateClientSeesTheLast(t *testing.T) {
	p := New(Info{}, false)
	p.Output(t.Context(), wire.Stdout, []byte("$ "))
	piece, err := p.Attach(false).Read(t.Context())
	if err != nil || string(piece.Data) != "$ " {
		t.Errorf("%q %v", piece.Data, err)
	}
}

// TestAConnectionThatEndsEarlyIsLost.
func TestAConnectionThatEndsEarlyIsLost(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, nil)
		if err == nil {
			_ = ws.Write(r.Context(), websocket.MessageText, []byte(`{"info":{}}`))
			_ = ws.CloseNow()
		}
	}))
	defer srv.Close()
	c, _, err := Dial(t.Context(), srv.URL, srv.Client(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var lost *LostError
	if _, err := c.Read(t.Context()); !errors.As(err, &lost) {
		t.Errorf("%v", err)
	}
}

// TestBadMessagesEndTheConnection and nothing else.
func TestBadMessagesEndTheConnection(t *testing.T) {
	for name, message := range map[string]struct {
		kind websocket.MessageType
		data string
	}{
		"no stream":          {websocket.MessageBinary, ""},
		"output of a client": {websocket.MessageBinary, "\x01x"},
		"no JSON":            {websocket.MessageText, "{"},
		"absurd size":        {websocket.MessageText, `{"size":{"columns":100000,"rows":0}}`},
		"too long":           {websocket.MessageBinary, strings.Repeat("\x00", MaxMessage+1)},
	} {
		t.Run(name, func(t *testing.T) {
			p := New(Info{Terminal: true, Input: true}, false)
			c := dial(t, p, false)
			r := c.(*remote)
			if err := r.ws.Write(t.Context(), message.kind, []byte(message.data)); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			var lost *LostError
			if _, err := c.Read(ctx); !errors.As(err, &lost) {
				t.Errorf("%v", err)
			}
		})
	}
}
