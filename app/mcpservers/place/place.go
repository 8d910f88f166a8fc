// Package place starts the program of an MCP server in a place of its own: a machine, or, where
// the computer can have none and the person prefers or always allows it, a container or a sandbox of
// this computer: nobody is asked, and a rule that asks refuses. It is
// the Starter of package mcpservers.
//
// The place has the folders that the server was given, read-only and without a journal; a
// network card only where hosts or services were named, behind a network of its own that asks
// nobody and lets out what these names allow (vmhost/network), and puts the secrets of the
// services in on the way (services.Loan); and no way to models, to the task that
// uses it, or to another server. It waits for room on this computer as a task does. What runs
// is in the audit log: the program's name, the names of its variables, digests of the rest.
//
// Everything that belongs to a program (its place, its network, its share, its room in the
// queue) has one owner, Running, and ends with it.
package place

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"piwork/app/audit"
	"piwork/app/audit/execution"
	"piwork/app/capacity"
	"piwork/app/consent"
	"piwork/app/folders"
	"piwork/app/health"
	"piwork/app/machines"
	"piwork/app/mcpservers"
	rulebook "piwork/app/policy"
	"piwork/app/problem"
	"piwork/app/rundir"
	"piwork/app/runtimes"
	"piwork/app/setup"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/telemetry"
	"piwork/pack/durable"
	"piwork/vmhost"
	"piwork/vmhost/hosted"
	"piwork/vmhost/network"
	"piwork/vmhost/network/policy"
	"piwork/vmhost/vm"
	"piwork/vmhost/wire"
)

// Options are the rooms that places are made with.
type Options struct {
	Machines    string // of the machines' disks
	Health      *health.Health
	Fleet       *machines.Fleet
	RunDirs     *rundir.Dirs
	Kinds       tasks.Kinds
	Share       folders.Sharer
	Audit       *audit.Log
	Consent     *consent.Consent       // what written rules say to it
	Grace       func() context.Context // ends when what has to be ended in order is to be killed
	CloseWithin time.Duration
	RoomWithin  time.Duration // how long a program waits for room; a minute when it is 0
	Log         *slog.Logger
	Telemetry   *telemetry.Telemetry
}

// Outlet is a way to remote servers, for a task or for nobody's: what goes through it is in the
// audit log every few minutes, and when it closes. It reaches no private address but those that rules allow,
// and nothing that written rules refuse.
func (s *Starter) Outlet(p mcpservers.Program, rules []policy.Rule) (mcpservers.Outlet, error) {
	written := s.o.Consent.Apart(p.Server, p.Task, p.Agent, p.By, task.NetworkRestricted, nil)
	if d, refused := written.Reached(); refused {
		if err := written.Refused(d.Name()); err != nil {
			return nil, problem.NotRecorded(err)
		}
		return nil, d.Explains(problem.New(problem.CodeRuleDenied).With("action", string(rulebook.Run)).With("what", p.Server))
	}
	n, err := s.o.Kinds.Network(network.Config{Task: p.Task, Policy: vmhost.NetworkAllow, Rules: rules, Over: written.Over, Log: s.o.Log})
	if err != nil {
		return nil, err
	}
	x := execution.Execution{Task: p.Task, Request: p.By.Request, Client: p.By.Client}
	return &outlet{n, written.Follow(n), x.Follow(s.o.Audit, audit.PurposeFetch, n.Traffic)}, nil
}

type outlet struct {
	*network.Network
	over     func()       // the rules are asked no more
	recorded func() error // the rest of what went through it
}

// Close implements io.Closer.
func (o *outlet) Close() error {
	o.over()
	return errors.Join(o.Network.Close(), o.recorded())
}

// Starter is a mcpservers.Starter.
type Starter struct{ o Options }

// New makes one.
func New(o Options) *Starter { return &Starter{o} }

// maxTail is how much of a program's standard error is kept, in bytes.
const maxTail = 16 << 10 // more than is shown and the longest secret

// running is a program that runs, with all that belongs to it. Only start writes what stands
// before ended.
type running struct {
	o     *Options
	p     mcpservers.Program
	name  string // of this place, in the directory of machines and in the audit log
	undo  []func() error
	inUse execution.Place
	rt    vmhost.Runtime
	net   *network.Network
	rules *consent.Apart

	stop  context.CancelFunc // of the program
	ended chan struct{}      // closed when it is over
	input *io.PipeWriter
	out   *io.PipeReader

	once   sync.Once
	closed error

	mu   sync.Mutex
	tail []byte
}

// Start implements mcpservers.Starter.
func (s *Starter) Start(ctx context.Context, p mcpservers.Program) (_ mcpservers.Running, err error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, err
	}
	r := &running{o: &s.o, p: p, name: id.String() + "-mcp"}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.clear())
		}
	}()
	m, kind, err := r.choose(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.enter(ctx, kind); err != nil {
		return nil, err
	}
	if err := r.connect(ctx, m, kind); err != nil {
		return nil, err
	}
	if err := r.run(ctx); err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { _ = r.Close() }) // who has r hears how that went
	return r, nil
}

// later has something undone when the program is over, the last first.
func (r *running) later(undo func() error) { r.undo = append(r.undo, undo) }

// choose finds the kind of the place, and holds the pack that it is made of.
func (r *running) choose(ctx context.Context) (m setup.Machine, kind string, err error) {
	n := runtimes.Need{Work: task.KindExec, Folders: len(r.p.Folders) > 0, Network: task.NetworkOff, AtLeast: vmhost.IsolationNamespace, Alone: true, Slow: r.p.Slow}
	if r.p.Networked() {
		n.Network = task.NetworkRestricted
	}
	r.rules = r.o.Consent.Apart(r.p.Server, r.p.Task, r.p.Agent, r.p.By, n.Network, r.p.Folders)
	r.rules.Services = r.p.Services
	n.Rules = r.rules.Place
	c, err := r.o.Kinds.Chooser.Place(ctx, n, func(ctx context.Context) error {
		_, m, err = r.o.Health.Ready(ctx, r.p.Slow)
		return err
	})
	switch {
	case err != nil:
		return m, "", err
	case c.Kind == "":
		p := c.Nowhere(n)
		if p.Code == problem.CodeRuleDenied {
			rule, _ := p.Params["rule"].(string)
			if err := r.rules.Refused(p.Cause + "/" + rule); err != nil {
				return m, "", problem.NotRecorded(err)
			}
		}
		return m, "", p
	}
	if c.Kind != vmhost.KindVM {
		if m, err = r.o.Health.Files(ctx); err != nil {
			return m, "", err
		}
	}
	if m.Pack.Lease != nil {
		release, err := m.Pack.Lease(ctx)
		if err != nil {
			return m, "", err
		}
		r.later(func() error { release(); return nil })
	}
	return m, c.Kind, r.rules.Takes(c)
}

// enter waits for room, and not for long: the task that the program is for may have the last.
func (r *running) enter(ctx context.Context, kind string) error {
	queue, size := r.o.Fleet.Places, capacity.Size{}
	if kind == vmhost.KindVM {
		queue, size = r.o.Fleet.Queue, r.o.Fleet.DefaultSize()
	}
	slot := queue.Request(r.name, size)
	r.later(func() error { slot.Release(); return nil })
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(r.o.RoomWithin, time.Minute))
	defer cancel()
	cause := "now"
	err := slot.Wait(ctx, func(v capacity.Verdict) {
		if cause = "now"; v != capacity.Memory {
			cause = "turn"
		}
	})
	if ctx.Err() == context.DeadlineExceeded {
		return problem.New(problem.CodeNoRoom).By(cause)
	}
	return err
}

// environment is what the place has to enforce.
func (r *running) environment(kind string) (vmhost.ExecutionEnv, []vmhost.FolderInView) {
	e := vmhost.ExecutionEnv{OS: "linux", Sandbox: kind, Network: vmhost.NetworkDeny, Cwd: "/work"}
	if r.p.Networked() {
		e.Network = vmhost.NetworkRestricted
	}
	var seen []vmhost.FolderInView
	for _, f := range r.p.Folders {
		e.ReadOnlyRoots = append(e.ReadOnlyRoots, f.Path)
		seen = append(seen, vmhost.FolderInView{Path: wire.FoldersDir + "/" + f.Name, ReadOnly: true})
	}
	return e, seen
}

// connect makes the place and waits until it is ready.
func (r *running) connect(ctx context.Context, m setup.Machine, kind string) error {
	dir := filepath.Join(r.o.Machines, r.name)
	r.later(func() error { return durable.RemoveAll(dir) }) // the folders may still be mounted in it
	var share folders.Share
	if len(r.p.Folders) > 0 {
		var err error
		if share, err = r.o.Share(r.p.Folders, nil, nil, nil); err != nil {
			return fmt.Errorf("share the folders: %w", err)
		}
		r.later(share.Close)
	}
	env, seen := r.environment(kind)
	r.inUse = execution.Place{Accel: string(m.Proof.Accel), Pack: m.Pack.State.Version, Network: task.NetworkOff, Folders: r.p.Folders}
	if r.p.Networked() {
		r.inUse.Network = task.NetworkRestricted
	}
	var err error
	if kind == vmhost.KindVM {
		r.rt, err = r.machine(ctx, m, dir, env, seen, share)
	} else {
		r.rt, err = r.other(ctx, m, kind, dir, env, seen, share)
	}
	if err != nil {
		return err
	}
	r.later(func() error {
		ctx, cancel := context.WithTimeout(r.o.Grace(), r.o.CloseWithin)
		defer cancel()
		return r.rt.Close(ctx)
	})
	r.inUse.Capabilities = r.rt.Capabilities()
	if err := r.o.Telemetry.Connect(ctx, r.rt); err != nil {
		r.o.Health.Damaged(m, err)
		if runtimes.Doubtful(err) && ctx.Err() == nil {
			r.o.Kinds.Chooser.Doubt(ctx, kind)
		}
		return err
	}
	return nil
}

// machine makes a machine.
func (r *running) machine(ctx context.Context, m setup.Machine, dir string, env vmhost.ExecutionEnv, seen []vmhost.FolderInView, share folders.Share) (vmhost.Runtime, error) {
	runDir, err := r.o.RunDirs.New()
	if err != nil {
		return nil, err
	}
	r.later(func() error { return os.RemoveAll(runDir) })
	size := r.o.Fleet.DefaultSize()
	spec := vm.Config{
		Hardware: vm.Hardware{
			Image: m.Pack.Image, Accel: m.Proof.Accel, CPU: m.Proof.CPU, BootTime: m.Proof.Ready,
			MemoryMB: size.MemoryMB, CPUs: size.CPUs, PackVersion: m.Pack.State.Version,
		},
		RunDir: runDir, Dir: dir, Env: env, Folders: seen, Log: r.p.By.Log(r.o.Log, r.p.Task),
	}
	if share != nil {
		spec.ServeFS = share.Serve
		r.o.Fleet.ServeFolders(&spec, func() error { return nil }, func() machines.DeviceServer {
			d, _ := share.(machines.DeviceServer)
			return d
		})
	}
	n, err := r.makeNetwork(ctx)
	if err != nil {
		return nil, err
	}
	if n != nil {
		g := n.Guest()
		spec.NIC = &vm.NIC{Serve: n.Serve, MAC: g.MAC, Address: g.Address, Gateway: g.Gateway, DNS: g.DNS, MTU: g.MTU, Authority: g.Authority}
	}
	restored := r.o.Fleet.Pool.Restores(spec)
	if err := r.o.Health.Reverify(ctx, m, restored); err != nil {
		return nil, err
	}
	if restored { // and where it is not, in the end
		spec.BeforeBoot = func(ctx context.Context) error { return r.o.Health.Reverify(ctx, m, false) }
	}
	return r.o.Fleet.New(spec)
}

// makeNetwork makes the network of a server that has one, nil of any other: it lets out what was
// named for this server and nothing else, whatever tasks may reach.
func (r *running) makeNetwork(ctx context.Context) (*network.Network, error) {
	if !r.p.Networked() {
		return nil, nil
	}
	hosts := slices.Clone(r.p.Hosts)
	loan, err := r.o.Kinds.Services.Lend(ctx, r.p.Task, r.p.Services, func(of []string) error { hosts = append(hosts, of...); return nil }, audit.Record{Task: r.p.Task, Request: r.p.By.Request, Client: r.p.By.Client, Door: r.p.By.Door})
	if err != nil {
		return nil, err
	}
	r.later(loan.Close) // after the network
	rules, err := policy.ParseRules(hosts, nil)
	if err != nil {
		return nil, err
	}
	n, err := r.o.Kinds.Network(network.Config{Task: r.name, Policy: vmhost.NetworkRestricted, Rules: rules, Over: r.rules.Over, Inspect: loan.Inspect(), Log: r.o.Log})
	if err != nil {
		return nil, err
	}
	r.net = n
	over, recorded := r.rules.Follow(n), r.execution().Follow(r.o.Audit, audit.PurposeNetwork, n.Traffic)
	r.later(func() error {
		over()
		return errors.Join(n.Close(), recorded())
	})
	return n, nil
}

// other makes a place that is no machine.
func (r *running) other(ctx context.Context, m setup.Machine, kind, dir string, env vmhost.ExecutionEnv, seen []vmhost.FolderInView, share folders.Share) (vmhost.Runtime, error) {
	make := r.o.Kinds.Make[kind]
	if make == nil {
		return nil, fmt.Errorf("nothing makes a %q", kind)
	}
	c := tasks.PlaceConfig{Kind: kind, Work: task.KindExec, Dir: dir, Pack: m.Pack, Env: env, Folders: seen, Log: r.p.By.Log(r.o.Log, r.p.Task)}
	c.Door = func() (*hosted.Door, error) {
		n, err := r.makeNetwork(ctx)
		if n == nil {
			return nil, err
		}
		return &hosted.Door{Serve: n.ServeDoor, Authority: n.Guest().Authority}, nil
	}
	if share != nil {
		s := folders.Served{Kind: kind, Open: func() (folders.Share, error) { return share, nil }}
		c.ServeFUSE, c.Copy = s.ServeFUSE, s.Copy
	}
	return make(ctx, c)
}

// execution is the program as the audit log has it.
func (r *running) execution() execution.Execution {
	return execution.Execution{ID: r.name, Task: r.p.Task, Request: r.p.By.Request, Client: r.p.By.Client, Door: r.p.By.Door}
}

// run starts the program. What cannot be recorded is not started.
func (r *running) run(ctx context.Context) error {
	in, input := io.Pipe()
	out, w := io.Pipe()
	a := vmhost.Action{
		Request: r.p.By.Request,
		Exec: &wire.ExecParams{
			ID: r.name, Argv: r.p.Argv, Env: r.p.Env, Cwd: "/work",
			Limits: wire.Limits{WallMS: wire.MaxWallMS, OutputBytes: wire.MaxOutput}, // who asks ends it
		},
		Input: in,
		OnOutput: func(o wire.ExecOutput) {
			if o.Stream == wire.Stdout {
				_, _ = w.Write(o.Data) // nobody reads any more
				return
			}
			r.note(o.Data)
		},
	}
	if err := r.o.Audit.Append(r.execution().Begin(r.o.Audit.Key, r.inUse, a)); err != nil {
		return problem.NotRecorded(err)
	}
	ctx, r.stop = context.WithCancel(ctx)
	r.input, r.out, r.ended = input, out, make(chan struct{})
	go func() {
		defer close(r.ended)
		obs, err := r.rt.Execute(ctx, a)
		switch {
		case err != nil && ctx.Err() == nil:
			r.note([]byte(err.Error()))
		case err == nil && obs.Exec != nil:
			r.note([]byte(fmt.Sprintf("\nit ended with status %d", obs.Exec.ExitCode)))
		}
		_ = w.Close() // its reader hears the end
		_ = in.Close()
		if err := r.o.Audit.Append(r.execution().End(obs, err)); err != nil {
			r.o.Log.Error("the end of an MCP server could not be recorded", "server", r.p.Server, "error", err)
		}
	}()
	return nil
}

// note keeps the end of what the program says beside its answers.
func (r *running) note(data []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tail = append(r.tail, data...)
	if n := len(r.tail) - maxTail; n > 0 {
		r.tail = append([]byte{}, r.tail[n:]...)
	}
}

// Tail implements mcpservers.Running.
func (r *running) Tail() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return string(r.tail)
}

// Read implements io.Reader: what the program writes.
func (r *running) Read(p []byte) (int, error) { return r.out.Read(p) }

// Write implements io.Writer: what the program reads.
func (r *running) Write(p []byte) (int, error) { return r.input.Write(p) }

// Close implements io.Closer.
func (r *running) Close() error {
	r.once.Do(func() {
		r.stop()
		_ = r.out.Close()
		_ = r.input.Close()
		<-r.ended
		r.closed = r.clear()
	})
	return r.closed
}

// clear undoes what was done for the program.
func (r *running) clear() error {
	var errs []error
	for i := len(r.undo) - 1; i >= 0; i-- {
		errs = append(errs, r.undo[i]())
	}
	r.undo = nil
	return errors.Join(errs...)
}
