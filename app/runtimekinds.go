package app

import (
	"context"
	"log/slog"

	"piwork/app/consent"
	"piwork/app/rundir"
	"piwork/app/runtimes"
	"piwork/app/settings"
	"piwork/app/setup"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost"
	"piwork/vmhost/container"
	"piwork/vmhost/host"
	"piwork/vmhost/sandbox"
	"piwork/vmhost/vm"
)

// placeSeam is a kind of place that is no machine.
type placeSeam struct {
	name string
	kind func(placeBase) runtimes.Kind
	make tasks.PlaceMaker
}

// absentPlace is a kind that this system cannot have, and why.
func absentPlace(caps vmhost.Capabilities, why error) placeSeam {
	return placeSeam{
		name: caps.Name,
		kind: func(placeBase) runtimes.Kind {
			return runtimes.Kind{Standing: runtimes.Standing{Capabilities: caps, Work: runtimes.HostedWork(true)}, Look: func(context.Context, bool) error { return why }}
		},
		make: func(context.Context, tasks.PlaceConfig) (vmhost.Runtime, error) { return nil, why },
	}
}

// absentPlaces are those of a system whose programs are not those of the runtime pack.
func absentPlaces() []placeSeam {
	return []placeSeam{absentPlace(sandbox.Capabilities(nil), sandbox.ErrSystem), absentPlace(container.Capabilities(), container.ErrSystem), absentPlace(host.Capabilities(), host.ErrSystem)}
}

// placeBase is what a kind is proven with.
type placeBase struct {
	files func(context.Context) (setup.Machine, error) // the runtime pack; nothing of it was checked
	runs  *rundir.Dirs
	log   *slog.Logger
}

// newChooser knows the kinds of places that this program has, the strongest first.
func (c *Controller) newChooser() *runtimes.Chooser {
	kinds := []runtimes.Kind{c.machineKind()}
	for _, p := range c.s.places {
		kinds = append(kinds, p.kind(placeBase{c.Files, c.runs, c.log}))
	}
	kept := settings.Of(c.config, func(all *choices) *runtimes.Settings { return &all.Runtimes })
	remote := &runtimes.Shared{}
	return runtimes.New(consent.PlaceChoices{Value: kept, Consent: c.Consent}, kinds...).With(func() []runtimes.Kind { return c.remoteKinds(remote) })
}

// machineKind is the virtual machine, which is proven by a proof boot.
func (c *Controller) machineKind() runtimes.Kind {
	return runtimes.Kind{
		Standing: runtimes.Standing{
			Capabilities: vm.Capabilities(), Folders: true, AddOns: true, Work: []task.Kind{task.KindChore, task.KindExec, task.KindTool, task.KindAI},
		},
		Look: func(ctx context.Context, afresh bool) error {
			rep, err := c.Status(ctx, afresh)
			if err != nil {
				return err
			}
			return rep.Err()
		},
		Isolation: func() vmhost.Isolation { return vm.Isolation(c.Accel()) },
	}
}

// placeMakers make places that are no machine, by their kinds.
func (c *Controller) placeMakers() map[string]tasks.PlaceMaker {
	out := map[string]tasks.PlaceMaker{vmhost.KindRemote: c.makeRemote, vmhost.KindKubernetes: c.makeRemote}
	for _, p := range c.s.places {
		out[p.name] = p.make
	}
	return out
}
