package app

import (
	"context"
	"slices"
	"testing"

	"piwork/app/audit"
	"piwork/app/chore/choretest"
	"piwork/app/task"
	"piwork/vmhost/wire"
)

// What comes through a door is known by it: rules about it hold, and the audit log says it.
func TestTasksByDoor(t *testing.T) {
	w := newWorld(t)
	w.onMachine = func(rt *choretest.Runtime) error {
		rt.Exec = func(context.Context, wire.ExecParams, func(wire.ExecOutput)) (wire.ExecResult, error) {
			return wire.ExecResult{}, nil
		}
		return nil
	}
	c := w.open()
	w.rules(c, `@id("no-make") forbid (principal in Door::"mcp", action == Action::"run", resource == Program::"make");`)
	wait := w.listen(c)
	for door, want := range map[string]task.State{"mcp": task.StateFailed, "cli": task.StateDone, "": task.StateDone} {
		r := execRequestOf("make")
		r.Door = "window" // which a request cannot say
		made, err := c.StartTask(task.WithDoor(t.Context(), door), r)
		if err != nil {
			t.Fatal(err)
		}
		if got := wait(made.ID, want); got.Door != door {
			t.Errorf("%q: %q", door, got.Door)
		}
		if !slices.ContainsFunc(w.audit(c), func(r audit.Record) bool { return r.Task == made.ID && r.Door == door }) {
			t.Errorf("%q is not in the audit log", door)
		}
	}
}
