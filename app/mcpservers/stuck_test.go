package mcpservers

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"piwork/scripts/lib/tier"
)

// A server that takes nothing from its input is ended ten seconds after a call was given up,
// and not before. The clock is that of package synctest.
func TestServerThatReadsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over := make(chan struct{})
		w := newWorld(t, map[string]behaviour{"x": func(_ Program, in io.Reader, out io.Writer) {
			d := json.NewDecoder(in)
			for range 2 { // initialize, and that it was heard
				var m struct {
					ID json.RawMessage `json:"id"`
				}
				if d.Decode(&m) == nil && m.ID != nil {
					_, _ = io.WriteString(out, `{"jsonrpc":"2.0","id":`+string(m.ID)+`,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}`+"\n")
				}
			}
			<-over // it is there, with its input open, and reads no more
		}})
		t.Cleanup(func() { close(over) })
		v, err := w.AddMCPServer(t.Context(), Addition{Name: "x", Command: "node"})
		if err != nil {
			t.Fatal(err)
		}
		c, err := w.Servers.open(t.Context(), t.Context(), v, Program{})
		if err != nil {
			t.Fatal(err)
		}
		defer c.end()
		open := func() int {
			w.programs.mu.Lock()
			defer w.programs.mu.Unlock()
			return w.programs.open
		}
		ctx, giveUp := context.WithCancel(t.Context())
		called := make(chan error, 1)
		go func() {
			_, _, err := c.call(ctx, "look", json.RawMessage(`{}`))
			called <- err
		}()
		synctest.Wait()
		giveUp()
		time.Sleep(stuckAfter - time.Nanosecond) // of the invented clock
		synctest.Wait()
		if open() != 1 {
			t.Error("it was ended before")
		}
		select {
		case err := <-called:
			t.Errorf("the call does not wait for it: %v", err)
		default:
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if open() != 0 {
			t.Error("it was not ended")
		}
		select {
		case err := <-called:
			if err == nil {
				t.Error("it answered")
			}
		default:
			t.Error("the call has no end")
		}
	})
}

// A server that floods the conversation while it is greeted is ended, whichever comes first, and
// nothing of it is left.
func TestServerThatIsNoisyWhileGreeted(t *testing.T) {
	flood := strings.Repeat(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"x","progress":1}}`+"\n", maxSaid+1)
	w := newWorld(t, map[string]behaviour{"x": func(_ Program, in io.Reader, out io.Writer) {
		var m struct {
			ID json.RawMessage `json:"id"`
		}
		if json.NewDecoder(in).Decode(&m) == nil {
			_, _ = io.WriteString(out, flood+`{"jsonrpc":"2.0","id":`+string(m.ID)+`,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}`+"\n")
		}
		_, _ = io.Copy(io.Discard, in)
	}})
	v, err := w.AddMCPServer(t.Context(), Addition{Name: "x", Command: "node"})
	if err != nil {
		t.Fatal(err)
	}
	for range tier.Pick(20, 4, 20) {
		if c, err := w.Servers.open(t.Context(), t.Context(), v, Program{}); err == nil {
			c.end()
		}
	}
	w.programs.mu.Lock()
	defer w.programs.mu.Unlock()
	if w.programs.open != 0 {
		t.Errorf("%d are left", w.programs.open)
	}
}
