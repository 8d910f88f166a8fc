package acp_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"piwork/app/acp"
	"piwork/app/api/apitest"
	"piwork/app/task"
)

// A cancel that follows its prompt at once ends it, also one that takes long to be read.
func TestCancelAtOnce(t *testing.T) {
	for _, tt := range []struct {
		id     string
		length int
	}{{`2`, 10}, {`2`, 700 << 10}, {`"a<b"`, 700 << 10}} {
		f := apitest.New(apitest.Script{Endless: true})
		d, err := acp.Open(controller(f), acp.Options{})
		if err != nil {
			t.Fatal(err)
		}
		in, typed := io.Pipe()
		heard, out := io.Pipe()
		over := make(chan error, 1)
		go func() { over <- d.Run(t.Context(), in, out); out.Close() }()
		lines := make(chan string)
		go func() {
			defer close(lines)
			for s := bufio.NewScanner(heard); s.Scan(); {
				lines <- s.Text()
			}
		}()
		if _, err := fmt.Fprintf(typed, `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`+"\n", t.TempDir()); err != nil {
			t.Fatal(err)
		}
		var opened struct {
			Result struct {
				SessionID string `json:"sessionId"`
			} `json:"result"`
		}
		if err := json.Unmarshal([]byte(<-lines), &opened); err != nil {
			t.Fatal(err)
		}
		session := opened.Result.SessionID
		prompt := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":%q}]}}`, tt.id, session, strings.Repeat("x", tt.length))
		cancel := fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`, session)
		if _, err := io.WriteString(typed, prompt+"\n"+cancel+"\n"); err != nil {
			t.Fatal(err)
		}
		late := time.After(20 * time.Second)
		for answered := false; !answered; {
			select {
			case line := <-lines:
				answered = strings.Contains(line, `"stopReason":"cancelled"`)
				if !answered && strings.Contains(line, `"result"`) {
					t.Fatal(line)
				}
			case <-late:
				all, err := f.FindTasks(t.Context(), task.Filter{})
				t.Fatalf("%+v goes on: %d tasks %v", tt, len(all), err)
			}
		}
		typed.Close()
		for range lines {
		}
		if err := <-over; err != nil {
			t.Error(err)
		}
	}
}
