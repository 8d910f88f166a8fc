package terminal

import "context"

// Await waits for what a person types or another program writes, or for the end of ctx, which is
// then the error. A read that cannot be ended goes on until its stream ends, at the latest with the
// program.
func Await[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type answer struct {
		v   T
		err error
	}
	came := make(chan answer, 1)
	go func() {
		v, err := read()
		came <- answer{v, err}
	}()
	select {
	case a := <-came:
		return a.v, a.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}
