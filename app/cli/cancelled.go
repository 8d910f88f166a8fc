package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"piwork/app/cli/command"
	"piwork/app/cli/terminal"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/words"
)

// Bounds of the time in which a task that is cancelled stops.
const (
	stopWithin = 30 * time.Second
	lateWithin = 5 * time.Second // in which it begins, where its beginning was not heard of
)

// cancelled stops the task and waits until it has.
func (f *follower) cancelled(ctx context.Context) error {
	f.bar.Stop()
	f.joined.Leave()
	if f.guest {
		f.HintText("goes-on", "id", words.ShortID(f.id))
		return &command.Ended{Code: ExitCancelled}
	}
	bar := f.StartProgress(terminal.Text("progress-stop"))
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer stop()
	t, begun, err := f.stop(end)
	bar.Stop()
	if err != nil {
		return err
	}
	if !begun {
		return &command.Ended{Code: ExitCancelled}
	}
	if t.State == task.StateDone { // it was faster
		return f.ended(end, t)
	}
	if f.JSON {
		f.record(t)
		return &command.Ended{Code: ExitCancelled}
	}
	fmt.Fprintln(f.Stderr, terminal.Text("stopped"))
	f.takeBack(end)
	f.mayGoOn(t)
	return &command.Ended{Code: ExitCancelled}
}

// stop cancels the task. One that was not heard to begin is cancelled when it has begun; it reports
// false of one that did not within lateWithin.
func (f *follower) stop(ctx context.Context) (t task.Task, begun bool, err error) {
	late, again := time.After(lateWithin), time.NewTicker(lateWithin/50)
	defer again.Stop()
	for {
		t, err = f.CancelTask(ctx, f.id)
		p, is := errors.AsType[*problem.Problem](err)
		missing := is && p.Code == problem.CodeNotFound
		begun = err == nil && t.Ended != nil && (f.was.Ended == nil || !t.Ended.Equal(*f.was.Ended))
		if begun || err != nil && !missing {
			return t, begun, err
		}
		select {
		case <-again.C:
		case <-late:
			return t, false, nil
		}
	}
}
