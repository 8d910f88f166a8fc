package app

import (
	"context"
	"errors"
	"testing"
	"time"

	"piwork/app/consent"
	"piwork/app/mcpservers"
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

// proofs are kept in memory.
type proofs map[string]bool

func (p proofs) Knows(what string) bool { return p[what] }

func (p proofs) Learn(what string, holds bool) error {
	p[what] = holds
	return nil
}

// A computer that is preferred and was switched off after its proof fails one task; the next one
// works in a machine, and on that computer again when it is back. A proof holds for an hour.
func TestComputerThatIsOffMeanwhile(t *testing.T) {
	w := newPlaceWorld(t)
	known, made := proofs{}, 0
	var off error
	w.remoteSeam = remoteSeam{proofs: known, make: func(_ context.Context, c tasks.PlaceConfig, r remotes.Remote) (vmhost.Runtime, error) {
		w.set(func() { made++ })
		return onComputer{sandboxed{machineIn(t.TempDir(), vm.Config{Env: c.Env, OnStatus: c.OnStatus})}, r.Name}, off
	}}
	c := w.open()
	now := time.Now()
	w.ahead.Store(int64(now.Truncate(time.Hour).Add(time.Hour + time.Minute).Sub(now))) // no hour ends meanwhile
	if err := (keptRemotes{c.config}).Set([]remotes.Remote{{Name: "lab", Address: "anna@lab"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.SetRuntimes(t.Context(), runtimes.Settings{Prefer: []string{"remote:lab"}}); err != nil {
		t.Fatal(err)
	}
	run := func(state task.State, runtime string, places int) {
		t.Helper()
		made = 0
		if got := w.run(c, tasks.StartRequest{}, consent.AnswerRequest{}); got.State != state || got.Runtime != runtime || made != places {
			t.Errorf("%s in %s, %v, %d places; want %s in %s, %d", got.State, got.Runtime, got.Error, made, state, runtime, places)
		}
	}
	run(task.StateDone, "remote:lab", 2) // a small task before it
	run(task.StateDone, "remote:lab", 1)
	off = problem.New(problem.CodeUnsupported)
	run(task.StateFailed, "remote:lab", 1)
	run(task.StateDone, vmhost.KindVM, 1)
	off = nil
	run(task.StateDone, "remote:lab", 2)
	w.ahead.Add(int64(time.Hour))
	run(task.StateDone, "remote:lab", 2)
}

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

// An MCP server works on this computer, also for who prefers another one, and in no place that a
// written rule asks about: nobody is asked.
func TestServersStayHere(t *testing.T) {
	w, all := newPlaceWorld(t), &serverMachines{}
	w.remoteSeam = remoteSeam{proofs: proofs{}, make: func(_ context.Context, c tasks.PlaceConfig, r remotes.Remote) (vmhost.Runtime, error) {
		return onComputer{sandboxed{machineIn(t.TempDir(), vm.Config{Env: c.Env, OnStatus: c.OnStatus})}, r.Name}, nil
	}}
	c := openServers(t, w.world, all)
	if err := (keptRemotes{c.config}).Set([]remotes.Remote{{Name: "lab", Address: "anna@lab"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.SetRuntimes(t.Context(), runtimes.Settings{Prefer: []string{"remote:lab"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.AddMCPServer(t.Context(), mcpservers.Addition{Name: "eyes", Command: "node"}); err != nil {
		t.Fatal(err)
	}
	if v, err := c.CheckMCPServer(t.Context(), "eyes"); err != nil || len(v.Tools) != 1 || len(all.list) != 1 {
		t.Errorf("%+v %v, %d machines", v, err, len(all.list))
	}
	w.rules(c, `@id("first") @effect("ask") permit (principal, action == Action::"startRuntime", resource == Runtime::"vm");`)
	if _, err := c.CheckMCPServer(t.Context(), "eyes"); codeOf(err) != problem.CodeRuleDenied || len(all.list) != 1 {
		t.Errorf("%v, %d machines", err, len(all.list))
	}
}
