// Package choretest is a runtime for tests: it does what the operations of
// pack/tools do, on the directories of this computer, without a virtual
// machine. Pictures are read by Go's decoders, PDFs are lists of what is in
// them ([Pages]).
package choretest

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"piwork/pack/guest/operate/job"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// Folder is a directory of this computer that the runtime sees.
type Folder struct {
	Name     string // in the runtime: /folders/<Name>
	Path     string
	ReadOnly bool
}

// Files are files by their path in the runtime, below /folders.
type Files interface {
	Read(name string) ([]byte, error)
	Write(name string, data []byte) error // makes a file that must not be there
	Close() error
}

// Runtime is a fake vmhost.Runtime. The zero value without folders is valid;
// its fields are set before Connect.
type Runtime struct {
	Folders []Folder
	Work    string // a temporary directory that /work is

	// Files is where the folders are, when not at their Path: a share that is
	// mounted.
	Files Files

	// OnConnect may refuse, or wait.
	OnConnect func(ctx context.Context) error
	// OnClose may wait.
	OnClose func(ctx context.Context) error
	// Programs makes what runs the programs of operations in a scratch directory,
	// such as [Programs]. With it every operation is done by the guest's own code.
	Programs func(scratch string) job.Runner

	// Exec runs programs; nil knows only "true". "cat -- FILE" is known anyway,
	// unless Cat leaves it to Exec.
	Exec func(ctx context.Context, p wire.ExecParams, out func(wire.ExecOutput)) (wire.ExecResult, error)
	Cat  bool
	// Before is called before each operation and may answer instead of it.
	Before func(ctx context.Context, p wire.ToolParams) (*wire.ToolResult, error)
	// After is called after each operation and may spoil it.
	After func(p wire.ToolParams) error
	// File does operations on files; nil knows none.
	File func(ctx context.Context, a vmhost.Action) (*wire.FileResult, error)
	// OnStatus hears the changes of state.
	OnStatus vmhost.StatusFunc
	// WriteFile places a result; nil writes it as an ordinary user would.
	WriteFile func(name string, data []byte) error

	mu     sync.Mutex
	status vmhost.Status
	ops    []wire.ToolParams
	execs  []wire.ExecParams
	closed int
}

var _ vmhost.Runtime = (*Runtime)(nil)

func (r *Runtime) set(s vmhost.State, step string, err error) {
	r.mu.Lock()
	r.status = vmhost.Status{State: s, Step: step, Err: err, Since: time.Now()}
	st := r.status
	r.mu.Unlock()
	if r.OnStatus != nil {
		r.OnStatus(st)
	}
}

// Connect implements vmhost.Runtime.
func (r *Runtime) Connect(ctx context.Context) error {
	r.set(vmhost.StateConnecting, "kernel", nil)
	if r.Work != "" {
		for _, dir := range []string{filepath.Join(r.Work, "out"), r.keep()} {
			if err := os.MkdirAll(dir, 0o700); err != nil {
				return err
			}
		}
	}
	if r.OnConnect != nil {
		if err := r.OnConnect(ctx); err != nil {
			r.set(vmhost.StateFailed, "", err)
			return err
		}
	}
	r.set(vmhost.StateConnecting, "mount", nil)
	r.set(vmhost.StateReady, "", nil)
	return nil
}

// Close implements vmhost.Runtime.
func (r *Runtime) Close(ctx context.Context) error {
	r.mu.Lock()
	r.closed++
	r.mu.Unlock()
	var err error
	if r.Files != nil {
		err = r.Files.Close()
	}
	if r.OnClose != nil {
		err = r.OnClose(ctx)
	}
	r.set(vmhost.StateClosed, "", nil)
	return err
}

// Status implements vmhost.Runtime.
func (r *Runtime) Status() vmhost.Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.status
}

// Capabilities implements vmhost.Runtime: those of a virtual machine without a
// network.
func (r *Runtime) Capabilities() vmhost.Capabilities {
	return vmhost.Capabilities{
		Name: "vm", Isolation: vmhost.IsolationHardware, Domain: vmhost.DomainVM,
		Networks: []vmhost.NetworkPolicy{vmhost.NetworkDeny}, ReadOnly: true, Tools: true,
	}
}

// InitData implements vmhost.Runtime.
func (r *Runtime) InitData() vmhost.InitData {
	return vmhost.InitData{Runtime: "vm", OS: "linux"}.Of(r.Capabilities())
}

// Hints implements vmhost.Runtime.
func (r *Runtime) Hints() vmhost.Hints { return vmhost.HostHints() }

// Ops returns the operations that were asked for, in order.
func (r *Runtime) Ops() []wire.ToolParams {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]wire.ToolParams(nil), r.ops...)
}

// Closed returns how often Close was called.
func (r *Runtime) Closed() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closed
}

// Execute implements vmhost.Runtime.
func (r *Runtime) Execute(ctx context.Context, a vmhost.Action) (vmhost.Observation, error) {
	if r.Status().State != vmhost.StateReady {
		return vmhost.Observation{}, vmhost.ErrNotReady
	}
	if err := ctx.Err(); err != nil {
		return vmhost.Observation{}, err
	}
	switch {
	case a.Exec != nil:
		if err := a.Exec.Validate(); err != nil {
			return vmhost.Observation{}, &vmhost.ActionError{Code: vmhost.ActionInvalid, What: "exec", Err: err}
		}
		r.mu.Lock()
		p := *a.Exec
		p.Request = a.Request // as the guest is told
		r.execs = append(r.execs, p)
		r.mu.Unlock()
		if a.OnStart != nil {
			a.OnStart()
		}
		res, err := r.exec(ctx, p, a.OnOutput)
		if err != nil {
			return vmhost.Observation{}, err
		}
		res.ID = a.Exec.ID
		return vmhost.Observation{Exec: &res}, nil
	case a.File != nil && r.File != nil:
		res, err := r.File(ctx, a)
		return vmhost.Observation{File: res}, err
	case a.Tool != nil:
		if err := a.Tool.Validate(); err != nil {
			return vmhost.Observation{}, &vmhost.ActionError{Code: vmhost.ActionInvalid, What: a.Tool.Op, Err: err}
		}
		r.mu.Lock()
		r.ops = append(r.ops, *a.Tool)
		r.mu.Unlock()
		p := *a.Tool
		p.Request = a.Request // as the guest is told
		res, err := r.tool(ctx, p, a.OnProgress)
		if err == nil && r.After != nil {
			err = r.After(*a.Tool)
		}
		if err != nil {
			return vmhost.Observation{}, err
		}
		if a.OnOutput != nil {
			a.OnOutput(wire.ExecOutput{ID: a.Tool.ID, Stream: wire.Log, Data: []byte("info ended, exit 0\n")})
		}
		res.ID = a.Tool.ID
		return vmhost.Observation{Tool: &res}, nil
	default:
		return vmhost.Observation{}, &vmhost.ActionError{Code: vmhost.ActionInvalid, What: "action"}
	}
}

func (r *Runtime) exec(ctx context.Context, p wire.ExecParams, out func(wire.ExecOutput)) (wire.ExecResult, error) {
	if out == nil {
		out = func(wire.ExecOutput) {}
	}
	if !r.Cat && len(p.Argv) == 3 && p.Argv[0] == "cat" && p.Argv[1] == "--" {
		data, err := r.read(p.Argv[2])
		if err != nil {
			return wire.ExecResult{ExitCode: 1}, nil
		}
		for len(data) > 0 {
			n := min(len(data), 7)
			out(wire.ExecOutput{ID: p.ID, Stream: wire.Stdout, Data: data[:n]})
			data = data[n:]
		}
		return wire.ExecResult{}, nil
	}
	if r.Exec != nil {
		return r.Exec(ctx, p, out)
	}
	if p.Argv[0] == "true" {
		return wire.ExecResult{}, nil
	}
	return wire.ExecResult{}, &vmhost.ActionError{Code: vmhost.ActionStart, What: p.Argv[0], Err: errors.New("no such program")}
}

// errOutside is a path that is nowhere in the runtime.
var errOutside = errors.New("no such file or directory")

// host returns where a path of the runtime is on this computer.
func (r *Runtime) host(guest string) (name string, readOnly bool, err error) {
	if path.Clean(guest) != guest {
		return "", false, errOutside
	}
	if rel, ok := strings.CutPrefix(guest, wire.WorkDir+"/"); ok && r.Work != "" {
		return path.Join(r.Work, rel), false, nil
	}
	for _, f := range r.Folders {
		if rel, ok := strings.CutPrefix(guest, wire.FoldersDir+"/"+f.Name+"/"); ok {
			return path.Join(f.Path, rel), f.ReadOnly, nil
		}
	}
	return "", false, errOutside
}
