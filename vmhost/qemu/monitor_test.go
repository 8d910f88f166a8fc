package qemu

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/digitalocean/go-qemu/qmp"
	"github.com/digitalocean/go-qemu/qmp/raw"
)

const greeting = `{"QMP":{"version":{"qemu":{"micro":13,"minor":0,"major":10},"package":"test"},"capabilities":["oob"]}}` + "\r\n"

// fakeQMP answers commands by script: every answer is a list of lines, %d is
// the id of the command. No entry means no answer.
func fakeQMP(t *testing.T, script map[string][]string, onEvent func(qmp.Event)) *Monitor {
	t.Helper()
	here, there := net.Pipe()
	m := NewMonitor(here, onEvent)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		defer there.Close()
		if _, err := io.WriteString(there, greeting); err != nil {
			return
		}
		in := bufio.NewScanner(there)
		for in.Scan() {
			var cmd struct {
				Execute string
				ID      uint64
			}
			if err := json.Unmarshal(in.Bytes(), &cmd); err != nil {
				t.Errorf("command %q: %v", in.Text(), err)
				return
			}
			answer, ok := script[cmd.Execute]
			if cmd.Execute == "qmp_capabilities" && !ok {
				answer = []string{`{"return":{},"id":%d}`}
			}
			for _, line := range answer {
				if line == "EOF" {
					return
				}
				if strings.Contains(line, "%d") {
					line = fmt.Sprintf(line, cmd.ID)
				}
				if _, err := io.WriteString(there, line+"\r\n"); err != nil {
					return
				}
			}
		}
	}()
	t.Cleanup(func() {
		_ = m.Disconnect()
		<-m.Done()
		<-gone
	})
	return m
}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func TestMonitor(t *testing.T) {
	large := strings.Repeat("x", 300<<10) // go-qemu's own monitor ends at 64 KiB
	m := fakeQMP(t, map[string][]string{
		"query-status": {`{"event":"RESUME","timestamp":{"seconds":1,"microseconds":2}}`, `{"return":{"status":"running","running":true},"id":%d}`},
		"large":        {`{"return":"` + large + `","id":%d}`},
		"bogus":        {`{"error":{"class":"CommandNotFound","desc":"The command bogus has not been found"},"id":%d}`},
		"noise":        {"qemu: hello", "", "{", "[]", `{"return":1}`, `{"return":2,"id":999}`, `{"return":3,"id":"x"}`, `{"return":4,"id":%d}`},
	}, nil)
	ctx := within(t)
	v, err := m.Handshake(ctx)
	if err != nil || v.String() != "10.0.13" {
		t.Fatalf("handshake: %v %v", v, err)
	}
	var status struct{ Status string }
	if err := m.Do(ctx, qmp.Command{Execute: "query-status"}, &status); err != nil || status.Status != "running" {
		t.Errorf("query-status: %+v %v", status, err)
	}
	var s string
	if err := m.Do(ctx, qmp.Command{Execute: "large"}, &s); err != nil || s != large {
		t.Errorf("large reply: %d bytes, %v", len(s), err)
	}
	var n int
	if err := m.Do(ctx, qmp.Command{Execute: "noise"}, &n); err != nil || n != 4 {
		t.Errorf("answer among noise: %d %v", n, err)
	}
	var ce *CommandError
	if err := m.Do(ctx, qmp.Command{Execute: "bogus"}, nil); !errors.As(err, &ce) || ce.Class != "CommandNotFound" {
		t.Errorf("refused command: %v", err)
	}
}

// go-qemu's typed commands work on it.
func TestMonitorIsGoQEMUs(t *testing.T) {
	m := fakeQMP(t, map[string][]string{"query-status": {`{"return":{"status":"paused","running":false,"singlestep":false},"id":%d}`}}, nil)
	if err := m.Connect(); err != nil {
		t.Fatal(err)
	}
	st, err := raw.NewMonitor(m).QueryStatus()
	if err != nil || st.Status.String() != "paused" {
		t.Errorf("%v %v", st, err)
	}
}

// An unanswered command ends with its context and does not shift the answers
// of the next ones.
func TestMonitorGivesUp(t *testing.T) {
	m := fakeQMP(t, map[string][]string{
		"silent": nil,
		"echo":   {`{"return":"late","id":2}`, `{"return":"mine","id":%d}`},
	}, nil)
	ctx := within(t)
	if _, err := m.Handshake(ctx); err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	if err := m.Do(short, qmp.Command{Execute: "silent"}, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("silent: %v", err)
	}
	var s string
	if err := m.Do(ctx, qmp.Command{Execute: "echo"}, &s); err != nil || s != "mine" {
		t.Errorf("after it: %q %v", s, err)
	}
}

func TestMonitorBoundsPending(t *testing.T) {
	m := fakeQMP(t, nil, nil)
	ctx := within(t)
	if _, err := m.Handshake(ctx); err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	for range maxPending {
		wg.Go(func() { _ = m.Do(gone, qmp.Command{Execute: "silent"}, nil) })
	}
	cancel()
	wg.Wait()
	// Those whose context ended before the owner took them are not pending.
	var err error
	for ctx.Err() == nil {
		short, cancel := context.WithTimeout(ctx, 5*time.Millisecond)
		err = m.Do(short, qmp.Command{Execute: "silent"}, nil)
		cancel()
		if errors.Is(err, ErrMonitorBusy) {
			return
		}
	}
	t.Errorf("last error: %v", err)
}

// Many events with nobody listening, and with a listener that does not read,
// hold up neither commands nor each other.
func TestMonitorDrainsEvents(t *testing.T) {
	var events []string
	for i := range 1000 {
		events = append(events, fmt.Sprintf(`{"event":"E","data":{"n":%d},"timestamp":{"seconds":0,"microseconds":0}}`, i))
	}
	heard := 0
	m := fakeQMP(t, map[string][]string{"storm": append(events, `{"return":{},"id":%d}`)}, func(e qmp.Event) {
		if e.Data["n"] != float64(heard) {
			t.Errorf("event %v, want %d", e.Data["n"], heard)
		}
		heard++
	})
	ctx := within(t)
	if _, err := m.Handshake(ctx); err != nil {
		t.Fatal(err)
	}
	sub, cancel := context.WithCancel(ctx)
	ch, err := m.Events(sub)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Do(ctx, qmp.Command{Execute: "storm"}, nil); err != nil {
		t.Fatal(err)
	}
	cancel()
	n := 0
	for range ch {
		n++
	}
	if heard != 1000 || n != eventQueue {
		t.Errorf("heard %d events, the slow listener %d", heard, n)
	}
}

func TestMonitorEnds(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer []string
	}{
		{"QEMU goes away", []string{"EOF"}},
		{"a line without end", []string{strings.Repeat("x", maxReply+1)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := fakeQMP(t, map[string][]string{"go": tt.answer}, nil)
			ctx := within(t)
			if _, err := m.Handshake(ctx); err != nil {
				t.Fatal(err)
			}
			ch, err := m.Events(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if err := m.Do(ctx, qmp.Command{Execute: "go"}, nil); !errors.Is(err, ErrMonitorClosed) {
				t.Errorf("command under way: %v", err)
			}
			<-m.Done()
			if _, open := <-ch; open {
				t.Error("the channel of events is open")
			}
			if err := m.Do(ctx, qmp.Command{Execute: "go"}, nil); !errors.Is(err, ErrMonitorClosed) {
				t.Errorf("next command: %v", err)
			}
			if _, err := m.Events(ctx); !errors.Is(err, ErrMonitorClosed) {
				t.Errorf("events: %v", err)
			}
		})
	}
}

// The answer to quit counts, though the connection ends with it.
func TestMonitorQuit(t *testing.T) {
	for range 50 {
		m := fakeQMP(t, map[string][]string{"quit": {`{"return":{},"id":%d}`, "EOF"}}, nil)
		ctx := within(t)
		if _, err := m.Handshake(ctx); err != nil {
			t.Fatal(err)
		}
		if err := m.Do(ctx, qmp.Command{Execute: "quit"}, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// A QEMU that exits gets no command any more, which could be its end in another way.
func TestMonitorLeavesInPeace(t *testing.T) {
	for _, tt := range []struct {
		name, command string
		answer        []string
	}{
		{"after quit", "quit", []string{`{"return":{},"id":%d}`}},
		{"after quit without an answer", "quit", nil},
		{"after the guest's end", "stop", []string{`{"event":"SHUTDOWN","data":{"guest":true,"reason":"guest-shutdown"},"timestamp":{"seconds":1,"microseconds":2}}`, `{"return":{},"id":%d}`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var late atomic.Bool
			m := fakeQMP(t, map[string][]string{tt.command: tt.answer, "late": {`{"event":"HEARD","timestamp":{"seconds":1,"microseconds":2}}`, `{"return":{},"id":%d}`}},
				func(e qmp.Event) { late.Store(late.Load() || e.Event == "HEARD") })
			ctx := within(t)
			if _, err := m.Handshake(ctx); err != nil {
				t.Fatal(err)
			}
			if tt.answer == nil {
				gone, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
				defer cancel()
				if err := m.Do(gone, qmp.Command{Execute: tt.command}, nil); !errors.Is(err, context.DeadlineExceeded) {
					t.Fatal(err)
				}
			} else if err := m.Do(ctx, qmp.Command{Execute: tt.command}, nil); err != nil {
				t.Fatal(err)
			}
			if err := m.Do(ctx, qmp.Command{Execute: "late"}, nil); !errors.Is(err, ErrMonitorClosed) || late.Load() {
				t.Errorf("%v, QEMU read it: %v", err, late.Load())
			}
		})
	}
}

func FuzzMonitorLine(f *testing.F) {
	f.Add([]byte(greeting))
	f.Add([]byte(`{"return":{},"id":1}`))
	f.Add([]byte(`{"error":{"class":"X","desc":"y"},"id":1}`))
	f.Add([]byte(`{"event":"STOP","data":null,"timestamp":{}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		m := &Monitor{greeting: make(chan qmp.Version, 1)}
		c := &monitorCall{name: "x", reply: make(chan monitorReply, 1)}
		pending := map[uint64]*monitorCall{1: c}
		m.handle(line, pending)
		if len(pending) == 0 && len(c.reply) != 1 {
			t.Error("a command was taken away without an answer")
		}
	})
}
