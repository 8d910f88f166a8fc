package runtimepack

import (
	"context"
	"slices"
	"testing"

	"piwork/app/audit/audittest"
	"piwork/app/problem"
	"piwork/app/runtimepack/updater"
	"piwork/app/task"
)

// asking is an updater that says what it asks before a version is used.
type asking struct {
	Updater // what the test does not need is nil
	mayUse  func(ctx context.Context, current, version string) error
	removed []string
}

func (*asking) State() updater.State { return updater.State{Current: "2.0.0"} }

func (a *asking) Remove(_ context.Context, version string) error {
	a.removed = append(a.removed, version)
	return nil
}

func (a *asking) RemoveAddOn(_ context.Context, name string) error {
	a.removed = append(a.removed, name)
	return nil
}

// A program with a token has no older runtime used, nor a newer one deleted, and who has one used or
// deleted is in the audit log.
func TestOlderRuntimeIsThePersons(t *testing.T) {
	up, log := &asking{}, audittest.Open(t)
	m, err := New(t.Context(), Options{Audit: log, Updater: func(_ context.Context, o updater.Options) (Updater, error) {
		up.mayUse = o.MayUse
		return up, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	ci := task.WithClient(t.Context(), "ci@12345678")
	for _, row := range []struct {
		ctx          context.Context
		version      string
		used, delete bool
	}{
		{t.Context(), "1.0.0", true, true}, {t.Context(), "3.0.0", true, true},
		{ci, "1.0.0", false, true}, {ci, "2.0.0", true, true}, {ci, "3.0.0", true, false},
	} {
		for what, ask := range map[string]struct {
			err error
			may bool
		}{"used": {up.mayUse(row.ctx, "2.0.0", row.version), row.used}, "deleted": {m.RemovePack(row.ctx, row.version), row.delete}} {
			if p := problem.From(ask.err); ask.may != (ask.err == nil) || ask.err != nil && (p.Code != problem.CodeTokenScope || p.Cause != "person") {
				t.Errorf("%q, %s %s: %v", task.ClientOf(row.ctx), row.version, what, ask.err)
			}
		}
	}
	if err := m.RemoveAddOn(ci, "browser"); err != nil {
		t.Error(err)
	}
	if want := []string{"1.0.0", "3.0.0", "1.0.0", "2.0.0", "browser"}; !slices.Equal(up.removed, want) {
		t.Errorf("deleted %q", up.removed)
	}
	if got, want := audittest.Decisions(t, log), []string{
		"runtime-pack used person", "runtime-pack removed person", "runtime-pack used person", "runtime-pack removed person",
		"runtime-pack removed program", "runtime-pack used program", "runtime-pack removed program", "runtime-pack used program", "addon/browser removed program",
	}; !slices.Equal(got, want) {
		t.Errorf("recorded %q", got)
	}
}
