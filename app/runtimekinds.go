package app

import (
	"context"
	"log/slog"

	"piwork/app/rundir"
	"piwork/app/runtimes"
	"piwork/app/settings"
	"piwork/app/setup"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost/vm"
)

// placeSeam is a kind of place that is no machine.
type placeSeam struct {
	name string
	kind func(placeBase) runtimes.Kind
	make tasks.PlaceMaker
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
	return runtimes.New(settings.Of(c.config, func(all *choices) *runtimes.Settings { return &all.Runtimes }), kinds...)
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
	}
}

// placeMakers make places that are no machine, by their kinds.
func (c *Controller) placeMakers() map[string]tasks.PlaceMaker {
	out := map[string]tasks.PlaceMaker{}
	for _, p := range c.s.places {
		out[p.name] = p.make
	}
	return out
}
