package background

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"piwork/app"
	"piwork/app/api"
	"piwork/app/client"
	"piwork/app/lock"
	"piwork/app/problem"
	"piwork/app/task"
)

const (
	openWithin = closeWithin + app.CloseLate + 5*time.Second // one that has the data directory may be starting, ending or slow
	openPause  = 50 * time.Millisecond
)

// SessionOptions say how to open a Session.
type SessionOptions struct {
	App    app.Options
	Shell  api.Shell   // nil without a window
	Window api.Window  // nil without a window
	Copies *api.Copies // of a window
	Door   string      // by which requests come, see task.DoorOf; that of a window where there is one

	// Launch starts a controller where none answers; nil is [Launch].
	Launch func(ctx context.Context, o app.Options) (Ready, error)
}

// Session is a controller to talk to.
type Session struct {
	*client.Client
	API      *api.API // what is about this process's own window, and else the same controller; nil without a window
	Process  api.ProcessStatus
	Socket   string // where the controller answers; "" on another computer
	Launched bool   // by this Open
	Outdated bool   // this program is newer, or has other variables, and the other is in use

	transport http.RoundTripper
	log       *slog.Logger
	options   app.Options
}

// Open finds the controller of the data directory, or starts it. One that is there and does
// not answer is a problem with the code "controller-in-use".
func Open(ctx context.Context, o SessionOptions) (*Session, error) {
	o.App.Log = cmp.Or(o.App.Log, slog.New(slog.DiscardHandler))
	if o.Launch == nil {
		if s, err := o.find(ctx); s != nil || err != nil {
			return s, err
		}
		o.Launch = Launch
	}
	r, err := o.Launch(ctx, o.App)
	if err != nil {
		return nil, err
	}
	within, stop := context.WithTimeout(ctx, openWithin)
	defer stop()
	s, err := o.join(within, r.Socket)
	if err != nil {
		return nil, problem.New(problem.CodeControllerInUse).With("pid", r.PID).Because(err)
	}
	s.Launched = true
	return s, nil
}

// find is a session with the controller that is there, nil without one. One that another
// program is to replace ends, unless tasks are at work in it.
func (o SessionOptions) find(ctx context.Context) (*Session, error) {
	if _, ok := Holder(o.App); !ok {
		return nil, nil // whoever starts one waits for one that is starting
	}
	var s *Session
	if err := whileInUse(ctx, o.App, func(ctx context.Context, socket string) (err error) {
		s, err = o.join(ctx, socket)
		return err
	}); err != nil || s == nil {
		return nil, err
	}
	other := s.Process.Env != environment(o.App, os.Environ())
	switch {
	case !s.Process.Background, !other && !ownFile().replaces(s.Process, o.App.WithDefaults().Version):
		return s, nil
	case other && s.Process.Clients > 0, s.EndProcess(ctx, api.EndRequest{}) != nil:
		s.Outdated = true
		return s, nil
	}
	return nil, nil // whoever starts one waits for its end
}

// whileInUse calls ask with the socket of the controller until ask succeeds, or no process has
// the data directory: a controller that starts, ends or is slow is no missing one. One that
// does not answer within openWithin is a problem with the code "controller-in-use".
func whileInUse(ctx context.Context, o app.Options, ask func(ctx context.Context, socket string) error) error {
	dir := o.WithDefaults().DataDir
	within, stop := context.WithTimeout(ctx, openWithin)
	defer stop()
	for {
		err := errors.New("it does not say where it answers")
		h, ok := Holder(o)
		if ok {
			err = ask(within, h.Socket)
		}
		if err == nil || !lock.InUse(dir) {
			return nil
		}
		select {
		case <-time.After(openPause):
		case <-within.Done():
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return problem.New(problem.CodeControllerInUse).With("pid", h.PID).Because(fmt.Errorf("its process does not answer: %w", err))
		}
	}
}

// Holder is what the controller of a data directory says of itself; it may have died since.
func Holder(o app.Options) (lock.Holder, bool) {
	var h lock.Holder
	data, err := os.ReadFile(filepath.Join(o.WithDefaults().DataDir, lock.HolderFile))
	return h, err == nil && json.Unmarshal(data, &h) == nil && h.Socket != ""
}

// Find is a client of the controller that is there, and what it says of itself; nil without
// one. One that does not answer is a problem with the code "controller-in-use".
func Find(ctx context.Context, o app.Options) (c *client.Client, s api.ProcessStatus, err error) {
	err = whileInUse(ctx, o, func(ctx context.Context, socket string) error {
		asked := client.New(client.Socket(socket), o.Log)
		now, err := asked.ProcessStatus(ctx)
		if err == nil {
			c, s = asked, now
		}
		return err
	})
	return c, s, err
}

// join makes a session with the controller behind a socket.
func (o SessionOptions) join(ctx context.Context, socket string) (*Session, error) {
	rt := client.Socket(socket)
	if o.Window != nil {
		o.Door = task.DoorWindow
	}
	rt = AtDoor(rt, o.Door)
	c := client.New(rt, o.App.Log)
	p, err := c.ProcessStatus(ctx)
	if err != nil {
		return nil, err
	}
	s := &Session{Client: c, Process: p, Socket: socket, transport: rt, log: o.App.Log, options: o.App}
	if o.Window != nil { // a command line has no use for it, and would wait for it to be made
		s.API = api.New(api.Options{Service: c, Shell: o.Shell, Window: o.Window, Copies: o.Copies, Version: o.App.Version, Developer: o.App.Developer, Log: o.App.Log})
	}
	return s, nil
}

// AtDoor says of each request by which door it comes (see task.DoorOf); "" says nothing.
func AtDoor(rt http.RoundTripper, door string) http.RoundTripper {
	if door == "" {
		return rt
	}
	return with{rt, api.ClientHeader, door}
}

// As is a client of the same controller, as the program that has a token.
func (s *Session) As(secret string) *client.Client {
	return client.New(with{s.transport, "Authorization", "Bearer " + secret}, s.log)
}

// with says something in each request.
type with struct {
	http.RoundTripper
	header, value string
}

// RoundTrip implements http.RoundTripper.
func (t with) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(t.header, t.value)
	return t.RoundTripper.RoundTrip(r)
}

// Close ends the tasks that are held from here, and nothing else.
func (s *Session) Close() {
	if s.API != nil {
		s.API.Close()
	}
}

// Await opens the data directory for the one that was launched. Another that has it is
// waited for until it answers, whose Ready is returned, or ends.
func Await(ctx context.Context, o ServerOptions) (*Server, Ready, error) {
	deadline, stop := context.WithTimeout(ctx, openWithin)
	defer stop()
	for {
		s, err := NewServer(ctx, o)
		if err == nil {
			return s, Ready{PID: os.Getpid(), Socket: s.Controller.Socket()}, nil
		}
		var held *lock.HeldError
		if !errors.As(err, &held) {
			return nil, Ready{}, err
		}
		why := errors.New("it does not say where it answers")
		if held.Socket != "" {
			if _, why = client.New(client.Socket(held.Socket), o.App.Log).ProcessStatus(deadline); why == nil {
				return nil, Ready{PID: held.PID, Socket: held.Socket}, nil
			}
		}
		select {
		case <-time.After(openPause):
		case <-deadline.Done():
			if ctx.Err() != nil {
				return nil, Ready{}, ctx.Err()
			}
			return nil, Ready{}, problem.New(problem.CodeControllerInUse).With("pid", held.PID).
				Because(fmt.Errorf("%w, and its process does not answer: %w", err, why))
		}
	}
}

// AwaitEnd waits until no process has the data of this session.
func (s *Session) AwaitEnd(ctx context.Context) error { return AwaitEnd(ctx, s.options) }

// AwaitEnd waits until no process has the data directory.
func AwaitEnd(ctx context.Context, o app.Options) error {
	dir := o.WithDefaults().DataDir
	ctx, stop := context.WithTimeoutCause(ctx, openWithin, errors.New("the process that has the data does not end"))
	defer stop()
	for lock.InUse(dir) {
		select {
		case <-time.After(openPause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}
