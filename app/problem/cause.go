package problem

import "errors"

// cause is an error that ends contexts.
type cause struct {
	code, why string
	err       error
}

func (c *cause) Error() string { return c.err.Error() }

func (c *cause) Unwrap() error { return c.err }

// Cause makes an error for a context.CancelCauseFunc. [From] makes a problem of the code and the
// cause why of it, so whoever stops waiting and returns context.Cause says what really ended it.
// The error is no *Problem itself: a task that is ended by one has failed.
func Cause(code, why string, err error) error { return &cause{code, why, err} }

// fromCause comes first: what an error wraps says more than who wrapped it.
func fromCause(err error) *Problem {
	if c, is := errors.AsType[*cause](err); is {
		return New(c.code).By(c.why)
	}
	return nil
}
