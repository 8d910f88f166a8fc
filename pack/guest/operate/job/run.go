package job

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

// Job is one operation under way.
type Job struct {
	Answer  int       // bytes of the result so far, as JSON
	wrong   int       // of problems of files that were found
	told    time.Time // when progress was last reported
	Order   Order
	Op      tools.Operation
	Params  tools.Params
	program Runner
	Send    func(Event)
	limits  tools.Limits
	Result  wire.ToolResult
	Pins    Pins
}

// Run carries out an operation by handle. What went wrong is in the result; an
// error means that the call itself is wrong (*wire.InvalidError, or an unknown
// operation).
func Run(ctx context.Context, order Order, program Runner, send func(Event), handle func(context.Context, *Job) error) (wire.ToolResult, error) {
	op, ok := tools.Find(order.Tool.Op)
	if !ok {
		return wire.ToolResult{}, fmt.Errorf("there is no operation %q", wire.Short(order.Tool.Op))
	}
	params, err := op.Check(order.Tool)
	if err != nil {
		return wire.ToolResult{}, err
	}
	r := &Job{Order: order, Op: op, Params: params, program: program, Send: send, Result: wire.ToolResult{ID: order.Tool.ID}}
	started := time.Now()
	defer r.Pins.release()
	load := r.measure(order.Tool.In)
	r.limits = op.Limits(load)
	send(Event{Load: &load})
	if err := r.PassOver(handle(ctx, r)); err != nil {
		r.Result.Problems = append(r.Result.Problems, wholeProblem(ctx, err))
	}
	r.Result.WallMS = time.Since(started).Milliseconds()
	Fit(&r.Result)
	return r.Result, nil
}

// measure adds up the sizes of the inputs that are there. Their folders stay known
// until the end.
func (r *Job) measure(in []string) tools.Load {
	l := tools.Load{Inputs: len(in)}
	for _, path := range in {
		r.Pins.Pin(filepath.Dir(path))
		if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() {
			l.Bytes += st.Size()
		}
	}
	return l
}

// Error is an error that knows its problem.
type Error struct {
	Code string
	Err  error
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

func wholeProblem(ctx context.Context, err error) wire.ToolProblem {
	var coded *Error
	switch {
	case errors.As(err, &coded):
		return tools.Problem(coded.Code, "", err.Error())
	case ctx.Err() != nil:
		return tools.Problem(tools.Cancelled, "", "")
	case errors.Is(err, exec.ErrNotFound):
		return tools.Problem(tools.ToolFailed, "", err.Error())
	}
	return tools.OutputProblem(err)
}

// ProgramError makes an error of a program that failed at the whole.
func ProgramError(argv []string, e tools.Ending) error {
	code := e.Code(tools.ToolFailed)
	if code == tools.InputTooLarge { // of no single input
		code = tools.ToolFailed
	}
	return &Error{code, fmt.Errorf("%s: exit code %d: %s", argv[0], e.ExitCode, e.Stderr)}
}

// maxProblems bounds the list of an answer: a folder may hold any number of
// files that cannot be read.
const maxProblems = 10_000

// AddProblem adds a problem, as long as there is room for more.
func (r *Job) AddProblem(p wire.ToolProblem) {
	switch n := len(r.Result.Problems); {
	case n == maxProblems:
		p = TooMany
	case n > maxProblems:
		return
	}
	r.Result.Problems = append(r.Result.Problems, p)
	r.Answer += JSONSize(p)
}

// TooMany is said once where problems are left out.
var TooMany = tools.Problem(tools.MoreResults, "", "too many problems for one answer")

// maxWrong bounds what problems of files that were found take of an answer, in bytes
// as JSON: what there is to say of the others needs room.
const maxWrong = MaxAnswer / 2

// FoundProblem is problem for a file that was found in a folder, of which there may be
// any number.
func (r *Job) FoundProblem(p wire.ToolProblem) {
	if r.wrong > maxWrong {
		return
	}
	if r.wrong += JSONSize(p); r.wrong > maxWrong {
		p = TooMany
	}
	r.AddProblem(p)
}

// AddInfo adds what is known of an input.
func (r *Job) AddInfo(v any) {
	r.Result.Info = append(r.Result.Info, v)
	r.Answer += JSONSize(v)
}

// AddResult adds a result.
func (r *Job) AddResult(f wire.ToolFile) {
	r.Result.Out = append(r.Result.Out, f)
	r.Answer += JSONSize(f)
}

// JSONSize is how many bytes something takes in an answer. A name takes up to
// six times its own: encoding/json escapes control characters, and <, > and &.
func JSONSize(v any) int {
	b, err := json.Marshal(v)
	if err != nil {
		return 0 // the answer will say so
	}
	return len(b) + len(",")
}

// Full reports that the answer has no room for more: what was added last may
// have taken MaxItem.
func (r *Job) Full() bool { return r.Answer > MaxAnswer-MaxItem }

// progressEvery is how often progress is told: each word of it goes through
// three processes, which takes longer than to move a file.
const progressEvery = 100 * time.Millisecond

// Done reports an item, unless the one before was just reported.
func (r *Job) Done(n int, item string) {
	now := time.Now()
	if n < len(r.Order.Tool.In) && now.Sub(r.told) < progressEvery {
		return
	}
	r.told = now
	r.Send(Event{Progress: &wire.ToolProgress{ID: r.Order.Tool.ID, Done: int64(n), Total: int64(len(r.Order.Tool.In)), Item: item}})
}

// Looked reports how many files in folders were looked at, of as many as there are:
// 0 while that is not known.
func (r *Job) Looked(n, total int, item string) {
	if now := time.Now(); now.Sub(r.told) >= progressEvery {
		r.told = now
		r.Send(Event{Progress: &wire.ToolProgress{ID: r.Order.Tool.ID, Done: int64(n), Total: int64(total), Item: item}})
	}
}

// Exec runs a program with the limit of the operation.
func (r *Job) Exec(ctx context.Context, argv []string) (tools.Ending, error) {
	return r.program(ctx, Command{Argv: argv, Limit: r.limits.Program})
}

// ExecTo is exec with what the program prints in a scratch file.
func (r *Job) ExecTo(ctx context.Context, argv []string, stdout string) (tools.Ending, error) {
	return r.program(ctx, Command{Argv: argv, Limit: r.limits.Program, Stdout: stdout})
}

// Tool runs a program on one input. Its failure is a refusal of that input, with the
// code otherwise where nothing else is known, unless no other input could do better.
func (r *Job) Tool(ctx context.Context, path, otherwise string, argv []string) error {
	return r.ToolTo(ctx, path, otherwise, argv, "")
}

// ToolTo is tool with what the program prints in a scratch file.
func (r *Job) ToolTo(ctx context.Context, path, otherwise string, argv []string, stdout string) error {
	end, err := r.ExecTo(ctx, argv, stdout)
	if err != nil || end.ExitCode == 0 && !end.Timeout || argv[0] == tools.ToolQPDF && end.ExitCode == tools.QPDFWarnings {
		return err
	}
	return Failed(path, otherwise, argv, end)
}

// Failed is the error of a program that failed at one input.
func Failed(path, otherwise string, argv []string, end tools.Ending) error {
	code := end.Code(otherwise)
	if code == tools.DiskFull {
		return ProgramError(argv, end)
	}
	return Refuse(code, path, end.Stderr)
}

// Refusal is the problem of one input, as an error of whoever works on it. The other
// inputs are still worked on; any other error ends the operation.
type Refusal struct{ wire.ToolProblem }

func (r *Refusal) Error() string { return r.Code + ": " + r.Detail }

// Refuse says what is wrong with an input.
func Refuse(code, path, detail string) error { return &Refusal{tools.Problem(code, path, detail)} }

// RefuseInput says why an input cannot be read.
func RefuseInput(path string, err error) error { return &Refusal{tools.InputProblem(path, err)} }

// Refused is the refusal that an error is, nil for every other.
func Refused(err error) *Refusal {
	refused, _ := errors.AsType[*Refusal](err)
	return refused
}

// Serious is an error that ends the operation: nil for a refusal.
func Serious(err error) error {
	if Refused(err) != nil {
		return nil
	}
	return err
}

// PassOver adds the problem of one input to the answer, and returns every other error.
func (r *Job) PassOver(err error) error {
	if refused := Refused(err); refused != nil {
		r.AddProblem(refused.ToolProblem)
	}
	return Serious(err)
}

// PassOverFound is PassOver for a file that was found in a folder ([Job.FoundProblem]).
func (r *Job) PassOverFound(err error) error {
	if refused := Refused(err); refused != nil {
		r.FoundProblem(refused.ToolProblem)
	}
	return Serious(err)
}
