package client_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piwork/app/api/apitest"
	"piwork/app/client"
	"piwork/app/problem"
	"piwork/app/task"
)

// Operations of files that lie here and of files that are brought, over each
// carrier.
func TestRunTool(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.jpg")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	uploads := filepath.Join(dir, "uploads")
	f := apitest.New(apitest.Script{
		UploadDir: uploads, Run: apitest.Run{Info: []any{map[string]any{"path": "/folders/files/a.jpg", "format": "jpeg", "width": 4}}},
		Results: []apitest.ResultFile{{Result: task.Result{Path: "a.pdf", Size: 4, SHA256: "00"}, Data: []byte("%PDF")}},
	})
	each(t, f, func(t *testing.T, c *client.Client) {
		ctx := t.Context()
		if all, err := c.Tools(ctx); err != nil || len(all) < 30 {
			t.Errorf("%d operations, %v", len(all), err)
		}
		got, err := c.RunTool(ctx, "image.convert", client.ToolRequest{In: []string{file}, Params: map[string]any{"format": "pdf"}})
		if err != nil || len(got.Files) != 1 || got.Files[0].Type != "application/pdf" || got.Operation != "image.convert" {
			t.Errorf("%+v, %v", got, err)
		}
		r, _, err := c.OpenResult(ctx, got.Task, 0)
		if err != nil {
			t.Fatal(err)
		}
		if data, err := io.ReadAll(r); err != nil || string(data) != "%PDF" || r.Close() != nil {
			t.Errorf("%q, %v", data, err)
		}
		brought := []client.ToolFile{{Name: "a.jpg", Data: strings.NewReader("x")}}
		got, err = c.RunToolOn(ctx, "image.convert", brought, "b.pdf", map[string]any{"format": "pdf", "quality": 80, "replace": true})
		if err != nil || len(got.Files) != 1 || len(got.Info) != 1 {
			t.Errorf("%+v, %v", got, err)
		}
		started := f.Started()
		if last := started[len(started)-1].Tool; last.Out != "/work/out/b.pdf" || last.Params["quality"] != 80.0 || last.Params["replace"] != true {
			t.Errorf("asked for %+v", last)
		}
		// What does not fit is said, also when the file is larger than anybody reads then.
		brought[0].Data = io.LimitReader(zeros{}, 1<<22)
		var p *problem.Problem
		if _, err := c.RunToolOn(ctx, "image.convert", brought, "", map[string]any{"quality": "much"}); !errors.As(err, &p) || p.Code != problem.CodeBadRequest {
			t.Errorf("%v", err)
		}
		if left, err := os.ReadDir(uploads); err != nil || len(left) != 0 {
			t.Errorf("%v, %v", left, err)
		}
	})
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }
