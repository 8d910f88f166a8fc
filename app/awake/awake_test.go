package awake

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"

	"piwork/app/task"
)

// computer counts what holds it awake.
type computer struct {
	holds, asked int
	err          error
}

func (c *computer) hold(context.Context, string) (func(), error) {
	c.asked++
	if c.err != nil {
		return nil, c.err
	}
	c.holds++
	return func() { c.holds-- }, nil
}

func state(id string, s task.State) task.Event {
	return task.Event{Kind: task.EventState, Task: id, Data: task.StateData{State: s}}
}

func TestFollow(t *testing.T) {
	reset := task.Event{Kind: task.EventReset}
	gone := func(id string) task.Event { return task.Event{Kind: task.EventGone, Task: id} }
	for _, row := range []struct {
		name   string
		events []task.Event
		want   []int // how much is held after each
	}{
		{"a task", []task.Event{state("a", task.StateQueued), state("a", task.StatePreparing), state("a", task.StateRunning), state("a", task.StateDone)}, []int{0, 1, 1, 0}},
		{"one that waits for its person", []task.Event{state("a", task.StateRunning), state("a", task.StateWaiting), state("a", task.StateRunning), state("a", task.StateFailed)}, []int{1, 0, 1, 0}},
		{"two", []task.Event{state("a", task.StateRunning), state("b", task.StateRunning), state("a", task.StateCancelled), state("b", task.StateDone)}, []int{1, 1, 1, 0}},
		{"one that is deleted", []task.Event{state("a", task.StateRunning), gone("a")}, []int{1, 0}},
		{"events that were missed", []task.Event{state("x", task.StateRunning), reset, state("listed", task.StateDone)}, []int{1, 1, 0}},
		{"what is none of it", []task.Event{{Kind: task.EventProgress, Task: "a"}, {Kind: task.EventState, Task: "a"}}, []int{0, 0}},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &computer{}
				events := make(chan task.Event)
				listed := []task.Task{{ID: "listed", State: task.StateRunning}, {ID: "x", State: task.StateDone}}
				go Follow(t.Context(), events, func() ([]task.Task, error) { return listed, nil }, c.hold, slog.New(slog.DiscardHandler))
				var got []int
				for _, e := range row.events {
					events <- e
					synctest.Wait()
					got = append(got, c.holds)
				}
				if !slices.Equal(got, row.want) {
					t.Errorf("held %v, want %v", got, row.want)
				}
				events <- state("last", task.StateRunning)
				close(events)
				synctest.Wait()
				if c.holds != 0 {
					t.Error("held after the end")
				}
			})
		})
	}
}

// A system that refuses is not asked for every task, and nothing fails by it.
func TestRefused(t *testing.T) {
	c := &computer{err: errors.New("no")}
	events := make(chan task.Event, 4)
	for _, s := range []task.State{task.StateRunning, task.StateDone, task.StateRunning, task.StateDone} {
		events <- state("a", s)
	}
	close(events)
	Follow(t.Context(), events, nil, c.hold, slog.New(slog.DiscardHandler))
	if c.asked != 1 || c.holds != 0 {
		t.Errorf("asked %d times, %d held", c.asked, c.holds)
	}
}
