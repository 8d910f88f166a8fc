//go:build vm && linux

package app

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"piwork/app/history"
	"piwork/app/mcp"
	"piwork/app/task"
	"piwork/app/tasks"
)

// asAssistant has a program that speaks the Model Context Protocol work in a place of a kind:
// with a command that deletes, which the person is asked about, with an operation, and back.
func asAssistant(t *testing.T, c *Controller, kind string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "Letters")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	letter := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(letter, []byte("dear\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	d, err := mcp.Open(c, mcp.Options{Folders: []task.FolderRequest{{Path: dir, Mode: task.ModeReadWrite}}, Machine: tasks.MachineChoice{Runtime: kind}})
	if err != nil {
		t.Fatal(err)
	}
	theirs, ours := sdk.NewInMemoryTransports()
	over := make(chan error, 1)
	go func() { over <- d.Server().Run(t.Context(), theirs) }()
	var asked []string
	s, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{
		ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			asked = append(asked, r.Params.Message)
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"answer": "allow"}}, nil
		},
	}).Connect(t.Context(), ours, nil)
	if err != nil {
		t.Fatal(err)
	}
	call := func(name string, in map[string]any, out any) {
		t.Helper()
		r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: in})
		if err != nil || r.IsError {
			t.Fatalf("%s: %+v %v", name, r, err)
		}
		b, err := json.Marshal(r.StructuredContent)
		if err == nil {
			err = json.Unmarshal(b, out)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var ran mcp.RunOutput
	call("run_command", map[string]any{"command": "cd /folders/Letters && cp a.txt b.txt && rm a.txt && ls"}, &ran)
	if ran.ExitCode != 0 || ran.Stdout != "b.txt\n" || len(asked) != 1 || !strings.Contains(asked[0], "a.txt") {
		t.Fatalf("%+v, asked %q", ran, asked)
	}
	var made mcp.Outcome
	call("archive_create", map[string]any{"in": []string{"/folders/Letters/b.txt"}, "out": "/folders/Letters/c.zip"}, &made)
	if _, err := os.Stat(filepath.Join(dir, "c.zip")); err != nil || made.State != "done" || len(made.Files) != 1 || made.Files[0].Path != "/folders/Letters/c.zip" {
		t.Errorf("%+v %v", made, err)
	}
	var list mcp.TaskList
	call("list_tasks", map[string]any{}, &list)
	if len(list.Tasks) != 2 {
		t.Fatalf("%+v", list)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	<-over
	d.Close()
	for _, one := range list.Tasks { // the workroom ends with the door
		ended(t, c, one.Task)
		if _, err := c.Undo(t.Context(), one.Task, history.UndoRequest{}); err != nil {
			t.Error(err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 || left[0].Name() != "a.txt" {
		t.Errorf("%v %v", left, err)
	}
}
