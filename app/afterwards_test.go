package app

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/app/audit"
	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/scripts/lib/memdir"
	"piwork/vmhost/share/journal"
)

// What a task did is taken back, made again and applied by the person and by programs with a
// token as it always was, until a rule says otherwise: then nothing at all is done, and the
// problem and the audit log name the rule.
func TestRulesAboutUndo(t *testing.T) {
	memdir.OnDisk(t) // folders of the system are not shared, /dev is one
	const both = `[Action::"write", Action::"delete"]`
	ci := func(ctx context.Context) context.Context { return task.WithClient(ctx, "ci@1") }
	other := func(ctx context.Context) context.Context { return task.WithClient(ctx, "other@1") }
	you := func(ctx context.Context) context.Context { return ctx }
	for name, x := range map[string]struct {
		rules   string
		by      func(context.Context) context.Context
		refused string // by which rule
	}{
		"no rule":                    {"", ci, ""},
		"a rule about others":        {`@id("r") forbid (principal in Client::"ci", action, resource in Path::"{dir}");`, other, ""},
		"a program":                  {`@id("r") forbid (principal in Client::"ci", action in ` + both + `, resource in Path::"{dir}") when { context.about == "{how}" };`, ci, "yours"},
		"a program, and you ask":     {`@id("r") forbid (principal in Client::"ci", action in ` + both + `, resource in Path::"{dir}") when { context.about == "{how}" };`, you, ""},
		"another folder":             {`@id("r") forbid (principal, action in ` + both + `, resource in Path::"{dir}2");`, ci, ""},
		"what tasks do":              {`@id("r") forbid (principal, action in ` + both + `, resource in Path::"{dir}") unless { ["undo", "redo", "apply"].contains(context.about) };`, ci, ""},
		"everything in a folder":     {`@id("r") forbid (principal, action in ` + both + `, resource in Path::"{dir}");`, you, "yours"},
		"one name":                   {`@id("r") forbid (principal, action in ` + both + `, resource) when { resource.name == "two.txt" };`, you, "yours"},
		"what an AI does":            {`@id("r") forbid (principal in Agent::"pi", action, resource);`, you, ""},
		"only kept apart":            {`@id("r") forbid (principal, action in ` + both + `, resource) unless { ["vm", "container"].contains(context.runtime) };`, you, ""},
		"you are asked":              {`@id("r") @effect("ask") permit (principal, action in ` + both + `, resource);`, you, ""},
		"a program would be asked":   {`@id("r") @effect("ask") permit (principal, action in ` + both + `, resource);`, ci, "yours"},
		"a fault":                    {`forbid`, you, "fault"},
		"only what is not of a task": {`@id("r") forbid (principal, action in ` + both + `, resource) when { context.about == "" };`, ci, ""},
	} {
		for _, how := range []string{history.ByUndo, history.ByRedo, history.ByApply} {
			t.Run(name+"/"+how, func(t *testing.T) {
				mode := task.ModeReadWrite
				if how == history.ByApply {
					mode = task.ModeReview
				}
				w, c, dir, id := changing(t, mode, twoFiles)
				if how == history.ByRedo {
					if _, err := c.Undo(t.Context(), id, history.UndoRequest{}); err != nil {
						t.Fatal(err)
					}
				}
				before := names(t, dir)
				w.rules(c, strings.NewReplacer("{dir}", filepath.ToSlash(dir), "{how}", how).Replace(x.rules))
				var err error
				switch ctx := x.by(t.Context()); how {
				case history.ByUndo:
					_, err = c.Undo(ctx, id, history.UndoRequest{})
				case history.ByRedo:
					_, err = c.Redo(ctx, id, history.RedoRequest{})
				case history.ByApply:
					_, err = c.Apply(ctx, id, history.ApplyRequest{})
				}
				now := names(t, dir)
				if x.refused == "" {
					if err != nil || slices.Equal(now, before) {
						t.Errorf("%s: %v, %q", how, err, now)
					}
					return
				}
				if p, is := errors.AsType[*problem.Problem](err); !is || p.Code != problem.CodeRuleDenied || p.Cause != x.refused || x.refused == "yours" && p.Params["rule"] != "r" || !slices.Equal(now, before) {
					t.Errorf("%s: %+v, %q, before %q", how, err, now, before)
				}
				if !slices.ContainsFunc(w.audit(c), func(r audit.Record) bool {
					return r.Task == id && r.Mode == how && r.Answer == "deny" && strings.HasPrefix(r.Topic, "policy/") && strings.HasPrefix(r.Rule, "yours/")
				}) {
					t.Errorf("%s: the audit log does not say who refused", how)
				}
				// What it says nothing about is done all the same, one by one; what waits is thrown away.
				list, err := c.Changes(t.Context(), id)
				if err != nil || len(list) != 2 {
					t.Fatal(list, err)
				}
				if x.rules == "" || !strings.Contains(x.rules, "two.txt") {
					return
				}
				one := []string{list[slices.IndexFunc(list, func(c journal.Change) bool { return c.Path == "one.txt" })].ID}
				switch how {
				case history.ByUndo:
					_, err = c.Undo(t.Context(), id, history.UndoRequest{IDs: one})
				case history.ByRedo:
					_, err = c.Redo(t.Context(), id, history.RedoRequest{IDs: one})
				case history.ByApply:
					if _, err = c.Apply(t.Context(), id, history.ApplyRequest{IDs: one}); err == nil {
						_, err = c.Apply(t.Context(), id, history.ApplyRequest{Discard: true})
					}
				}
				if err != nil || slices.Equal(names(t, dir), before) {
					t.Errorf("%s of what is allowed: %v", how, err)
				}
			})
		}
	}
}
