package app

import (
	"slices"
	"testing"
	"time"

	"piwork/app/access"
	"piwork/app/audit/audittest"
	"piwork/app/history"
	"piwork/app/mcpservers"
	"piwork/app/services"
	"piwork/app/task"
	"piwork/scripts/lib/memdir"
)

// Whoever takes changes back, does them again, applies them or gives that up, and whoever makes
// and removes what lets programs do something, stands in the audit log.
func TestDecisionsAreRecorded(t *testing.T) {
	memdir.OnDisk(t) // folders of the system are not shared, /dev is one
	ctx := t.Context()
	ci := task.WithClient(ctx, "ci@1")
	done := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	w, c, _, id := changing(t, task.ModeReadWrite, twoFiles)
	_, err := c.Undo(ci, id, history.UndoRequest{})
	done("undo", err)
	_, err = c.Redo(ctx, id, history.RedoRequest{})
	done("redo", err)
	w.ahead.Store(int64(100 * 24 * time.Hour))
	c.Expire(ctx, true)
	made, err := c.CreateToken(ctx, access.TokenRequest{Name: "nightly", Scopes: []access.Scope{access.Tasks, access.Read}})
	done("create a token", err)
	done("revoke it", c.RevokeToken(ci, "nightly"))
	if c.RevokeToken(ctx, "nightly") == nil {
		t.Error("it is revoked twice")
	}
	_, err = c.PutService(ctx, "hub", services.Definition{Hosts: []services.Host{{Host: "api.example.org", Put: &services.Put{Template: "Bearer {secret}"}, Rules: []string{"allow GET /**"}}}})
	done("add a service", err)
	_, err = c.SetServiceSecret(ctx, "hub", services.SecretRequest{Secret: "ghp_0123456789abcdef"})
	done("its secret", err)
	done("forget it", c.ForgetServiceSecret(ctx, "hub"))
	done("remove the service", c.RemoveService(ctx, "hub"))
	_, err = c.AddMCPServer(ctx, mcpservers.Addition{Name: "files", Command: "node"})
	done("add a server", err)
	done("remove it", c.RemoveMCPServer(ctx, "files"))
	done("delete the task", c.DeleteTask(ctx, id, false))
	if got, want := audittest.Decisions(t, c.audit), []string{
		"undo allow program", "redo allow person", "undo-data expired default",
		"token/" + made.Client() + " created person", "token/" + made.Client() + " revoked program",
		"service/hub written person", "service-secret/hub written person", "service-secret/hub removed person", "service/hub removed person",
		"mcp-server/files created person", "mcp-server/files removed person", "task removed person",
	}; !slices.Equal(got, want) {
		t.Errorf("%q,\nwant %q", got, want)
	}
}

// What cannot be recorded is not done.
func TestUnrecordedDecisions(t *testing.T) {
	memdir.OnDisk(t) // folders of the system are not shared, /dev is one
	ctx := t.Context()
	_, c, dir, id := changing(t, task.ModeReadWrite, twoFiles)
	before := names(t, dir)
	_ = c.audit.Close()
	if _, err := c.Undo(ctx, id, history.UndoRequest{}); err == nil || !slices.Equal(names(t, dir), before) {
		t.Errorf("undo: %v", err)
	}
	if _, err := c.ForgetUndo(ctx, id, false); err == nil {
		t.Error("undo is given up")
	}
	_, err := c.CreateToken(ctx, access.TokenRequest{Name: "nightly", Scopes: []access.Scope{access.Read}})
	if all, lerr := c.Tokens(ctx); err == nil || lerr != nil || len(all) != 0 {
		t.Errorf("a token: %v, %+v", err, all)
	}
	_, err = c.AddMCPServer(ctx, mcpservers.Addition{Name: "files", Command: "node"})
	if all, lerr := c.MCPServers(ctx); err == nil || lerr != nil || len(all) != 0 {
		t.Errorf("a server: %v, %+v", err, all)
	}
	if c.DeleteTask(ctx, id, false) == nil {
		t.Error("a task is deleted")
	}
}

// So does what is applied and discarded.
func TestAppliedIsRecorded(t *testing.T) {
	memdir.OnDisk(t) // folders of the system are not shared, /dev is one
	ctx := t.Context()
	_, c, _, id := changing(t, task.ModeReview, twoFiles)
	list, err := c.Changes(ctx, id)
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	_, err = c.Apply(ctx, id, history.ApplyRequest{IDs: []string{list[0].ID}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Apply(ctx, id, history.ApplyRequest{Discard: true})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := audittest.Decisions(t, c.audit), []string{"apply allow person", "apply discarded person"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
