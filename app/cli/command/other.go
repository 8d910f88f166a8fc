package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"sync"
	"time"

	"piwork/app/api"
	"piwork/app/background"
	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/client"
	"piwork/app/problem"
	"piwork/app/remotes"
	"piwork/app/settings"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost"
	"piwork/vmhost/remote"
)

// EnvOn names the computer that commands work on where --on says nothing.
const EnvOn = "PIWORK_ON"

// otherWithin is how long the controller on another computer may take to come up and answer.
const otherWithin = 90 * time.Second

// other is the connection to the computer that --on names, for one run of the program. The
// piwork there does the work; this one is its client, as it is of the one here.
type other struct {
	once   sync.Once
	piwork *remote.Piwork
	err    error
}

// reach connects to the computer of --on, once.
func (e *Env) reach(ctx context.Context) (*remote.Piwork, error) {
	o := &e.other
	o.once.Do(func() {
		bar := e.StartProgress(terminal.Text("progress-remote"))
		defer bar.Stop()
		var all *remotes.Computers
		if all, o.err = e.Computers(); o.err != nil {
			return
		}
		if o.piwork, o.err = all.Piwork(ctx, e.On); o.err == nil {
			o.piwork.OnLost = func() { e.HintText("on-lost", "name", e.On) }
		}
	})
	return o.piwork, o.err
}

// Computers are the others that the person added, read without a controller.
func (e *Env) Computers() (*remotes.Computers, error) {
	return remotes.Read(filepath.Join(e.AppOptions().WithDefaults().ConfigDir, settings.ConfigName))
}

// Leave ends the connection to another computer.
func (e *Env) Leave() {
	if e.other.piwork != nil {
		e.other.piwork.Close()
	}
}

// connectOther is Connect for the computer of --on.
func (e *Env) connectOther(ctx context.Context) (*Session, error) {
	p, err := e.reach(ctx)
	if err != nil {
		return nil, err
	}
	rt := client.Over(p.Dial)
	c := client.New(background.AtDoor(rt, cmp.Or(e.Door, task.DoorCLI)), e.logger())
	s := &Session{Env: e, Session: &background.Session{Client: c}, leave: rt.CloseIdleConnections}
	asked, stop := context.WithTimeout(ctx, otherWithin)
	defer stop()
	about, err := c.About(asked)
	if err == nil && !api.Speaks(about.API) {
		err = problem.New(problem.CodeRemotePiwork).With("name", e.On).With("version", about.Version).By(remote.ProgramOld)
	}
	if err == nil {
		s.Process, err = c.ProcessStatus(asked)
	}
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = problem.New(problem.CodeRemotePiwork).With("name", e.On).By(remote.ProgramFails).Because(fmt.Errorf("it did not answer within %v", otherWithin))
	}
	if err != nil {
		rt.CloseIdleConnections()
		return nil, err
	}
	return s, nil
}

// otherProblem is the problem of an error of a command that works on another computer; nil
// for one that is not of the way to it.
func (e *Env) otherProblem(err error) *problem.Problem {
	if e.On == "" || !client.IsUnreachable(err) {
		return nil
	}
	p := remotes.Explain(e.On, err)
	var f *vmhost.FailedError
	lost := errors.As(err, &f) && (f.Reason == vmhost.ReasonRemoteLost || f.Reason == vmhost.ReasonRemoteUnreachable)
	if lost || p.Code == problem.CodeUnknown { // a stream ended, and nobody says why
		p = problem.New(problem.CodeRemoteLost).With("name", e.On).Because(err)
	}
	return p
}

// StartTask starts a task. One on another computer goes on there when the connection to it is
// lost: this process has to say that it ends. One whose output is awaited here is let go on
// when it is joined: [Session.LetGoOn].
func (s *Session) StartTask(ctx context.Context, r tasks.StartRequest) (task.Task, error) {
	r.Detached = r.Detached || s.On != "" && !r.Attached
	return s.Client.StartTask(ctx, r)
}

// StartAgain is client.Client's, as StartTask.
func (s *Session) StartAgain(ctx context.Context, id string, r tasks.AgainRequest) (task.Task, error) {
	r.Detached = r.Detached || s.On != ""
	return s.Client.StartAgain(ctx, id, r)
}

// Say is client.Client's, as StartTask.
func (s *Session) Say(ctx context.Context, id string, r tasks.SayRequest) (task.Task, error) {
	r.Detached = r.Detached || s.On != ""
	return s.Client.Say(ctx, id, r)
}

// CompactTask is client.Client's, as StartTask.
func (s *Session) CompactTask(ctx context.Context, id string, detached bool) (task.Task, error) {
	return s.Client.CompactTask(ctx, id, detached || s.On != "")
}

// ResumeTask is client.Client's, as StartTask.
func (s *Session) ResumeTask(ctx context.Context, id string) (task.Task, error) {
	if s.On != "" {
		return s.ResumeDetached(ctx, id)
	}
	return s.Client.ResumeTask(ctx, id)
}

// LetGoOn is for a task whose program this process has joined.
func (s *Session) LetGoOn(ctx context.Context, id string) error {
	if s.On == "" {
		return nil
	}
	_, err := s.DetachTask(ctx, id)
	if client.IsUnreachable(err) { // the connection was lost; saying it twice does no harm
		_, err = s.DetachTask(ctx, id)
	}
	return err
}

// Paths resolves the paths that a person types: those of the computer that the command works
// on.
func (e *Env) Paths(ctx context.Context) flags.Paths {
	if e.On == "" {
		return flags.Paths{}
	}
	return flags.PathsThere(e.On, func() (string, error) {
		p, err := e.reach(ctx)
		if err != nil {
			return "", err
		}
		return path.Clean(p.Home), nil
	})
}
