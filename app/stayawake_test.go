package app

import (
	"context"
	"testing"
	"time"

	"piwork/app/task"
)

// The computer is held awake from when a task works until the controller is gone.
func TestStaysAwakeForWork(t *testing.T) {
	w := newWorld(t)
	held, let := make(chan string, 8), make(chan struct{}, 8)
	c, err := open(t.Context(), w.options(), func(ctx context.Context, o Options) (seams, error) {
		s, err := w.seams(ctx, o)
		s.awake = func(_ context.Context, why string) (func(), error) {
			held <- why
			return func() { let <- struct{}{} }, nil
		}
		return s, err
	})
	if err != nil {
		t.Fatal(err)
	}
	c.events.Publish(task.Event{Kind: task.EventState, Task: "t", Data: task.StateData{State: task.StateRunning}})
	if why := <-held; why == "" {
		t.Error("the system is not told why")
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := c.Close(ctx); err != nil {
		t.Fatal(err)
	}
	<-let
	if len(held) != 0 || len(let) != 0 {
		t.Errorf("held %d and let go %d times more", len(held), len(let))
	}
}
