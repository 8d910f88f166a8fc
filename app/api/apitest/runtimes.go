package apitest

import (
	"context"

	"piwork/app/runtimes"
	"piwork/app/task"
	"piwork/vmhost"
)

// chooser has a virtual machine and a sandbox that work, and what kinds the script has.
func (f computer) chooser() *runtimes.Chooser {
	works := func(context.Context, bool) error { return nil }
	work := []task.Kind{task.KindChore, task.KindExec, task.KindTool, task.KindAI}
	engine := func() *vmhost.Engine {
		return &vmhost.Engine{Name: "Podman", Version: "4.3", Socket: "/run/user/1000/podman/podman.sock", Rootless: true, Sizes: true}
	}
	every := []vmhost.NetworkPolicy{vmhost.NetworkDeny, vmhost.NetworkRestricted, vmhost.NetworkAllow}
	kinds := append([]runtimes.Kind{
		{Look: works, Standing: runtimes.Standing{
			Capabilities: vmhost.Capabilities{Name: vmhost.KindVM, Isolation: vmhost.IsolationHardware, Domain: vmhost.DomainVM, Networks: every, Tools: true}, Work: work, Folders: true,
		}},
		{Look: works, By: engine, Meet: func(context.Context) (string, *vmhost.Engine, error) { return "", engine(), nil }, Standing: runtimes.Standing{
			Capabilities: vmhost.Capabilities{Name: vmhost.KindSandbox, Isolation: vmhost.IsolationNamespace, Domain: vmhost.DomainContainer, Networks: every[:1], Tools: true}, Work: work[:3], Folders: true,
		}},
	}, value[[]runtimes.Kind](f.core)...)
	return runtimes.New(chosen(f), kinds...)
}

// chosen keeps what was chosen of runtimes.
type chosen computer

func (c chosen) Get() runtimes.Settings { return value[runtimes.Settings](c.core) }

func (c chosen) Set(_ context.Context, s runtimes.Settings) error {
	_, err := answered[runtimes.Settings](c.core, "SetRuntimes", s)
	return err
}

func (f computer) Runtimes(ctx context.Context) ([]runtimes.Status, error) {
	if err := f.refused("Runtimes"); err != nil {
		return nil, err
	}
	return f.chooser().Runtimes(ctx)
}

func (f computer) TestRuntime(ctx context.Context, kind string) (runtimes.Status, error) {
	if err := f.asked("TestRuntime", kind); err != nil {
		return runtimes.Status{}, err
	}
	return f.chooser().TestRuntime(ctx, kind)
}

func (f computer) ExplainRuntime(ctx context.Context, n runtimes.Need) (runtimes.Choice, error) {
	if err := f.asked("ExplainRuntime", n); err != nil {
		return runtimes.Choice{}, err
	}
	return f.chooser().ExplainRuntime(ctx, n)
}

func (f computer) SetRuntimes(ctx context.Context, s runtimes.Settings) (runtimes.Settings, error) {
	return f.chooser().SetRuntimes(ctx, s)
}
