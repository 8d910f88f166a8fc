package tasks

import (
	"context"

	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost"
)

// Act does an action in the place where a task is at work, beside what the task does. What
// follows a plan takes none.
func (c *Runner) Act(ctx context.Context, id string, a vmhost.Action) (vmhost.Observation, error) {
	refuse := func(cause string) (vmhost.Observation, error) {
		return vmhost.Observation{}, problem.New(problem.CodeNotAtWork).With("task", id).By(cause)
	}
	l := c.Live(id)
	if l == nil {
		if _, err := c.o.Registry.Task(id); err != nil {
			return vmhost.Observation{}, err
		}
		return refuse(fixedOver)
	}
	if l.takesFolders() != nil {
		return refuse(fixedPlanned)
	}
	b := l.opened.Load()
	if b == nil {
		if t, err := c.o.Registry.Task(id); err == nil && t.State.Final() {
			return refuse(fixedOver)
		}
		return refuse("early")
	}
	if err := task.MaySteer(ctx, b.rt.Capabilities().Isolation); err != nil {
		return vmhost.Observation{}, err
	}
	if (a.Fetch != nil || a.Page != nil) && policies[b.network] == vmhost.NetworkDeny {
		return vmhost.Observation{}, problem.New(problem.CodeNetworkOff).With("task", id)
	}
	obs, err := b.Execute(ctx, a)
	if err != nil && l.opened.Load() != b && ctx.Err() == nil { // it ended meanwhile, which is why
		return refuse(fixedOver)
	}
	return obs, err
}
