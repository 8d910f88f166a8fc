package operate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// run is one operation under way.
type run struct {
	order   Order
	op      tools.Operation
	params  tools.Params
	program Runner
	send    func(Event)
	limits  tools.Limits
	result  wire.ToolResult
}

// Run carries out one operation. What went wrong is in the result; an error
// means that the call itself is wrong (*wire.InvalidError, or an unknown
// operation).
func Run(ctx context.Context, order Order, program Runner, send func(Event)) (wire.ToolResult, error) {
	op, ok := tools.Find(order.Tool.Op)
	if !ok {
		return wire.ToolResult{}, fmt.Errorf("there is no operation %q", wire.Short(order.Tool.Op))
	}
	params, err := op.Check(order.Tool)
	if err != nil {
		return wire.ToolResult{}, err
	}
	r := &run{order: order, op: op, params: params, program: program, send: send, result: wire.ToolResult{ID: order.Tool.ID}}
	started := time.Now()
	load := measure(order.Tool.In)
	r.limits = op.Limits(params, load)
	send(Event{Load: &load})
	if err := r.work(ctx); err != nil {
		r.result.Problems = append(r.result.Problems, wholeProblem(ctx, err))
	}
	r.result.WallMS = time.Since(started).Milliseconds()
	fit(&r.result)
	return r.result, nil
}

// work dispatches. Its error is about the whole operation.
func (r *run) work(ctx context.Context) error {
	switch p := r.params.(type) {
	case *tools.FileHash:
		return r.hash(ctx, p)
	case *tools.ImageConvert:
		return r.convert(ctx, p)
	case *tools.PDFMerge:
		return r.mergeInputs(ctx, p)
	case *tools.NoParams:
		return r.info(ctx)
	}
	return fmt.Errorf("%s is in the catalogue and not carried out", r.op.Name)
}

// measure adds up the sizes of the inputs that are there.
func measure(in []string) tools.Load {
	l := tools.Load{Inputs: len(in)}
	for _, path := range in {
		if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() {
			l.Bytes += st.Size()
		}
	}
	return l
}

// codeError is an error that knows its problem.
type codeError struct {
	code string
	err  error
}

func (e *codeError) Error() string { return e.err.Error() }
func (e *codeError) Unwrap() error { return e.err }

func wholeProblem(ctx context.Context, err error) wire.ToolProblem {
	var coded *codeError
	switch {
	case errors.As(err, &coded):
		return tools.Problem(coded.code, "", err.Error())
	case ctx.Err() != nil:
		return tools.Problem(tools.Cancelled, "", "")
	case errors.Is(err, exec.ErrNotFound):
		return tools.Problem(tools.ToolFailed, "", err.Error())
	}
	return tools.OutputProblem(err)
}

// programError makes an error of a program that failed at the whole.
func programError(argv []string, e tools.Ending) error {
	code := e.Code(tools.ToolFailed)
	if code == tools.InputTooLarge { // of no single input
		code = tools.ToolFailed
	}
	return &codeError{code, fmt.Errorf("%s: exit code %d: %s", argv[0], e.ExitCode, e.Stderr)}
}

func (r *run) problem(p wire.ToolProblem) { r.result.Problems = append(r.result.Problems, p) }

// done reports an item.
func (r *run) done(n int, item string) {
	r.send(Event{Progress: &wire.ToolProgress{ID: r.order.Tool.ID, Done: int64(n), Total: int64(len(r.order.Tool.In)), Item: item}})
}

// scratch returns the path of a scratch name.
func (r *run) scratch(name string) string { return filepath.Join(r.order.Scratch, name) }

// exec runs a program with the limit of the operation.
func (r *run) exec(ctx context.Context, argv []string) (tools.Ending, error) {
	return r.program(ctx, argv, r.limits.Program)
}
