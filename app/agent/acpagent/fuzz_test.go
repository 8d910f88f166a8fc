package acpagent

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"piwork/app/agent"
	"piwork/vmhost"
)

// Whatever a program writes, the session ends when the program does, and a yes is only for what
// was asked.
func FuzzProgram(f *testing.F) {
	for _, seed := range []string{
		"", "{}\n", `{"id":1,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/folders/Trip/a.txt"}}`,
		`{"id":"a","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c"},"options":[{"optionId":"y","kind":"allow_once","name":"y"}]}}`,
		`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}}}`,
		`{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}`, `{"method":"$/cancel_request","params":{"requestId":1}}`,
	} {
		f.Add(seed)
	}
	const begin = `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{}}}` + "\n" + `{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}` + "\n"
	f.Fuzz(func(t *testing.T, said string) {
		w := made(t, func(context.Context, vmhost.Question) (bool, error) { return false, nil }, nil)
		in, toAgent := io.Pipe()
		fromAgent, out := io.Pipe()
		read := make(chan string, 1)
		go func() { // reads all, and answers when it is asked
			var all strings.Builder
			buf := make([]byte, 32<<10)
			for answers := strings.SplitAfter(begin, "\n"); ; {
				n, err := in.Read(buf)
				all.Write(buf[:n])
				if strings.Contains(string(buf[:n]), `"session/prompt"`) {
					go func() { _, _ = io.WriteString(out, said); _ = out.Close() }()
				} else if len(answers) > 1 && n > 0 {
					_, _ = io.WriteString(out, answers[0])
					answers = answers[1:]
				}
				if err != nil {
					read <- all.String()
					return
				}
			}
		}()
		if _, err := w.Start(t.Context(), agent.Transport{In: toAgent, Out: fromAgent}); err != nil {
			t.Fatal(err)
		}
		_ = w.Prompt(t.Context(), "go")
		select {
		case <-w.Done():
		case <-time.After(time.Minute):
			t.Fatal("the session does not end")
		}
		if err := w.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if got := <-read; strings.Contains(got, `"optionId":"y"`) && strings.Contains(got, `"selected"`) {
			t.Errorf("a yes that nobody gave:\n%s", got)
		}
	})
}
