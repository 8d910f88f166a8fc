package conversation

import (
	"context"
	"errors"
	"fmt"

	"github.com/creachadair/jrpc2"

	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// RefusedError is what ended a step of connecting: the guest answered it with an error, or
// is too old.
type RefusedError struct {
	Reason vmhost.Reason // ReasonRefused or ReasonVersion
	Code   jrpc2.Code    // of the guest's error, 0 for none
	Err    error
}

func (e *RefusedError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *RefusedError) Unwrap() error { return e.Err }

// Ask is Call for a step of connecting: an error of the guest's is a *RefusedError.
func (c *Conversation) Ask(ctx context.Context, method string, params, result any) error {
	err := c.Call(ctx, method, params, result)
	var guest *jrpc2.Error
	if !errors.As(err, &guest) {
		return err
	}
	refused := &RefusedError{Reason: vmhost.ReasonRefused, Code: guest.Code, Err: guest}
	if guest.Code == wire.CodeVersion {
		refused.Reason = vmhost.ReasonVersion
	}
	if d := errorData(guest); d.Hint != "" {
		refused.Err = fmt.Errorf("%w (%s)", guest, d.Hint)
	}
	return refused
}

// Hello opens the conversation, as the program of version app, and checks that both sides
// speak alike.
func (c *Conversation) Hello(ctx context.Context, app string) (wire.Hello, error) {
	var h wire.Hello
	if err := c.Ask(ctx, wire.MethodHello, wire.HelloParams{Version: wire.Version, App: app}, &h); err != nil {
		return wire.Hello{}, err
	}
	if err := CheckHello(h); err != nil {
		return wire.Hello{}, err
	}
	for _, e := range h.Errors {
		c.log.Warn("the guest booted with an error", "err", e)
	}
	return h, nil
}

// CheckHello checks that both sides speak alike.
func CheckHello(h wire.Hello) error {
	if h.Version != wire.Version {
		return &RefusedError{Reason: vmhost.ReasonVersion, Err: fmt.Errorf("the guest speaks version %d of the protocol, piwork %d", h.Version, wire.Version)}
	}
	if err := h.Validate(); err != nil {
		return fmt.Errorf("%s: %w", wire.MethodHello, &ProtocolError{err})
	}
	return nil
}
