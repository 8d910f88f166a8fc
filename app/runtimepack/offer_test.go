package runtimepack

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"piwork/app/audit"
	"piwork/app/audit/audittest"
	"piwork/app/problem"
	"piwork/app/runtimepack/updater"
	"piwork/app/settings"
	"piwork/app/setup"
)

// offering is an updater that knows ways to a runtime.
type offering struct {
	Updater // what the test does not need is nil
	phase   updater.Phase
	file    string
}

func (*offering) SettingsChanged() updater.State  { return updater.State{} }
func (o *offering) State() updater.State          { return updater.State{Phase: o.phase} }
func (o *offering) Beside(context.Context) string { return o.file }

// What is missing is said with the ways that are open here, and only those.
func TestOffer(t *testing.T) {
	for _, tt := range []struct {
		name     string
		code     string
		updater  *offering
		found    any
		download bool
	}{
		{"a channel and a file", problem.CodePackMissing, &offering{phase: updater.PhaseAvailable, file: "/media/b.tar"}, "/media/b.tar", true},
		{"no channel", problem.CodePackMissing, &offering{phase: updater.PhaseOff}, nil, false},
		{"damaged, and a file", problem.CodePackCorrupt, &offering{phase: updater.PhaseOff, file: "/media/b.tar"}, "/media/b.tar", false},
		{"of something else", problem.CodeBootFailed, &offering{phase: updater.PhaseIdle, file: "/media/b.tar"}, nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			first := []problem.Problem{*problem.New(tt.code)}
			rep := setup.Report{Problems: first}
			m, err := New(t.Context(), Options{
				Updater: func(context.Context, updater.Options) (Updater, error) { return tt.updater, nil },
			})
			if err != nil {
				t.Fatal(err)
			}
			m.Offer(t.Context(), &rep)
			p := rep.Problems[0]
			if p.Params["found"] != tt.found {
				t.Errorf("found %v", p.Params["found"])
			}
			download := slices.ContainsFunc(p.Fix, func(f problem.Fix) bool { return f.Code == problem.FixDownloadPack })
			if download != tt.download || len(p.Fix) < len(first[0].Fix) {
				t.Errorf("fixes %+v", p.Fix)
			}
			if first[0].Params["found"] != nil {
				t.Error("the problem of another report was changed")
			}
		})
	}
}

// Who chooses where updates come from, and whether there are any, is in the audit log.
func TestChoiceOfUpdatesIsRecorded(t *testing.T) {
	file, err := settings.Open(filepath.Join(t.TempDir(), "config.json"), updater.Settings{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	log := audittest.Open(t)
	m, err := New(t.Context(), Options{
		Updater: func(context.Context, updater.Options) (Updater, error) { return &offering{}, nil },
		Choice:  settings.Of(file, func(all *updater.Settings) *updater.Settings { return all }), Audit: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.SetUpdates(t.Context(), updater.Settings{URLs: []string{"https://mirror.example/piwork"}}); err != nil {
		t.Fatal(err)
	}
	page, err := log.Records(t.Context(), audit.Filter{Event: audit.EventDecision})
	if err != nil || len(page.Records) != 1 || page.Records[0].Topic != "updates" || page.Records[0].Mode != "manual mirror.example" {
		t.Errorf("%+v %v", page.Records, err)
	}
}
