package app

import (
	"context"

	"piwork/app/awake"
	"piwork/app/task"
)

// stayAwake keeps the computer from falling asleep while tasks are at work, until
// the controller ends. When it was too slow to hear everything, what is kept of the
// events says it again.
func (c *Controller) stayAwake() {
	if c.s.awake == nil {
		return
	}
	list := func() ([]task.Task, error) {
		tasks, _, err := c.store.List()
		return tasks, err
	}
	for c.registry.Base().Err() == nil {
		events, stop := c.events.Subscribe(task.EventFilter{Kinds: awake.Kinds})
		unhook := context.AfterFunc(c.registry.Base(), stop)
		awake.Follow(c.registry.Base(), events, list, c.s.awake, c.log)
		unhook()
		stop()
	}
}
