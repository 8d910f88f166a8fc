package execution

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"piwork/vmhost/wire"
)

// Defaults for limits that the host leaves open.
const (
	defaultWall      = 24 * time.Hour
	defaultProcesses = 2048
	defaultOutput    = 1 << 30  // bytes, of exec.start
	defaultRunOutput = 64 << 20 // bytes, of exec.run: beyond wire.MaxRunOut it is thrown away
)

// Config is what an [Engine] is made of.
type Config struct {
	Starter *Starter
	Group   *Group          // above all executions; nil without cgroups
	Env     func() []string // the clean environment that programs start from, KEY=VALUE
	Cwd     string          // where programs start without a word of the host
	// Notify sends output to the host; see OutputFunc.
	Notify func(context.Context, wire.ExecOutput) error
	// Log takes how executions ended, without waiting; may be nil. Neither their arguments nor
	// what they said is in it.
	Log func(wire.LogLine)
}

// Engine keeps sessions and executions by id. Its methods may be called from
// several goroutines at once.
type Engine struct {
	cfg Config

	mu       sync.Mutex
	sessions map[string]*session
	execs    map[string]*execution
	ended    []*execution // of execs, oldest first
	running  int
	count    int // of session cgroups
}

type session struct {
	wire.Session
	group *Group
	execs map[*execution]struct{} // running
}

// execution is a process by its id. Its fields are guarded by the engine.
type execution struct {
	id      string
	request string             // that asked for it, for the log
	session *session           // nil for one of its own
	cancel  context.CancelFunc // of the start
	process *Process           // nil while it is started
	stop    bool               // cancelled, perhaps before it was started
	allowed *allowance         // output that exec.start may send
	over    chan struct{}      // closed when result or err is there
	result  wire.ExecResult
	err     error
}

// NewEngine returns an engine with no session.
func NewEngine(cfg Config) *Engine {
	return &Engine{cfg: cfg, sessions: map[string]*session{}, execs: map[string]*execution{}}
}

// Start starts an execution whose output is notified, and returns when the
// program runs.
func (e *Engine) Start(ctx context.Context, p wire.ExecParams) error {
	x, err := e.begin(ctx, p, func(ctx context.Context, stream string, data []byte) error {
		return e.cfg.Notify(ctx, wire.ExecOutput{ID: p.ID, Stream: stream, Data: data, Raw: p.Raw})
	}, defaultOutput)
	if err != nil {
		return err
	}
	go e.finish(x)
	return nil
}

// Run starts an execution and waits for its end. Its output is in the result,
// as far as an answer can hold it. When ctx ends first, the execution goes on
// within its limits and Wait returns its result.
func (e *Engine) Run(ctx context.Context, p wire.ExecParams) (wire.ExecResult, error) {
	var output capture
	p.Ahead = 0 // nobody is told of it before the end
	x, err := e.begin(ctx, p, output.take, defaultRunOutput)
	if err != nil {
		return wire.ExecResult{}, err
	}
	go func() {
		<-x.process.Done()
		stdout, stderr, cut := output.content()
		e.mu.Lock()
		x.result.Stdout, x.result.Stderr, x.result.Truncated = stdout, stderr, cut
		e.mu.Unlock()
		e.finish(x)
	}()
	return x.await(ctx)
}

// begin admits an execution and starts its program.
func (e *Engine) begin(ctx context.Context, p wire.ExecParams, output OutputFunc, outputLimit int64) (*execution, error) {
	x, parent, err := e.admit(p)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	e.mu.Lock()
	x.cancel = cancel
	if x.stop {
		cancel()
	}
	e.mu.Unlock()
	program := e.program(x, p, x.allowed.of(output), outputLimit)
	process, err := e.cfg.Starter.Start(ctx, parent, program)
	if err != nil {
		e.forget(x, err)
		return nil, err
	}
	e.mu.Lock()
	x.process = process
	stop := x.stop
	e.mu.Unlock()
	if stop {
		process.End(wire.EndedCancelled)
	}
	return x, nil
}

// admit reserves the id.
func (e *Engine) admit(p wire.ExecParams) (*execution, *Group, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.execs[p.ID] != nil {
		return nil, nil, fmt.Errorf("%w: execution %s", ErrExists, p.ID)
	}
	if e.running >= maxRunning {
		return nil, nil, fmt.Errorf("%w: %d executions", ErrBusy, e.running)
	}
	x := &execution{id: p.ID, request: p.Request, allowed: allow(p.Ahead), over: make(chan struct{})}
	group := e.cfg.Group
	if p.Session != "" {
		s := e.sessions[p.Session]
		if s == nil {
			return nil, nil, fmt.Errorf("%w: session %s", ErrNotFound, p.Session)
		}
		s.execs[x] = struct{}{}
		x.session, group = s, s.group
	}
	e.execs[p.ID] = x
	e.running++
	return x, group, nil
}

// program makes the order for the starter from the host's.
func (e *Engine) program(x *execution, p wire.ExecParams, output OutputFunc, outputLimit int64) Program {
	env := environment(e.cfg.Env())
	if p.Clean {
		env = map[string]string{"PATH": env["PATH"]}
	}
	cwd := e.cfg.Cwd
	if x.session != nil {
		maps.Copy(env, x.session.Env)
		if x.session.Cwd != "" {
			cwd = x.session.Cwd
		}
	}
	maps.Copy(env, p.Env)
	if p.Cwd != "" {
		cwd = p.Cwd
	}
	env["PWD"] = filepath.Clean(cwd)
	if p.Terminal != nil && env["TERM"] == "" {
		env["TERM"] = defaultTerm
	}
	l := p.Limits
	limits := Limits{
		Wall: defaultWall, CPU: time.Duration(l.CPUMS) * time.Millisecond,
		Memory: l.MemoryMB << 20, Processes: defaultProcesses, Output: outputLimit,
		IOTotal: l.IOBytes,
	}
	if l.WallMS > 0 {
		limits.Wall = time.Duration(l.WallMS) * time.Millisecond
	}
	if l.OutputBytes > 0 {
		limits.Output = l.OutputBytes
	}
	return Program{
		Argv: p.Argv, Cwd: cwd, Env: flatten(env), Stdin: p.Stdin, KeepStdin: p.KeepIn,
		Limits: limits, OOMGroup: true, KeepChildren: x.session != nil, Output: output, Terminal: p.Terminal, Control: p.Control,
	}
}

// environment reads KEY=VALUE words.
func environment(words []string) map[string]string {
	env := make(map[string]string, len(words))
	for _, w := range words {
		k, v := cutVariable(w)
		env[k] = v
	}
	return env
}

// finish notes the end of an execution.
func (e *Engine) finish(x *execution) {
	o, err := x.process.Wait(context.Background())
	e.mu.Lock()
	defer e.mu.Unlock()
	x.result.ID, x.result.ExitCode, x.result.Signal, x.result.Ended = x.id, o.ExitCode, o.Signal, o.Ended
	x.result.WallMS, x.result.CPUMS = o.Wall.Milliseconds(), o.CPU.Milliseconds()
	x.result.Truncated = x.result.Truncated || o.Truncated
	x.result.PeakKB = min(o.Peak>>10, wire.MaxMemoryMB<<10)
	x.err = err
	e.log(x, fmt.Sprintf("ended, %s wall %d ms cpu %d ms", cmp.Or(o.Ended, fmt.Sprintf("exit %d", o.ExitCode)), x.result.WallMS, x.result.CPUMS))
	e.running--
	if x.session != nil {
		delete(x.session.execs, x)
	}
	e.ended = append(e.ended, x)
	e.trim()
	close(x.over)
}

// trim forgets the oldest results beyond what is kept. Whoever waits for one
// already still gets it.
func (e *Engine) trim() {
	output := 0
	for _, x := range e.ended {
		output += len(x.result.Stdout) + len(x.result.Stderr)
	}
	for len(e.ended) > maxKept || (output > maxKeptOut && len(e.ended) > 1) {
		x := e.ended[0]
		output -= len(x.result.Stdout) + len(x.result.Stderr)
		e.ended = slices.Delete(e.ended, 0, 1)
		delete(e.execs, x.id)
	}
}

// forget drops an execution that never ran.
func (e *Engine) forget(x *execution, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.execs, x.id)
	e.running--
	if x.session != nil {
		delete(x.session.execs, x)
	}
	x.err = err
	e.log(x, "not started")
	close(x.over)
}

// log writes down what became of an execution, before anybody hears of it.
func (e *Engine) log(x *execution, text string) {
	if e.cfg.Log != nil {
		e.cfg.Log(wire.LogLine{Level: "info", Text: text, Op: wire.OpExec, Run: x.id, Request: x.request})
	}
}

func (x *execution) await(ctx context.Context) (wire.ExecResult, error) {
	select {
	case <-x.over:
		return x.result, x.err
	case <-ctx.Done():
		return wire.ExecResult{}, ctx.Err()
	}
}

// find returns a known execution; its process is nil while it is started.
func (e *Engine) find(id string) (*execution, *Process, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	x := e.execs[id]
	if x == nil {
		return nil, nil, fmt.Errorf("%w: execution %s", ErrNotFound, id)
	}
	return x, x.process, nil
}

// Wait waits for the end of an execution; for one that ended already it
// returns the result at once, as long as it is kept.
func (e *Engine) Wait(ctx context.Context, id string) (wire.ExecResult, error) {
	x, _, err := e.find(id)
	if err != nil {
		return wire.ExecResult{}, err
	}
	return x.await(ctx)
}

// Write writes to stdin and waits until the program took it.
func (e *Engine) Write(ctx context.Context, w wire.ExecWrite) error {
	_, process, err := e.find(w.ID)
	if err != nil {
		return err
	}
	if process == nil {
		return fmt.Errorf("%w: execution %s is being started", ErrNotFound, w.ID)
	}
	if w.Control {
		return process.WriteControl(ctx, w.Data, w.Close)
	}
	return process.Write(ctx, w.Data, w.Close)
}

// Taken says that the host took output of an execution. Of one that is over it means nothing.
func (e *Engine) Taken(t wire.ExecTaken) {
	if x, _, err := e.find(t.ID); err == nil {
		x.allowed.give(t.Bytes)
	}
}

// Unbound has what runs say all that it has to: nobody will say any more what was taken.
func (e *Engine) Unbound() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, x := range e.execs {
		x.allowed.give(wire.MaxOutput)
	}
}

// Signal sends a signal to the process group of an execution.
func (e *Engine) Signal(s wire.ExecSignal) error {
	_, process, err := e.find(s.ID)
	if err != nil {
		return err
	}
	if process == nil {
		return fmt.Errorf("%w: execution %s is being started", ErrNotFound, s.ID)
	}
	return process.Signal(s.Signal)
}

// Resize changes the size of the terminal of an execution.
func (e *Engine) Resize(r wire.ExecResize) error {
	_, process, err := e.find(r.ID)
	if err != nil {
		return err
	}
	if process == nil {
		return fmt.Errorf("%w: execution %s is being started", ErrNotFound, r.ID)
	}
	return process.Resize(r.TerminalSize)
}

// Cancel ends an execution; one that is over already stays so. It does not
// wait for the end.
func (e *Engine) Cancel(id string) error {
	x, _, err := e.find(id)
	if err != nil {
		return err
	}
	e.end(x)
	return nil
}
