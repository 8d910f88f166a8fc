// Package awake keeps a computer that nobody uses from falling asleep while tasks
// are at work: a person who starts a long one and goes away finds it done. It is no
// more than that: the screen goes dark as always, a lid that is closed and a person
// who sends the computer to sleep have their way, and nothing is kept from shutting
// down.
//
// Each system has its own word for it: an inhibitor of logind for "idle" on Linux
// (org.freedesktop.login1(5)), SetThreadExecutionState on Windows, caffeinate(8) on
// macOS. What is held ends with the process, however that ends.
package awake

import (
	"context"
	"log/slog"
	"maps"
	"slices"

	"piwork/app/task"
)

// Hold keeps the computer awake until release is called.
type Hold func(ctx context.Context, why string) (release func(), err error)

// why is shown by the system to who asks what keeps the computer awake.
const why = "A task is at work"

// Kinds are those of the events that Follow needs.
var Kinds = []task.EventKind{task.EventState, task.EventGone}

// Keep keeps the computer from falling asleep while tasks are at work, until ctx ends; with a nil
// hold it does nothing. When it was too slow to hear everything, what is kept of the events says
// it again.
func Keep(ctx context.Context, subscribe func(task.EventFilter) (<-chan task.Event, func()), list func() ([]task.Task, error), hold Hold, log *slog.Logger) {
	for hold != nil && ctx.Err() == nil {
		events, stop := subscribe(task.EventFilter{Kinds: Kinds})
		unhook := context.AfterFunc(ctx, stop)
		Follow(ctx, events, list, hold, log)
		unhook()
		stop()
	}
}

// Follow holds while a task is at work, until events ends. A task that waits for its
// person is not: nobody comes back to a computer because it stayed awake. list is
// asked for what runs when events were missed.
func Follow(ctx context.Context, events <-chan task.Event, list func() ([]task.Task, error), hold Hold, log *slog.Logger) {
	working := map[string]bool{}
	var release func()
	end := func() {
		if release != nil {
			release()
			release = nil
		}
	}
	defer end()
	refused := false
	for e := range events {
		switch e.Kind {
		case task.EventState:
			if data, ok := e.Data.(task.StateData); ok {
				working[e.Task] = atWork(data.State)
			}
		case task.EventGone:
			delete(working, e.Task)
		case task.EventReset:
			tasks, err := list()
			if err != nil {
				log.Warn("what is at work could not be listed", "error", err)
				continue
			}
			clear(working)
			for _, t := range tasks {
				working[t.ID] = atWork(t.State)
			}
		default:
			continue
		}
		maps.DeleteFunc(working, func(_ string, works bool) bool { return !works })
		switch {
		case len(working) == 0:
			end()
		case release == nil && !refused:
			var err error
			if release, err = hold(ctx, why); err != nil {
				// A system that cannot, or does not want to: it is asked once.
				refused, release = true, nil
				log.Info("the computer may fall asleep while a task works", "reason", err)
			}
		}
	}
}

func atWork(s task.State) bool {
	return slices.Contains([]task.State{task.StatePreparing, task.StateRunning}, s)
}
