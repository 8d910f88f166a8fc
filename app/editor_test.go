package app_test

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	sdk "github.com/coder/acp-go-sdk"

	"piwork/app"
	"piwork/app/acp"
	"piwork/app/task"
)

// editor allows what it is asked, but for one thing, and keeps what it hears.
type editor struct {
	sdk.Client
	refuse string // a part of the title
	asks   func() // while the person is asked; nil is nothing

	mu    sync.Mutex
	said  strings.Builder
	asked []string
}

func (e *editor) SessionUpdate(_ context.Context, n sdk.SessionNotification) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch u := n.Update; {
	case u.AgentMessageChunk != nil:
		e.said.WriteString(u.AgentMessageChunk.Content.Text.Text + "\n")
	case u.UserMessageChunk != nil:
		e.said.WriteString("person: " + u.UserMessageChunk.Content.Text.Text + "\n")
	case u.ToolCall != nil:
		e.said.WriteString("tool: " + u.ToolCall.Title)
		for _, l := range u.ToolCall.Locations {
			e.said.WriteString(" " + l.Path)
		}
		e.said.WriteString("\n")
	}
	return nil
}

func (e *editor) RequestPermission(_ context.Context, r sdk.RequestPermissionRequest) (sdk.RequestPermissionResponse, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked = append(e.asked, *r.ToolCall.Title)
	if e.asks != nil {
		e.asks()
	}
	want := sdk.PermissionOptionKindAllowOnce
	if e.refuse != "" && strings.Contains(*r.ToolCall.Title, e.refuse) {
		want = sdk.PermissionOptionKindRejectOnce
	}
	for _, o := range r.Options {
		if o.Kind == want {
			return sdk.RequestPermissionResponse{Outcome: sdk.NewRequestPermissionOutcomeSelected(o.OptionId)}, nil
		}
	}
	return sdk.RequestPermissionResponse{}, sdk.NewInvalidParams(nil)
}

func (e *editor) heard() (said string, asked []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	said, asked = e.said.String(), e.asked
	e.said.Reset()
	e.asked = nil
	return said, asked
}

// An editor has a conversation with an AI about a folder: nothing is in the folder before the
// person says yes to the changes that they see, the task goes on with the next prompt, and what
// piwork keeps from tasks is refused in its words.
func TestEditorDrivesAnAI(t *testing.T) {
	w := app.NewTestWorld(t)
	c, err := w.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	connect := func(e *editor) (_ *sdk.ClientSideConnection, leave func()) {
		d, err := acp.Open(c, acp.Options{Network: task.NetworkOff})
		if err != nil {
			t.Fatal(err)
		}
		in, typed := io.Pipe()
		heard, out := io.Pipe()
		over := make(chan error, 1)
		go func() { over <- d.Run(t.Context(), in, out); out.Close() }()
		conn := sdk.NewClientSideConnection(e, typed, heard)
		conn.SetLogger(slog.New(slog.DiscardHandler))
		return conn, func() {
			typed.Close()
			if err := <-over; err != nil {
				t.Error(err)
			}
			heard.Close()
		}
	}
	e := &editor{refuse: "Apply"}
	conn, leave := connect(e)
	s, err := conn.NewSession(t.Context(), sdk.NewSessionRequest{Cwd: w.Notes, McpServers: []sdk.McpServer{}})
	if err != nil {
		t.Fatal(err)
	}
	prompt := func(conn *sdk.ClientSideConnection, text string) {
		t.Helper()
		r, err := conn.Prompt(t.Context(), sdk.PromptRequest{SessionId: s.SessionId, Prompt: []sdk.ContentBlock{sdk.TextBlock(text)}})
		if err != nil || r.StopReason != sdk.StopReasonEndTurn {
			t.Fatalf("%+v %v", r, err)
		}
	}
	report := filepath.Join(w.Notes, "report.md")
	prompt(conn, "Report about my notes")
	said, asked := e.heard()
	for _, want := range []string{"I write.\n", report + "\n", "All done.\n", "to review"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
	if len(asked) != 2 || !strings.Contains(asked[0], "run a command") || !strings.HasPrefix(asked[1], "Apply ") {
		t.Errorf("%q", asked)
	}
	if _, err := os.Stat(report); err == nil {
		t.Error("it is in the folder before a yes")
	}
	leave()

	again := &editor{}
	conn, leave = connect(again)
	defer leave()
	if _, err := conn.LoadSession(t.Context(), sdk.LoadSessionRequest{SessionId: s.SessionId, Cwd: w.Notes, McpServers: []sdk.McpServer{}}); err != nil {
		t.Fatal(err)
	}
	prompt(conn, "Thank you")
	said, _ = again.heard()
	if !strings.HasPrefix(said, "person: Report about my notes\nI write.\n") || strings.Count(said, "All done.") != 2 || strings.Contains(said, "person: Thank you") {
		t.Error(said)
	}
	if text, err := os.ReadFile(report); err != nil || string(text) != "Milk.\n" {
		t.Errorf("%q %v", text, err)
	}
	fresh, err := conn.NewSession(t.Context(), sdk.NewSessionRequest{Cwd: w.Notes, McpServers: []sdk.McpServer{}})
	if err != nil {
		t.Fatal(err)
	}
	again.asks = func() {
		if err := conn.Cancel(t.Context(), sdk.CancelNotification{SessionId: fresh.SessionId}); err != nil {
			t.Error(err)
		}
	}
	r, err := conn.Prompt(t.Context(), sdk.PromptRequest{SessionId: fresh.SessionId, Prompt: []sdk.ContentBlock{sdk.TextBlock("Report again")}})
	if err != nil || r.StopReason != sdk.StopReasonCancelled {
		t.Errorf("%+v %v", r, err)
	}
	if now, err := c.Task(t.Context(), string(fresh.SessionId)); err != nil || !now.State.Final() {
		t.Errorf("%s %v", now.State, err)
	}
	if _, asked := again.heard(); len(asked) != 1 || !strings.Contains(asked[0], "run a command") {
		t.Errorf("%q", asked)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{"/": "a whole disk", "/etc": "belongs to the system", home: "whole home folder", w.Notes + "/none": "doesn’t exist"} {
		if _, err := conn.NewSession(t.Context(), sdk.NewSessionRequest{Cwd: dir, McpServers: []sdk.McpServer{}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", dir, err)
		}
	}
}
