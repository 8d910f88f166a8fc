package acpagent

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"piwork/app/agent"
	"piwork/scripts/lib/tier"
)

// A program that asks without end and never reads an answer holds a bounded part of this
// computer's memory, and its session ends.
func TestAnswersAreNotRead(t *testing.T) {
	tier.Unraced(t)
	const rounds = 600
	for name, request := range map[string]string{
		"no such method":     `{"id":%d,"method":"x","params":"` + strings.Repeat("x", 64<<10) + `"}`,
		"what is no request": `{"id":%d,"method":"session/request_permission","params":"` + strings.Repeat("x", 64<<10) + `"}`,
		"files":              `{"id":%d,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/folders/Trip/a.txt"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			w := made(t, nil, func(o *Options) { o.Stall = 5 * time.Second })
			w.files.data["/folders/Trip/a.txt"] = strings.Repeat("x", 64<<10)
			in, toAgent := io.Pipe()
			fromAgent, out := io.Pipe()
			s := bufio.NewScanner(in)
			s.Buffer(nil, 1<<20)
			c := &crafted{t: t, in: s, out: out}
			before := runtime.NumGoroutine()
			most := make(chan int, 1)
			go func() {
				c.begin()
				n := 0
				for i := 0; ; i++ {
					if _, err := fmt.Fprintf(out, request+"\n", i); err != nil {
						break // the session is over
					}
					if i < rounds {
						n = max(n, runtime.NumGoroutine())
					}
				}
				most <- n
			}()
			if _, err := w.Start(t.Context(), agent.Transport{In: toAgent, Out: fromAgent}); err != nil {
				t.Fatal(err)
			}
			_ = w.Prompt(t.Context(), "go")
			select {
			case <-w.ctx.Done():
			case <-time.After(time.Minute):
				t.Fatal("the session does not end")
			}
			if err := context.Cause(w.ctx); !errors.Is(err, agent.ErrStalled) {
				t.Errorf("the session ends with %v", err)
			}
			_ = fromAgent.Close()
			if n := <-most; n > before+maxRequests+20 {
				t.Errorf("%d goroutines, %d before", n, before)
			}
			<-w.Done()
			if w.files.reads > maxReading {
				t.Errorf("%d files were read for answers that nobody takes", w.files.reads)
			}
		})
	}
}

// What waits is bounded in lines and bytes, and goes in order once the program reads.
func TestOutboxIsBounded(t *testing.T) {
	for name, size := range map[string]int{"many": 1, "long": maxUnread / 4, "longer than all": 2 * maxUnread} {
		r, w := io.Pipe()
		o := newOutbox(w, func(err error) { t.Error(err) }, func(json.RawMessage) {})
		done := make(chan struct{})
		go func() { defer close(done); o.drain(t.Context()) }()
		n := 0
		for o.offer(bytes.Repeat([]byte("x"), size)) {
			n++
		}
		if want := max(1, min(maxWaiting, maxUnread/size)); n != want || !(o.bytes <= maxUnread || n == 1) {
			t.Errorf("%s: %d lines wait, want %d, %d bytes", name, n, want, o.bytes)
		}
		if o.moves(false) {
			t.Errorf("%s: a full outbox moves", name)
		}
		written := make(chan error, 1)
		go func() { _, err := o.Write([]byte("last\n")); written <- err }()
		if _, err := io.CopyN(io.Discard, r, int64(n*size)); err != nil {
			t.Fatal(err)
		}
		last := make([]byte, 5)
		if _, err := io.ReadFull(r, last); err != nil || string(last) != "last\n" || <-written != nil {
			t.Errorf("%s: %q %v", name, last, err)
		}
		if err := o.Close(); err != nil {
			t.Error(err)
		}
		<-done
		if o.offer([]byte("x")) || o.bytes != 0 || len(o.waiting) != 0 {
			t.Errorf("%s: lines wait after the end", name)
		}
	}
}

// A request is open until its own answer is written, however its id is spelled.
func TestRequestsAreOpenUntilTheirAnswers(t *testing.T) {
	var o requests
	o.changed.L = &o.mu
	ids := []string{"1", `"a<b>&"`, `"a<b>&"`, `[1, 2]`, `1e99`}
	for i, id := range ids {
		if !o.add(t.Context(), json.RawMessage(id), request{size: i + 1}) {
			t.Fatalf("%s is refused", id)
		}
	}
	if o.add(t.Context(), json.RawMessage("9"), request{size: maxHeld}) {
		t.Error("more is held than may be")
	}
	o.answered(json.RawMessage("404"))
	if o.n != len(ids) || o.held != 15 {
		t.Errorf("%d requests of %d bytes", o.n, o.held)
	}
	for _, id := range ids {
		line, err := json.Marshal(map[string]any{"id": json.RawMessage(id), "jsonrpc": "2.0", "result": nil})
		if err != nil {
			t.Fatal(err)
		}
		got := answered(line)
		if got == nil {
			t.Fatalf("%s is no answer", line)
		}
		o.answered(got)
	}
	if o.n != 0 || o.held != 0 || len(o.open) != 0 {
		t.Errorf("%d requests of %d bytes stay open", o.n, o.held)
	}
	for range maxRequests {
		o.add(t.Context(), json.RawMessage("1"), request{})
	}
	if o.add(t.Context(), json.RawMessage("2"), request{}) {
		t.Error("there are too many")
	}
	for _, line := range []string{`{"jsonrpc":"2.0","id":1,"method":"x","params":{"result":1}}`, `{"jsonrpc":"2.0","method":"x"}`, `{`, ``, `[]`} {
		if id := answered([]byte(line)); id != nil {
			t.Errorf("%s answers %s", line, id)
		}
	}
}

// A request to read waits for the answers to others, and no longer than the session.
func TestReadingWaits(t *testing.T) {
	var o requests
	o.changed.L = &o.mu
	read := request{reads: true}
	for range maxReading {
		o.add(t.Context(), json.RawMessage("1"), read)
	}
	ctx, cancel := context.WithCancel(t.Context())
	for _, row := range []struct {
		then func()
		want bool
	}{{func() { o.answered(json.RawMessage("1")) }, true}, {cancel, false}} {
		got := make(chan bool)
		go func() { got <- o.add(ctx, json.RawMessage("2"), read) }()
		for !o.wait() {
			runtime.Gosched()
		}
		row.then()
		if <-got != row.want || o.wait() {
			t.Errorf("let through is not %v", row.want)
		}
	}
}
