package hosted

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// Folders moves files between folders and their copies. run runs a program of the agent in
// the place.
type Folders interface {
	Send(ctx context.Context, run Run) error
	Begin(ctx context.Context, run Run) error // Send before an action
	End(ctx context.Context, run Run) error   // after it
	Fetch(ctx context.Context, run Run) error
}

// Run runs a program, gives it in and takes its output to out, until it ends. in is closed
// then.
type Run = func(ctx context.Context, argv []string, in io.ReadCloser, out io.Writer) error

// copyTime bounds one such program.
const copyTime = time.Hour

// sendFolders is the last step of connecting.
func (r *Runtime) sendFolders(ctx context.Context) (err error) {
	if r.cfg.Folders == nil {
		return nil
	}
	r.life.Step(StepFolders)
	if r.folders, err = r.cfg.Folders(); err != nil || r.folders == nil {
		return err
	}
	return r.folders.Send(ctx, r.run)
}

// fetchFolders brings back what programs changed that still ran after the last action, for as
// long as what a cancelled one changed is, also where ctx has less time: a large folder takes
// longer to be looked through than an agent to end. When that is over, or ctx is cancelled, an
// action that still brings back its own changes gives up, too: Fetch may wait for it. Its error is
// that some of it is lost.
func (r *Runtime) fetchFolders(ctx context.Context) error {
	if r.folders == nil || r.copying.Err() != nil {
		return nil
	}
	look, give := r.clock.Timeout(context.WithoutCancel(ctx), r.cfg.Timing.Cancel, context.DeadlineExceeded)
	defer give()
	defer context.AfterFunc(ctx, func() {
		if errors.Is(ctx.Err(), context.Canceled) {
			give()
		}
	})()
	defer context.AfterFunc(look, func() { r.endCopy(context.Cause(look)) })()
	err := r.folders.Fetch(look, r.run)
	if err == nil {
		return nil
	}
	r.cfg.Log.Warn("what changed at last in the copies of folders is lost", "err", err)
	if unsaved, is := errors.AsType[*vmhost.UnsavedError](err); is {
		return unsaved
	}
	return r.failure(r.reasonLater(err), err)
}

// executeOnCopies is Execute where the folders are copies.
func (r *Runtime) executeOnCopies(ctx context.Context, a vmhost.Action) (vmhost.Observation, error) {
	if err := r.folders.Begin(ctx, r.run); err != nil {
		if a.Input != nil {
			a.Input.Close()
		}
		return vmhost.Observation{}, r.folderError(ctx, err)
	}
	obs, err := r.executor(r.cfg.Env.Limits).Execute(ctx, a)
	// What a cancelled action changed is brought back, too, as long as that does not take
	// longer than a cancel may.
	after, give := context.WithCancelCause(r.copying)
	defer give(nil)
	defer context.AfterFunc(ctx, func() {
		if r.clock.Sleep(after, r.cfg.Timing.Cancel) {
			give(context.Cause(ctx))
		}
	})()
	if ferr := r.folders.End(after, r.run); ferr != nil {
		if ferr = r.folderError(ctx, ferr); err == nil {
			err = ferr
		} else if !errors.Is(err, ferr) { // both are of a cancel, or of the end of the runtime
			err = errors.Join(err, ferr)
		}
	}
	return obs, err
}

// folderError is the error of an action whose folders could not be brought there or back.
// Unless it is about single names, or the action was given up, the copies are worth nothing
// any more.
func (r *Runtime) folderError(ctx context.Context, err error) error {
	var unsaved *vmhost.UnsavedError
	switch {
	case errors.As(err, &unsaved):
		return unsaved
	case r.life.Err() != nil:
		return r.life.Err()
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	r.fail(r.reasonLater(err), err)
	return r.life.Err()
}

// reasonLater is reason for an error after connecting.
func (r *Runtime) reasonLater(err error) vmhost.Reason {
	if reason := r.reason(err); reason != vmhost.ReasonStart {
		return reason
	}
	return vmhost.ReasonShare
}

// run runs a program of the agent's for the folders. It ends with the agent also where the
// runtime is closing, whose life does not.
func (r *Runtime) run(ctx context.Context, argv []string, in io.ReadCloser, out io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var said Tail
	x := r.executor(vmhost.Limits{})
	x.Life, x.Ended = r.copying, func() error { return context.Cause(r.copying) }
	obs, err := x.Execute(ctx, vmhost.Action{
		Exec: &wire.ExecParams{Argv: argv, Cwd: "/", Limits: wire.Limits{WallMS: copyTime.Milliseconds(), OutputBytes: wire.MaxOutput}}, Input: in,
		OnOutput: func(o wire.ExecOutput) {
			if o.Stream != wire.Stdout {
				_, _ = said.Write(o.Data)
				return
			}
			if _, err := out.Write(o.Data); err != nil {
				cancel(err)
			}
		},
	})
	switch {
	case err != nil:
		return err
	case obs.Exec.ExitCode != 0 || obs.Exec.Truncated:
		return fmt.Errorf("%s ended with %d: %s", argv[len(argv)-1], obs.Exec.ExitCode, said.String())
	}
	return nil
}
