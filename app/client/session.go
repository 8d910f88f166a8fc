package client

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"piwork/app"
	"piwork/app/api"
	"piwork/app/lock"
	"piwork/app/problem"
)

const (
	openWithin   = 8 * time.Second // the holder of the data directory may be starting or ending
	openPause    = 100 * time.Millisecond
	healthWithin = 2 * time.Second
)

// Controller is what a Session needs of an opened data directory.
type Controller interface {
	api.Service
	Socket() string
	Close(ctx context.Context) error
}

// SessionOptions say how to open a Session.
type SessionOptions struct {
	App    app.Options
	Shell  api.Shell  // nil without a window
	Window api.Window // nil without a window

	// Open takes the data directory; nil is app.Open. An *lock.HeldError
	// says that another process has it.
	Open func(ctx context.Context, o app.Options) (Controller, error)
}

// Session is a controller to talk to: of this process, which then also answers
// for others on the controller's socket, or of another process.
type Session struct {
	*Client
	Own Controller // nil when another process has it
	API *api.API   // the same controller as a handler, with this process's Shell

	others *api.API           // on the socket
	stop   context.CancelFunc // of the socket
	ended  chan struct{}      // the socket is closed
	sock   error              // why there is none
}

// Open takes the data directory, or finds the process that has it. When there
// is one and it does not answer, the error is a problem with the code
// "controller-in-use".
func Open(ctx context.Context, o SessionOptions) (*Session, error) {
	if o.App.Log == nil {
		o.App.Log = slog.New(slog.DiscardHandler)
	}
	if o.Open == nil {
		o.Open = func(ctx context.Context, ao app.Options) (Controller, error) { return app.Open(ctx, ao) }
	}
	deadline, stop := context.WithTimeout(ctx, openWithin)
	defer stop()
	for {
		ctrl, err := o.Open(ctx, o.App)
		if err == nil {
			return own(ctx, ctrl, o), nil
		}
		var locked *lock.HeldError
		if !errors.As(err, &locked) {
			return nil, err
		}
		why := errors.New("it does not say where it answers")
		if locked.Socket != "" {
			c := New(Socket(locked.Socket), o.App.Log)
			if why = c.healthy(deadline); why == nil {
				return &Session{Client: c, API: o.api(c), stop: func() {}, ended: closed()}, nil
			}
		}
		select {
		case <-time.After(openPause):
		case <-deadline.Done():
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, problem.New(problem.CodeControllerInUse).With("pid", locked.PID).
				Because(fmt.Errorf("%w, and its process does not answer: %w", err, why))
		}
	}
}

func (o SessionOptions) api(s api.Service) *api.API {
	return api.New(api.Options{Service: s, Shell: o.Shell, Window: o.Window, Version: o.App.Version, Developer: o.App.Developer, Log: o.App.Log})
}

func closed() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

func (c *Client) healthy(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, healthWithin)
	defer stop()
	_, err := c.Health(ctx)
	return err
}

// own makes a session of a controller that this process has. Others who come
// by the socket get no window's dialogs. Without a socket this process works
// all the same.
func own(ctx context.Context, ctrl Controller, o SessionOptions) *Session {
	a := o.api(ctrl)
	o.Shell, o.Window = nil, nil
	others := o.api(ctrl)
	s := &Session{Client: New(InProcess(a.Handler()), o.App.Log), Own: ctrl, API: a, others: others, ended: make(chan struct{})}
	serve, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	ln, err := api.ListenSocket(ctrl.Socket())
	if err != nil {
		s.sock = err
		o.App.Log.Warn("others cannot use this piwork", "error", err)
		close(s.ended)
		return s
	}
	go func() {
		defer close(s.ended)
		if err := api.Serve(serve, ln, others.Handler()); err != nil {
			o.App.Log.Warn("the socket ended", "error", err)
		}
	}()
	return s
}

// Moved is closed when the data of this process's controller was moved to another
// place: the session is to be closed and opened anew. It is nil where another
// process has the controller.
func (s *Session) Moved() <-chan struct{} {
	if own, ok := s.Own.(interface{ Moved() <-chan struct{} }); ok {
		return own.Moved()
	}
	return nil
}

// SocketError says why others cannot come in, nil when they can.
func (s *Session) SocketError() error { return s.sock }

// Running counts the tasks that are not over.
func (s *Session) Running(ctx context.Context) (int, error) {
	tasks, err := s.Tasks(ctx)
	n := 0
	for _, t := range tasks {
		if !t.State.Final() {
			n++
		}
	}
	return n, err
}

// Close ends what this process has: its tasks, its socket, its controller. A
// controller of another process goes on, without the tasks held from here. It
// is not for several goroutines.
func (s *Session) Close(ctx context.Context) error {
	s.stop()
	<-s.ended
	s.API.Close()
	if s.Own == nil {
		return nil
	}
	s.others.Close()
	return s.Own.Close(ctx)
}
