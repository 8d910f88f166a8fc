package app

import (
	"context"
	"errors"
	"testing"

	"piwork/app/consent"
	"piwork/app/problem"
	"piwork/app/remotes"
	"piwork/app/runtimes"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost"
	"piwork/vmhost/remote"
	"piwork/vmhost/vm"
)

// onComputer is a place on another computer.
type onComputer struct {
	sandboxed
	name string
}

func (e onComputer) Capabilities() vmhost.Capabilities { return remote.Capabilities(e.name) }

// noProofs remembers nothing.
type noProofs struct{}

func (noProofs) Knows(string) bool        { return false }
func (noProofs) Learn(string, bool) error { return nil }

// A task works on another computer only when that is named or preferred, and what was chosen
// about one that is removed goes with it.
func TestRemoteKinds(t *testing.T) {
	w := newPlaceWorld(t)
	var made []string
	w.remoteSeam = remoteSeam{proofs: noProofs{}, make: func(_ context.Context, c tasks.PlaceConfig, r remotes.Remote) (vmhost.Runtime, error) {
		w.set(func() { made = append(made, c.Kind+" at "+r.Address) })
		return onComputer{sandboxed{machineIn(t.TempDir(), vm.Config{Env: c.Env, OnStatus: c.OnStatus})}, r.Name}, nil
	}}
	c := w.open()
	if err := (keptRemotes{c.config}).Set([]remotes.Remote{{Name: "lab", Address: "anna@lab"}}); err != nil {
		t.Fatal(err)
	}
	all, err := c.Runtimes(t.Context())
	if err != nil || len(all) != 3 || all[2].Kind != "remote:lab" || !all[2].Works || !all[2].ByName || all[2].Domain != vmhost.DomainRemote {
		t.Fatalf("%+v %v", all, err)
	}
	named := tasks.StartRequest{MachineChoice: tasks.MachineChoice{Runtime: "remote:lab"}}
	if got := w.run(c, named, consent.AnswerRequest{}); got.State != task.StateDone || got.Runtime != "remote:lab" || made[len(made)-1] != "remote:lab at anna@lab" {
		t.Errorf("%+v %v %q", got, got.Error, made)
	}
	if got := w.run(c, tasks.StartRequest{}, consent.AnswerRequest{}); got.Runtime != vmhost.KindVM {
		t.Errorf("%+v", got)
	}
	choice, err := c.ExplainRuntime(t.Context(), runtimes.Need{Work: task.KindExec})
	if err != nil || choice.Verdicts[2].Reason != runtimes.ReasonUnnamed {
		t.Errorf("%+v %v", choice, err)
	}
	choice, err = c.ExplainRuntime(t.Context(), runtimes.Need{Work: task.KindAI, Named: "remote:lab"})
	if err != nil || choice.Kind != "" || choice.Verdicts[2].Reason != runtimes.ReasonWork {
		t.Errorf("%+v %v", choice, err)
	}
	if _, err := c.SetRuntimes(t.Context(), runtimes.Settings{Prefer: []string{"remote:lab"}, Weaker: map[string]runtimes.Allowance{"remote:lab": runtimes.AllowAlways}}); err != nil {
		t.Fatal(err)
	}
	if got := w.run(c, tasks.StartRequest{}, consent.AnswerRequest{}); got.Runtime != "remote:lab" {
		t.Errorf("%+v", got)
	}
	both := []remotes.Remote{{Name: "big", Address: "context", Cluster: &remotes.Cluster{Image: "debian:12", Owner: "owner0000"}}, {Name: "lab", Address: "anna@lab"}}
	if err := (keptRemotes{c.config}).Set(both); err != nil {
		t.Fatal(err)
	}
	named.Runtime = "kubernetes:big"
	if got := w.run(c, named, consent.AnswerRequest{}); got.State != task.StateDone || got.Runtime != "kubernetes:big" || made[len(made)-1] != "kubernetes:big at context" {
		t.Errorf("%+v %v %q", got, got.Error, made)
	}
	named.Runtime = "remote:lab"
	if err := c.RemoveRemote(t.Context(), "lab"); err != nil {
		t.Fatal(err)
	}
	if s, err := c.RuntimeSettings(t.Context()); err != nil || len(s.Prefer)+len(s.Weaker) > 0 {
		t.Errorf("%+v %v", s, err)
	}
	var p *problem.Problem
	if _, err := c.StartTask(t.Context(), named); !errors.As(err, &p) || p.Code != problem.CodeNotFound {
		t.Errorf("%v", err)
	}
}
