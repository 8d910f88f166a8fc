package task

import (
	"fmt"
	"slices"
)

// next says where a task may go from each state:
//
//	queued → preparing → running ⇄ waiting
//	                        └──→ done
//
// and from every state that is not final to failed and cancelled. A task that is
// over can be told to go on: it is queued again then.
var next = map[State][]State{
	StateQueued:    {StatePreparing, StateFailed, StateCancelled},
	StatePreparing: {StateRunning, StateFailed, StateCancelled},
	StateRunning:   {StateWaiting, StateDone, StateFailed, StateCancelled},
	StateWaiting:   {StateRunning, StateFailed, StateCancelled},
	StateDone:      {StateQueued},
	StateFailed:    {StateQueued},
	StateCancelled: {StateQueued},
}

// CanGo reports whether a task may go from one state to another.
func CanGo(from, to State) bool { return slices.Contains(next[from], to) }

// TransitionError is a change of state that is not in the life of a task.
type TransitionError struct {
	ID       string
	From, To State
}

func (e *TransitionError) Error() string {
	return fmt.Sprintf("task %s cannot go from %s to %s", e.ID, e.From, e.To)
}
