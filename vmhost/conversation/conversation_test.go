package conversation

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"piwork/vmhost"
	"piwork/vmhost/clock"
	"piwork/vmhost/wire"
)

// A guest that sends more than it was allowed is cut off on this side.
func TestOutputIsCutHere(t *testing.T) {
	n := 0
	o := newOutput(context.Background(), context.Background(), func(p wire.ExecOutput) { n += len(p.Data) }, nil, 1000, nil)
	for range 10 {
		o.output(wire.ExecOutput{Stream: wire.Stdout, Data: make([]byte, 300)})
	}
	if cut := o.finish(); !cut || n != 1000 {
		t.Errorf("%d bytes, cut %v", n, cut)
	}
	o.output(wire.ExecOutput{Stream: wire.Stdout, Data: make([]byte, 300)}) // after the end
	if n != 1000 {
		t.Error("output after the end")
	}
}

// The environment's limits hold for every action; lower ones of an action stay.
func TestLimits(t *testing.T) {
	x := Executor{Limits: vmhost.Limits{WallMS: 1000, OutputBytes: 10, CPUMS: 500, MemoryMB: 2000}}
	for _, tt := range []struct{ own, want wire.Limits }{
		{wire.Limits{}, wire.Limits{WallMS: 1000, OutputBytes: 10, CPUMS: 500, MemoryMB: 2000}},
		{wire.Limits{WallMS: 5, OutputBytes: 5, CPUMS: 5, MemoryMB: 5}, wire.Limits{WallMS: 5, OutputBytes: 5, CPUMS: 5, MemoryMB: 5}},
		{wire.Limits{WallMS: 5000, OutputBytes: 5000, CPUMS: 5000, MemoryMB: 5000}, wire.Limits{WallMS: 1000, OutputBytes: 10, CPUMS: 500, MemoryMB: 2000}},
	} {
		if got := x.limits(tt.own); got != tt.want {
			t.Errorf("%+v becomes %+v", tt.own, got)
		}
	}
}

// The log of an agent that writes without end fills no disk, whatever it writes.
func TestLogIsBounded(t *testing.T) {
	for _, text := range []string{"", strings.Repeat("\x01", 4096), strings.Repeat("x", 4096)} {
		var log strings.Builder
		c := &Conversation{log: slog.New(slog.NewJSONHandler(&log, nil))}
		for range maxLog / 64 {
			c.minute = time.Time{} // time passes
			c.logLine(wire.LogLine{Level: "error", Text: text})
		}
		if log.Len() == 0 || log.Len() > 2*maxLog {
			t.Errorf("%.1q…: %d bytes", text, log.Len())
		}
	}
}

// What the agent's log says of itself is apart from what this program says.
func TestLogIsTheGuests(t *testing.T) {
	var log strings.Builder
	c := &Conversation{log: slog.New(slog.NewJSONHandler(&log, nil)).With("request", "ours")}
	c.logLine(wire.LogLine{Level: "info", Text: "ended", Op: wire.OpExec, Run: "x", Request: "req-1"})
	c.logLine(wire.LogLine{Level: "warn", Text: "the disk is full"})
	for _, want := range []string{`"msg":"guest: ended","request":"ours","guest":{"op":"exec","run":"x","request":"req-1"}}` + "\n", `"msg":"guest: the disk is full","request":"ours"}` + "\n"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("%s\nlacks %s", &log, want)
		}
	}
}

// The request of an action is in what the agent is asked, whatever the action itself says.
func TestRequestIsAsked(t *testing.T) {
	here, there := net.Pipe()
	c := Begin(here, clock.New(clock.Real(), clock.Beat), time.Second, slog.New(slog.DiscardHandler))
	defer c.Close()
	life, end := context.WithCancel(t.Context())
	x := Executor{Conversation: c, Life: life, Ended: func() error { return context.Canceled }, Can: func(string) bool { return true }, Cancel: time.Second}
	for _, a := range []vmhost.Action{
		{Exec: &wire.ExecParams{ID: "a", Argv: []string{"true"}, Request: "forged"}},
		{Exec: &wire.ExecParams{ID: "b", Argv: []string{"true"}}, OnOutput: func(wire.ExecOutput) {}},
		{Tool: &wire.ToolParams{ID: "c", Op: "image.info", Request: "forged"}},
		{File: &wire.FileParams{ID: "d", Op: wire.FileStat, Path: "/work/x", Roots: []string{"/work"}}},
		{Fetch: &wire.FetchParams{ID: "e", URL: "https://example.org/", Roots: []string{"/work"}, Limit: 1, StallMS: 1}},
		{Page: &wire.PageParams{ID: "f", Roots: []string{"/work"}, WaitMS: 1, Steps: []wire.PageStep{{Do: wire.PageOpen, URL: "https://example.org/"}}}},
	} {
		a.Request = "req-1"
		go func() { _, _ = x.Execute(life, a) }()
	}
	lines := bufio.NewScanner(there)
	for asked := map[string]bool{}; len(asked) < 6 && lines.Scan(); {
		var call struct {
			Params struct{ ID, Request string }
		}
		if json.Unmarshal(bytes.Trim(lines.Bytes(), "\x18"), &call) == nil && call.Params.ID != "" {
			asked[call.Params.ID] = true
			if call.Params.Request != "req-1" {
				t.Errorf("%s", lines.Bytes())
			}
		}
	}
	end()
}

// FuzzRecv feeds the host what a guest may send.
func FuzzRecv(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`,
		`{"jsonrpc":"2.0","method":"exec.output","params":{"id":"x","stream":"stdout","data":"eA=="}}`,
		`{"jsonrpc":"2.0","method":"tool.progress","params":{"id":"x","done":1,"total":2}}`,
		`{"jsonrpc":"2.0","method":"guest.log","params":{"level":"info","text":"x"}}`,
		`{"jsonrpc":"2.0","id":"g","method":"host.x"}`, `[]`, `{}`, `null`, `{"METHOD":"exec.output","id":1}`, "\xff",
	} {
		f.Add([]byte(s + "\n"))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		here, there := net.Pipe()
		c := Begin(here, clock.New(clock.Real(), clock.Beat), time.Second, slog.New(slog.DiscardHandler))
		o := newOutput(context.Background(), context.Background(), func(wire.ExecOutput) {}, nil, 0, nil)
		stop, err := c.listen("x", o)
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = io.Copy(io.Discard, there) }()
		_ = there.SetWriteDeadline(time.Now().Add(30 * time.Second))
		_, _ = there.Write(append(in, '\n'))
		_ = there.Close()
		select {
		case <-c.Over():
		case <-time.After(30 * time.Second):
			t.Error("the conversation outlives its connection")
		}
		c.Close()
		stop()
		o.finish()
	})
}
