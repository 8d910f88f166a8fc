package acp_test

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"piwork/app/acp"
	"piwork/app/api/apitest"
)

// What is no message, comes in the wrong order or is too much is answered, and the conversation
// goes on.
func TestHostileLines(t *testing.T) {
	d, err := acp.Open(controller(apitest.New(apitest.Script{})), acp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	in, typed := io.Pipe()
	heard, out := io.Pipe()
	over := make(chan error, 1)
	go func() { over <- d.Run(t.Context(), in, out); out.Close() }()
	lines := bufio.NewReader(heard)
	for name, tt := range map[string]struct{ send, want string }{
		"no json":          {"hello", `"code":-32700`},
		"cut off":          {`{"jsonrpc":"2.0","id":1,`, `"code":-32700`},
		"several":          {`[{"jsonrpc":"2.0","id":1,"method":"initialize"}]`, `"code":-32600`},
		"a text":           {`"initialize"`, `"code":-32600`},
		"a method of five": {`{"jsonrpc":"2.0","id":1,"method":5}`, `"code":-32600`},
		"no parameters":    {`{"jsonrpc":"2.0","id":2,"method":"session/new"}`, `"id":2`},
		"no session":       {`{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"x","prompt":[]}}`, `doesn’t have this session`},
		"no such method":   {`{"jsonrpc":"2.0","id":4,"method":"fs/format"}`, `"code":-32601`},
		"a strange part":   {`{"jsonrpc":"2.0","id":5,"method":"session/prompt","params":{"sessionId":"x","prompt":[{"type":"hologram"}]}}`, `"id":5`},
		"no mode":          {`{"jsonrpc":"2.0","id":6,"method":"session/set_mode","params":{"sessionId":"x","modeId":"y"}}`, `"code":-32601`},
		"a cancel asked":   {`{"jsonrpc":"2.0","id":9,"method":"session/cancel","params":{"sessionId":"x"}}`, `"id":9,"error"`},
		"too long":         {`{"jsonrpc":"2.0","id":"seven","method":"session/prompt","params":{"sessionId":"` + strings.Repeat("x", 11<<20) + `"}}`, `"id":"seven","error":{"code":-32600,"message":"The message is too large`},
		"deep":             {strings.Repeat(`{"a":`, 20000) + "1" + strings.Repeat("}", 20000), `"code":-32700`},
		"a long id":        {`{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 1<<16) + `","method":"initialize","params":{}}`, `"code":-32600`},
		"an answer":        {`{"jsonrpc":"2.0","id":99,"result":{}}` + "\n" + `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"x"}}` + "\n\n" + `{"jsonrpc":"2.0","id":8,"method":"authenticate","params":{"methodId":"x"}}`, `"code":-32601`},
	} {
		if _, err := io.WriteString(typed, tt.send+"\n"); err != nil {
			t.Fatal(err)
		}
		if got, err := lines.ReadString('\n'); err != nil || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %.300q %v", name, got, err)
		}
	}
	typed.Close()
	if rest, err := io.ReadAll(lines); err != nil || len(rest) > 0 {
		t.Errorf("%q %v", rest, err)
	}
	if err := <-over; err != nil {
		t.Error(err)
	}
}

// An editor that closes everything, or reads nothing, ends the door.
func TestGone(t *testing.T) {
	for name, end := range map[string]func(cancel func(), typed, heard io.Closer){
		"a signal":      func(cancel func(), _, _ io.Closer) { cancel() },
		"its input":     func(_ func(), typed, _ io.Closer) { typed.Close() },
		"both":          func(_ func(), typed, heard io.Closer) { heard.Close(); typed.Close() },
		"reads no more": func(_ func(), _, heard io.Closer) { heard.Close() },
	} {
		d, err := acp.Open(controller(apitest.New(apitest.Script{})), acp.Options{})
		if err != nil {
			t.Fatal(err)
		}
		in, typed := io.Pipe()
		heard, out := io.Pipe()
		ctx, cancel := context.WithCancel(t.Context())
		over := make(chan error, 1)
		go func() { over <- d.Run(ctx, in, out) }()
		if _, err := io.WriteString(typed, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`+"\n"); err != nil {
			t.Fatal(err)
		}
		end(cancel, typed, heard)
		select {
		case err := <-over:
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		case <-time.After(20 * time.Second):
			t.Errorf("%s: it goes on", name)
		}
		cancel()
		typed.Close()
		heard.Close()
	}
}
