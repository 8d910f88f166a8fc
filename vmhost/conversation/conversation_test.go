package conversation

import (
	"context"
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
