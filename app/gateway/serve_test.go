package gateway

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/yamux"

	"piwork/app/gateway/gatewaytest"
	"piwork/vmhost/wire/mux"
)

// machine is the guest's side of a port that a session serves.
type machine struct {
	*yamux.Session
	conn net.Conn
	done chan error
	end  context.CancelFunc
}

func (x *rig) machine(t *testing.T) *machine {
	t.Helper()
	a, b := net.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	m := &machine{conn: b, done: make(chan error, 1), end: cancel}
	go func() { m.done <- x.s.Serve(ctx, a) }()
	var err error
	if m.Session, err = mux.Guest(b); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		m.Close()
	})
	return m
}

// client speaks HTTP over streams, as the bridge and pi do together.
func (m *machine) client() *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return m.Open() }}}
}

// none waits until no goroutine runs in a function of this package's or of yamux'
// any more.
func none(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		buf := make([]byte, 1<<20)
		all := string(buf[:runtime.Stack(buf, true)])
		busy := ""
		for g := range strings.SplitSeq(all, "\n\n") {
			if strings.Contains(g, "gateway.(*Session)") || strings.Contains(g, "gateway.(*forward)") || strings.Contains(g, "yamux.") {
				busy = g
			}
		}
		if busy == "" {
			return
		}
		runtime.Gosched()
		time.Sleep(time.Millisecond)
	}
	t.Error("goroutines are left")
}

func TestServe(t *testing.T) {
	x := newRig(t, SessionOptions{}, nil, gatewaytest.Turn{Parts: []string{"hello"}})
	m := x.machine(t)
	c := m.client()
	for range 3 {
		resp, err := c.Post("http://127.0.0.1:8377/anthropic/v1/messages", "application/json", strings.NewReader(anthropicBody(true)))
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || !strings.Contains(string(b), "hello") || !strings.HasSuffix(string(b), "\n\n") {
			t.Fatalf("%v: %s", err, b)
		}
	}
	c.CloseIdleConnections()
	m.Close()
	if err := <-m.done; err != nil {
		t.Errorf("the machine ended: %v", err)
	}
	if u := x.s.Usage(); u.Requests != 3 {
		t.Errorf("counted %+v", u)
	}
	none(t)
}

// The end of the machine, of the program's patience, or of the port, in the middle
// of an answer: everything ends, and is counted.
func TestServeEnds(t *testing.T) {
	for name, end := range map[string]func(*machine){
		"the machine goes":  func(m *machine) { m.conn.Close() },
		"the task is ended": func(m *machine) { m.end() },
	} {
		t.Run(name, func(t *testing.T) {
			x := newRig(t, SessionOptions{}, nil, gatewaytest.Turn{Parts: []string{"hello"}, Stall: true})
			m := x.machine(t)
			resp, err := m.client().Post("http://127.0.0.1:8377/anthropic/v1/messages", "application/json", strings.NewReader(anthropicBody(true)))
			if err != nil {
				t.Fatal(err)
			}
			in := bufio.NewReader(resp.Body)
			for line := ""; !strings.Contains(line, "hello"); {
				if line, err = in.ReadString('\n'); err != nil {
					t.Fatal(err)
				}
			}
			end(m)
			if err := <-m.done; err != nil {
				t.Errorf("%v", err)
			}
			resp.Body.Close()
			if u := x.s.Usage(); u.Requests != 1 {
				t.Errorf("counted %+v", u)
			}
			m.Close()
			none(t)
		})
	}
}

// A guest that opens a thousand connections has no more than there may be, and a
// guest that speaks nonsense is told of as such. Neither leaves anything behind.
func TestHostileMachine(t *testing.T) {
	t.Run("streams", func(t *testing.T) {
		x := newRig(t, SessionOptions{}, nil)
		m := x.machine(t)
		var open []net.Conn
		var wg sync.WaitGroup
		for end := time.Now().Add(time.Minute); time.Now().Before(end); {
			c, err := m.Open()
			if err != nil {
				break
			}
			open = append(open, c)
			wg.Go(func() { fmt.Fprint(c, "POST /anthropic/v1/messages HTTP/1.1\r\n") })
		}
		if err := <-m.done; !errors.Is(err, mux.ErrHostile) {
			t.Errorf("after %d streams: %v", len(open), err)
		}
		m.Close()
		wg.Wait()
		none(t)
		if len(x.up.Questions()) != 0 {
			t.Error("something was asked")
		}
	})
	for name, text := range map[string]string{"HTTP without streams": "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "ones": strings.Repeat("\xff", 4096)} {
		t.Run(name, func(t *testing.T) {
			x := newRig(t, SessionOptions{}, nil)
			a, b := net.Pipe()
			done := make(chan error, 1)
			go func() { done <- x.s.Serve(t.Context(), a) }()
			go io.Copy(io.Discard, b)
			io.WriteString(b, text)
			b.Close()
			if err := <-done; !errors.Is(err, mux.ErrHostile) {
				t.Errorf("got %v", err)
			}
			none(t)
		})
	}
}

// A guest that does not take its answer holds the provider back, and nobody else.
func TestBackPressure(t *testing.T) {
	const whole = 64 << 20
	var mu sync.Mutex
	sent := 0
	count := func() int { mu.Lock(); defer mu.Unlock(); return sent }
	x := newRig(t, SessionOptions{}, func(c *Config) { c.Stall = time.Hour }, gatewaytest.Turn{Raw: func(w http.ResponseWriter, r *http.Request) {
		part := strings.Repeat("x", 64<<10)
		for range whole / len(part) {
			if _, err := io.WriteString(w, part); err != nil {
				return
			}
			mu.Lock()
			sent += len(part)
			mu.Unlock()
		}
	}}, gatewaytest.Turn{Parts: []string{"quick"}})
	m := x.machine(t)
	slow, err := m.client().Post("http://x/anthropic/v1/messages", "application/json", strings.NewReader(anthropicBody(false)))
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Body.Close()
	resp, err := m.client().Post("http://x/anthropic/v1/messages", "application/json", strings.NewReader(anthropicBody(true)))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil || !strings.Contains(string(b), "quick") {
		t.Errorf("another request: %v %s", err, b)
	}
	if n := count(); n >= whole {
		t.Errorf("the provider sent %d bytes to a guest that took none", n)
	}
	if n, err := io.Copy(io.Discard, slow.Body); n != whole || err != nil {
		t.Errorf("in the end %d bytes, %v", n, err)
	}
}
