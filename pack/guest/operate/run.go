package operate

import (
	"context"
	"encoding/json"
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
	answer  int       // bytes of the result so far, as JSON
	wrong   int       // of problems of files that were found
	told    time.Time // when progress was last reported
	order   Order
	op      tools.Operation
	params  tools.Params
	program Runner
	send    func(Event)
	limits  tools.Limits
	result  wire.ToolResult
	pins    pins
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
	defer r.pins.release()
	load := r.measure(order.Tool.In)
	r.limits = op.Limits(load)
	send(Event{Load: &load})
	if err := handlers[op.Name](ctx, r); err != nil {
		r.result.Problems = append(r.result.Problems, wholeProblem(ctx, err))
	}
	r.result.WallMS = time.Since(started).Milliseconds()
	fit(&r.result)
	return r.result, nil
}

// measure adds up the sizes of the inputs that are there. Their folders stay known
// until the end.
func (r *run) measure(in []string) tools.Load {
	l := tools.Load{Inputs: len(in)}
	for _, path := range in {
		r.pins.pin(filepath.Dir(path))
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

// maxProblems bounds the list of an answer: a folder may hold any number of
// files that cannot be read.
const maxProblems = 10_000

func (r *run) problem(p wire.ToolProblem) {
	switch n := len(r.result.Problems); {
	case n == maxProblems:
		p = tooMany
	case n > maxProblems:
		return
	}
	r.result.Problems = append(r.result.Problems, p)
	r.answer += jsonSize(p)
}

// tooMany is said once where problems are left out.
var tooMany = tools.Problem(tools.MoreResults, "", "too many problems for one answer")

// maxWrong bounds what problems of files that were found take of an answer, in bytes
// as JSON: what there is to say of the others needs room.
const maxWrong = maxAnswer / 2

// foundWrong is problem for a file that was found in a folder, of which there may be
// any number.
func (r *run) foundWrong(p wire.ToolProblem) {
	if r.wrong > maxWrong {
		return
	}
	if r.wrong += jsonSize(p); r.wrong > maxWrong {
		p = tooMany
	}
	r.problem(p)
}

// report adds what is known of an input.
func (r *run) report(v any) {
	r.result.Info = append(r.result.Info, v)
	r.answer += jsonSize(v)
}

// hasMade adds a result.
func (r *run) hasMade(f wire.ToolFile) {
	r.result.Out = append(r.result.Out, f)
	r.answer += jsonSize(f)
}

// jsonSize is how many bytes something takes in an answer. A name takes up to
// six times its own: encoding/json escapes control characters, and <, > and &.
func jsonSize(v any) int {
	b, err := json.Marshal(v)
	if err != nil {
		return 0 // the answer will say so
	}
	return len(b) + len(",")
}

// full reports that the answer has no room for more: what was added last may
// have taken maxItem.
func (r *run) full() bool { return r.answer > maxAnswer-maxItem }

// progressEvery is how often progress is told: each word of it goes through
// three processes, which takes longer than to move a file.
const progressEvery = 100 * time.Millisecond

// done reports an item, unless the one before was just reported.
func (r *run) done(n int, item string) {
	now := time.Now()
	if n < len(r.order.Tool.In) && now.Sub(r.told) < progressEvery {
		return
	}
	r.told = now
	r.send(Event{Progress: &wire.ToolProgress{ID: r.order.Tool.ID, Done: int64(n), Total: int64(len(r.order.Tool.In)), Item: item}})
}

// looked reports how many files in folders were looked at, of as many as there are:
// 0 while that is not known.
func (r *run) looked(n, total int, item string) {
	if now := time.Now(); now.Sub(r.told) >= progressEvery {
		r.told = now
		r.send(Event{Progress: &wire.ToolProgress{ID: r.order.Tool.ID, Done: int64(n), Total: int64(total), Item: item}})
	}
}

// exec runs a program with the limit of the operation.
func (r *run) exec(ctx context.Context, argv []string) (tools.Ending, error) {
	return r.program(ctx, Command{Argv: argv, Limit: r.limits.Program})
}

// execTo is exec with what the program prints in a scratch file.
func (r *run) execTo(ctx context.Context, argv []string, stdout string) (tools.Ending, error) {
	return r.program(ctx, Command{Argv: argv, Limit: r.limits.Program, Stdout: stdout})
}

// tool runs a program on one input. Its failure is a problem of that input,
// with the code otherwise where nothing else is known, unless no other input
// could do better.
func (r *run) tool(ctx context.Context, path, otherwise string, argv []string) (*wire.ToolProblem, error) {
	return r.toolTo(ctx, path, otherwise, argv, "")
}

// toolTo is tool with what the program prints in a scratch file.
func (r *run) toolTo(ctx context.Context, path, otherwise string, argv []string, stdout string) (*wire.ToolProblem, error) {
	end, err := r.execTo(ctx, argv, stdout)
	if err != nil || end.ExitCode == 0 && !end.Timeout {
		return nil, err
	}
	if argv[0] == tools.ToolQPDF && end.ExitCode == tools.QPDFWarnings {
		return nil, nil
	}
	return r.failed(path, otherwise, argv, end)
}

// failed makes a problem of a program that failed at one input.
func (r *run) failed(path, otherwise string, argv []string, end tools.Ending) (*wire.ToolProblem, error) {
	code := end.Code(otherwise)
	if code == tools.DiskFull {
		return nil, programError(argv, end)
	}
	p := tools.Problem(code, path, end.Stderr)
	return &p, nil
}
