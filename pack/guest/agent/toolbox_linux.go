package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"piwork/pack/guest/execution"
	"piwork/pack/guest/order"
	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// Bounds of tool runs.
const (
	maxTools      = 16       // at a time
	maxToolEvents = 32 << 20 // bytes of events of one run
	cleanLimit    = 30 * time.Second
)

// Tools carries out typed operations, each in a process of its own (package
// order).
type Tools struct {
	Starter  *execution.Starter
	Group    *execution.Group
	Operate  []string           // argv of that process without arguments
	Programs int                // the user of the programs that it starts, and their group
	Standby  *execution.Standby // of what Waiting returns; nil without
	Scratch  string             // directory below which each run has its own
	Env      func() []string    // as of every program
	Notify   func(ctx context.Context, method string, params any) error
	Report   func(error)        // hears of failed clean-up
	Log      func(wire.LogLine) // takes what is kept of runs, without waiting; may be nil
	// Versions returns the versions of the pack's tools by name; may be nil.
	Versions func() map[string]string

	mu   sync.Mutex
	runs map[string]*toolRun
	over *scratches
}

// toolRun is one operation under way.
type toolRun struct {
	tools  *Tools
	params wire.ToolParams
	op     tools.Operation
	events bytes.Buffer // of stdout: an unfinished line

	mu      sync.Mutex
	process *execution.Process
	stop    bool
	load    *tools.Load
	part    string // a temporary file beside the target
	result  *wire.ToolResult
	words   string // the end of stderr
	said    int    // bytes of what programs wrote to stderr
	ran     ran
}

// Run implements Toolbox. Ending ctx ends the run.
func (t *Tools) Run(ctx context.Context, p wire.ToolParams) (wire.ToolResult, error) {
	op, ok := tools.Find(p.Op)
	if !ok {
		return wire.ToolResult{}, coded(wire.CodeUnknownOp, fmt.Errorf("this pack has no operation %q", wire.Short(p.Op)))
	}
	if _, err := op.Check(p); err != nil {
		return wire.ToolResult{}, err
	}
	run := &toolRun{tools: t, params: p, op: op}
	if err := t.admit(run); err != nil {
		return wire.ToolResult{}, err
	}
	defer t.forget(p.ID)
	return run.carryOut(ctx)
}

func (t *Tools) admit(run *toolRun) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.runs[run.params.ID] != nil {
		return fmt.Errorf("%w: tool run %s", execution.ErrExists, run.params.ID)
	}
	if len(t.runs) >= maxTools {
		return fmt.Errorf("%w: %d tool runs", execution.ErrBusy, len(t.runs))
	}
	if t.runs == nil {
		t.runs = map[string]*toolRun{}
	}
	t.runs[run.params.ID] = run
	return nil
}

func (t *Tools) forget(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.runs, id)
	if len(t.runs) == 0 {
		_ = os.Remove(t.kept()) // unless something is in it
		t.Standby.Renew()
	}
}

// Cancel implements Toolbox.
func (t *Tools) Cancel(id string) error {
	t.mu.Lock()
	run := t.runs[id]
	t.mu.Unlock()
	if run == nil {
		return fmt.Errorf("%w: tool run %s", execution.ErrNotFound, id)
	}
	run.end()
	return nil
}

// end cancels a run, even one that is being started.
func (r *toolRun) end() {
	r.mu.Lock()
	r.stop = true
	process := r.process
	r.mu.Unlock()
	if process != nil {
		process.End(wire.EndedCancelled)
	}
}

// carryOut runs the process and makes the answer of what it said.
func (r *toolRun) carryOut(ctx context.Context) (wire.ToolResult, error) {
	scratch, err := r.scratch()
	if err != nil {
		return wire.ToolResult{}, err
	}
	defer r.tools.cleared().leave(scratch)
	o := order.Order{Tool: r.params, Scratch: scratch}
	if r.op.Out == tools.OutNone { // only what is reported comes in parts
		o.Keep = r.tools.keep()
	}
	stdin, err := json.Marshal(o)
	if err != nil {
		return wire.ToolResult{}, err
	}
	process, err := r.start(ctx, execution.Program{
		Argv: r.tools.Operate, Cwd: "/", Env: r.tools.Env(), Stdin: stdin,
		Limits: r.limits(tools.Load{Inputs: len(r.params.In)}), Output: r.output, Offline: true, Programs: r.tools.Programs,
	})
	if err != nil {
		r.log(ctx, "error", "not started: "+err.Error())
		return wire.ToolResult{}, err
	}
	r.mu.Lock()
	r.process = process
	stop := r.stop
	r.mu.Unlock()
	r.extend()
	if stop {
		r.end()
	}
	unhook := context.AfterFunc(ctx, r.end)
	defer unhook()
	<-process.Done()
	outcome, err := process.Wait(context.Background())
	if err != nil {
		return wire.ToolResult{}, err
	}
	r.clean()
	result := r.answer(outcome)
	r.logEnd(ctx, outcome, result)
	return result, nil
}

// Waiting is the process of an operation that is not known yet, for Standby.
func (t *Tools) Waiting() execution.Program {
	return execution.Program{
		Argv: append(slices.Clone(t.Operate), order.WaitArg), Cwd: "/", Env: t.Env(), Offline: true, Programs: t.Programs,
		Limits: execution.Limits{Processors: tools.Processors, Processes: tools.Processes, Output: maxToolEvents, IO: tools.DiskRate},
	}
}

// start makes the process that waits that of the run, or starts one.
func (r *toolRun) start(ctx context.Context, p execution.Program) (*execution.Process, error) {
	if process := r.tools.Standby.Take(ctx, p); process != nil {
		return process, nil
	}
	return r.tools.Starter.Start(ctx, r.tools.Group, p)
}

// scratch makes the directory of the run.
func (r *toolRun) scratch() (string, error) {
	r.tools.cleared().clear()
	dir, err := os.MkdirTemp(r.tools.Scratch, "run-")
	if err != nil {
		return "", err
	}
	if err := r.tools.toPrograms(dir); err != nil {
		return "", errors.Join(err, os.Remove(dir))
	}
	return dir, nil
}

// cleared are the directories of runs that are over.
func (t *Tools) cleared() *scratches {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over == nil {
		t.over = &scratches{remove: t.removeScratch, report: t.report}
	}
	return t.over
}

// kept is the directory for what runs keep of an answer that comes in parts. It
// ends with the last part, or with the machine.
func (t *Tools) kept() string { return filepath.Join(t.Scratch, "kept") }

// keep makes that directory for a run, or returns "" where it cannot: it is there to
// save time.
func (t *Tools) keep() string {
	dir := t.kept()
	t.mu.Lock()
	defer t.mu.Unlock()
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrExist) {
		return dir
	}
	if err == nil {
		err = t.own(dir)
	}
	if err != nil {
		t.report(fmt.Errorf("make a directory for answers: %w", errors.Join(err, os.Remove(dir))))
		return ""
	}
	return dir
}

// own gives a directory to the user that operations run as.
func (t *Tools) own(dir string) error {
	if t.Starter.UID < 0 {
		return nil
	}
	return os.Lchown(dir, t.Starter.UID, t.Programs)
}

// toPrograms gives a directory to the user of their programs. Operations are of its group,
// so that they may have files of their own in it; other programs of the task do not reach it.
func (t *Tools) toPrograms(dir string) error {
	if t.Starter.UID < 0 {
		return nil
	}
	if err := os.Chmod(dir, 0o770); err != nil {
		return err
	}
	return os.Lchown(dir, t.Programs, t.Programs)
}

// limits are those of the host where it has an opinion, else those of the
// operation for what there is to do.
func (r *toolRun) limits(load tools.Load) execution.Limits {
	own, asked := r.op.Limits(load), r.params.Limits
	l := execution.Limits{
		Wall: own.Wall, Memory: own.MemoryMB << 20, FileSize: own.FileSize, Processors: own.Processors,
		Processes: own.Processes, Output: maxToolEvents, IO: own.IO, CPU: time.Duration(asked.CPUMS) * time.Millisecond,
		IOTotal: asked.IOBytes,
	}
	if asked.WallMS > 0 {
		l.Wall = time.Duration(asked.WallMS) * time.Millisecond
	}
	if asked.MemoryMB > 0 {
		l.Memory = asked.MemoryMB << 20
	}
	return l
}

// output takes the events of the process, and its words for the log.
func (r *toolRun) output(ctx context.Context, stream string, data []byte) error {
	if stream == wire.Stderr {
		r.mu.Lock()
		r.words = tools.Words(r.words + string(data))
		r.mu.Unlock()
		return nil
	}
	r.events.Write(data)
	for {
		line, rest, ok := bytes.Cut(r.events.Bytes(), []byte("\n"))
		if !ok {
			return nil
		}
		n := r.events.Len() - len(rest)
		var ev order.Event
		err := json.Unmarshal(line, &ev)
		r.events.Next(n)
		if err != nil {
			return fmt.Errorf("event of %s: %w", r.params.Op, err)
		}
		if err := r.event(ctx, ev); err != nil {
			return err
		}
	}
}

func (r *toolRun) event(ctx context.Context, ev order.Event) error {
	switch {
	case ev.Progress != nil:
		ev.Progress.ID = r.params.ID
		return r.tools.Notify(ctx, wire.NotifyToolProgress, ev.Progress)
	case ev.Load != nil:
		r.mu.Lock()
		r.load = ev.Load
		r.mu.Unlock()
		r.extend()
	case ev.Placing != nil:
		r.mu.Lock()
		r.part = *ev.Placing
		r.mu.Unlock()
	case ev.Ran != nil:
		r.logRan(ctx, *ev.Ran)
	case ev.Said != nil:
		return r.pass(ctx, ev.Said)
	case ev.Result != nil:
		r.mu.Lock()
		r.result = ev.Result
		r.mu.Unlock()
	}
	return nil
}

// extend gives the process the time that its load needs, once both are known.
func (r *toolRun) extend() {
	r.mu.Lock()
	process, load := r.process, r.load
	r.mu.Unlock()
	if process != nil && load != nil {
		process.SetWall(r.limits(*load).Wall)
	}
}

// answer is the result of the process, or what is known without one.
func (r *toolRun) answer(o execution.Outcome) wire.ToolResult {
	r.mu.Lock()
	defer r.mu.Unlock()
	result := wire.ToolResult{}
	if r.result != nil {
		result = *r.result
	}
	result.ID, result.WallMS = r.params.ID, o.Wall.Milliseconds()
	if r.tools.Versions != nil {
		result.Versions = map[string]string{}
		for _, name := range r.op.Programs {
			if v := r.tools.Versions()[name]; v != "" {
				result.Versions[name] = v
			}
		}
	}
	code := map[string]string{
		wire.EndedTimeout: tools.Timeout, wire.EndedCPULimit: tools.Timeout, wire.EndedIOLimit: tools.IOLimit,
		wire.EndedOutOfMemory: tools.OutOfMemory, wire.EndedCancelled: tools.Cancelled,
	}[o.Ended]
	switch {
	case code != "":
		// It was ended: its own word for that is less exact.
		kept := result.Problems[:0:0]
		for _, p := range result.Problems {
			if p.Path != "" || p.Code != tools.Cancelled {
				kept = append(kept, p)
			}
		}
		result.Problems = append(kept, tools.Problem(code, "", ""))
	case r.result == nil:
		words := strings.TrimSpace(fmt.Sprintf("exit code %d %s", o.ExitCode, r.words))
		result.Problems = append(result.Problems, tools.Problem(tools.ToolFailed, "", words))
	}
	return result
}

// clean has a temporary file removed that the process left. It stands on a
// share perhaps, so another process does it.
func (r *toolRun) clean() {
	r.mu.Lock()
	part := r.part
	r.mu.Unlock()
	if part == "" {
		return
	}
	if err := r.tools.asUser(order.CleanArg, part); err != nil {
		r.tools.report(fmt.Errorf("remove %s: %w", filepath.Base(part), err))
	}
}

func (t *Tools) report(err error) {
	if err != nil && t.Report != nil {
		t.Report(err)
	}
}
