package background

import (
	"context"

	"piwork/app"
)

// Here has the controller in this process: for tests, and for programs that bring their
// own. Its methods are called one after the other.
type Here struct {
	Server ServerOptions

	stop context.CancelFunc
	over chan error
}

// Launch opens the controller, or finds the process that has it. It is called once.
func (h *Here) Launch(ctx context.Context, o app.Options) (Ready, error) {
	h.Server.App = o
	s, r, err := Await(ctx, h.Server)
	if s == nil {
		return r, err
	}
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	h.stop, h.over = stop, make(chan error, 1)
	go func() { h.over <- s.Run(run) }()
	return r, nil
}

// Close ends the controller that Launch opened.
func (h *Here) Close() error {
	if h.stop == nil {
		return nil
	}
	h.stop()
	h.stop = nil
	return <-h.over
}
