// Package machines shares this computer out among the virtual machines of tasks.
//
// A [Fleet] has three parts, each with its own state and lock:
//
//   - [Queue] is the admission queue. Each machine has a [Slot] in it, in the order of
//     its task: as many run at once as there is memory for (app/capacity), and nobody is
//     overtaken. Tasks without a machine have one of their own: as many run at once as there
//     are processors.
//   - [WarmPool] has machines start at once. When no task needs the computer it has a
//     [Factory] save one machine that is ready ([WarmTemplate]), of which the next ones
//     are copies, or boot one that waits ([WarmSpare]) where none can be saved. What is
//     missing or fails makes a machine boot instead, with the same result.
//   - How folders reach a machine (devices.go): by virtio-fs where that was proven on
//     this computer, else over 9p.
//
// Nothing here knows tasks: what a machine is started from is told by whoever checked
// it ([WarmPool.SetBasis]), and is checked again by them before anything of it runs
// ([Options].Reverify).
package machines

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"piwork/app/capacity"
	"piwork/app/problem"
	"piwork/app/rundir"
	"piwork/app/settings"
	"piwork/app/setup"
	"piwork/app/task"
	"piwork/app/telemetry"
	"piwork/vmhost"
	"piwork/vmhost/vm"
	"piwork/vmhost/wire"
)

// Options say what a fleet's machines are made of and with.
type Options struct {
	CacheDir string // of saved machines
	Version  string // of the program
	Choice   settings.Value[Settings]
	RunDirs  *rundir.Dirs

	Host     func(context.Context) (capacity.Host, error)
	Power    func(context.Context) capacity.Power
	DiskFree func(ctx context.Context, dir string) (int, error) // MiB

	Machine MachineMaker // of machines that boot
	Factory FactoryMaker // nil where no machine is made in advance
	// Sweep removes what factories left on the disk, but for that of keep; nil removes
	// nothing.
	Sweep  func(ctx context.Context, keep Factory) error
	Proofs ShareProofs // nil where folders cannot be a device
	// Share serves folders that nobody changes, for the proof of a device.
	Share func([]task.Folder) (FolderServer, error)

	// Status finds out what tasks run on and tells [WarmPool.SetBasis].
	Status   func(context.Context) (setup.Report, error)
	Reverify func(ctx context.Context, m setup.Machine, restored bool) error
	// Damaged hears why a machine failed, and reports whether its image is not what was
	// signed.
	Damaged func(m setup.Machine, err error) bool
	Working func() bool // a task is at work
	// Settle is for how long none was before a machine is made in advance; nil is a moment.
	Settle func() time.Duration
	Watching

	Log *slog.Logger
	Now func() time.Time
}

// Watching is told what happens to machines.
type Watching struct {
	Tell      func(Machines)       // hears how things stand when that is news
	Telemetry *telemetry.Telemetry // nil counts nothing
}

// Fleet are the machines of this computer. Its methods may be called from several
// goroutines at once.
type Fleet struct {
	o      Options
	Queue  *Queue // of machines
	Places *Queue // of tasks without one
	Pool   *WarmPool
	Share  *deviceSharing

	life, grace   context.Context
	end, endGrace context.CancelFunc
	work          sync.WaitGroup
}

// New makes a fleet; [Fleet.Run] has it work.
func New(o Options) *Fleet {
	if o.Settle == nil {
		o.Settle = func() time.Duration { return WarmSettle }
	}
	f := &Fleet{o: o}
	f.life, f.end = context.WithCancel(context.Background())
	f.grace, f.endGrace = context.WithCancel(context.Background())
	choice := func() capacity.Choice { return o.Choice.Get().choice() }
	f.Queue, f.Places = newQueue(o.Host, choice, o.Log), newQueue(o.Host, choice, o.Log)
	f.Queue.told, f.Places.told = o.waited("machines"), o.waited("places")
	f.Places.rule, f.Places.behind = capacity.AdmitPlaces, capacity.Cores
	f.Share = &deviceSharing{fleet: f}
	f.Pool = newWarmPool(f)
	f.Queue.spare = f.Pool.evict
	return f
}

// waited tells telemetry how long tasks waited in a queue.
func (o Options) waited(queue string) func(context.Context, time.Time, error) {
	return func(ctx context.Context, since time.Time, err error) { o.Telemetry.Queued(ctx, queue, since, err) }
}

// Waiting counts the tasks that wait for room, by queue.
func (f *Fleet) Waiting() map[string]int64 {
	if f == nil { // nor is there anybody before there is one
		return nil
	}
	_, machines := f.Queue.Counts()
	_, places := f.Places.Counts()
	return map[string]int64{"machines": int64(machines), "places": int64(places)}
}

// Run makes machines in advance until Close.
func (f *Fleet) Run() { f.work.Go(func() { f.Pool.run(f.life) }) }

// Hurry ends what is under way; with kill, at once.
func (f *Fleet) Hurry(kill bool) {
	f.end()
	if kill {
		f.endGrace()
	}
}

// Close ends every machine that no task has.
func (f *Fleet) Close() {
	f.end()
	f.work.Wait()
	f.endGrace()
}

// New makes a machine of a task, in the best way that there is.
func (f *Fleet) New(c vm.Config) (vmhost.Runtime, error) { return f.Pool.machine(f.complete(c)) }

// Boot makes a machine that boots, whatever was made in advance.
func (f *Fleet) Boot(c vm.Config) (vmhost.Runtime, error) { return f.o.Machine(f.complete(c)) }

// complete fills in what all machines have in common.
func (f *Fleet) complete(c vm.Config) vm.Config {
	c.AppVersion, c.Log = f.o.Version, cmp.Or(c.Log, f.o.Log)
	return c
}

// ServeFolders has the folders of a machine reach it as a device where that was proven.
// open waits until they are served.
func (f *Fleet) ServeFolders(c *vm.Config, open func() error, files func() DeviceServer) {
	c.ServeDevice, c.OpenFolders = f.Share.device(keyOf(*c), open, files)
}

// Connected hears how the folders reached a machine.
func (f *Fleet) Connected(c vm.Config, rt vmhost.Runtime) { f.Share.connected(keyOf(c), rt) }

// Machines says how this computer is shared out.
func (f *Fleet) Machines(ctx context.Context) (Machines, error) {
	host, err := f.o.Host(ctx)
	if err != nil {
		return Machines{}, problem.From(err)
	}
	return f.machinesOn(host), nil
}

func (f *Fleet) machinesOn(host capacity.Host) Machines {
	chosen := f.o.Choice.Get()
	chosen.Share, chosen.CacheMB = f.Share.chosen(), f.CacheMB()
	m := Machines{
		Host: host, Size: capacity.SizeOf(host, chosen.choice()),
		TotalMB: capacity.Budget(host, chosen.choice()), AtOnce: capacity.Machines(host, chosen.choice()),
		Instant:  f.Pool.State(),
		Settings: chosen,
	}
	m.Share = f.Pool.stands(m.Size)
	m.Running, m.Queued = f.Queue.Counts()
	return m
}

// CacheMB is how much a cache between tasks may hold; 0 is as much as usual. More than its disk
// could be chosen once.
func (f *Fleet) CacheMB() int { return min(f.o.Choice.Get().CacheMB, wire.MaxCacheMB) }

// SetMachines saves the choices, unless this computer cannot follow one of them.
func (f *Fleet) SetMachines(ctx context.Context, s Settings) (Machines, error) {
	host, err := f.o.Host(ctx)
	if err != nil {
		return Machines{}, problem.From(err)
	}
	if err := s.choice().Check(host); err != nil {
		return Machines{}, choiceProblem(err)
	}
	if s.Share == ShareAuto { // as if nothing had been chosen
		s.Share = ""
	}
	if s.Share != "" && s.Share != Share9P && s.Share != ShareVirtioFS {
		return Machines{}, problem.BadRequest("share", "%q is not a choice", s.Share)
	}
	if s.CacheMB != 0 && (s.CacheMB < wire.MinCacheMB || s.CacheMB > wire.MaxCacheMB) {
		return Machines{}, choiceProblem(&capacity.ChoiceError{Field: "cacheMb", Value: s.CacheMB, Min: wire.MinCacheMB, Max: wire.MaxCacheMB})
	}
	if err := f.o.Choice.Set(s); err != nil {
		return Machines{}, problem.From(err)
	}
	f.Queue.Reconsider()
	f.Places.Reconsider()
	f.Share.Again()
	f.Pool.Wake()
	f.tell()
	return f.machinesOn(host), nil
}

// PrepareMachines makes ready, now and not when it is convenient, what lets
// machines be there at once. It answers when that is done, or cannot be.
func (f *Fleet) PrepareMachines(ctx context.Context) (Machines, error) {
	if err := f.usable(ctx); err != nil {
		return Machines{}, err
	}
	if err := f.Pool.prepare(ctx); err != nil {
		return Machines{}, problem.From(err)
	}
	return f.Machines(ctx)
}

// usable is why no machine can run on this computer now, nil where one can.
func (f *Fleet) usable(ctx context.Context) error {
	rep, err := f.o.Status(ctx)
	if err != nil {
		return err
	}
	return rep.Err()
}

// SizeFor is the size of a machine of a task that asks for own.
func (f *Fleet) SizeFor(ctx context.Context, own capacity.Choice) (capacity.Size, error) {
	host, err := f.o.Host(ctx)
	if err != nil {
		f.o.Log.Warn("it is not known how large this computer is", "error", err)
		host = UnknownHost
	}
	if err := own.Check(host); err != nil {
		return capacity.Size{}, choiceProblem(err)
	}
	return capacity.SizeOf(host, f.o.Choice.Get().choice().Over(own)), nil
}

// Chosen is what a person chose for a task that asks for own: its own, or that of the settings.
// What nobody chose is 0.
func (f *Fleet) Chosen(own capacity.Choice) capacity.Choice {
	return f.o.Choice.Get().choice().Over(own)
}

// DefaultSize is that of a machine whose task asks for nothing else.
func (f *Fleet) DefaultSize() capacity.Size {
	ctx, cancel := context.WithTimeout(context.Background(), lookAgain)
	defer cancel()
	host, err := f.o.Host(ctx)
	if err != nil {
		host = UnknownHost
	}
	return capacity.SizeOf(host, f.o.Choice.Get().choice())
}

// choiceProblem is the problem of a choice that cannot be followed. Its cause is
// the name of the member.
func choiceProblem(err error) *problem.Problem {
	p := problem.New(problem.CodeMachineSettings).Because(err)
	if refused, is := errors.AsType[*capacity.ChoiceError](err); is {
		p = p.With("value", refused.Value).With("min", refused.Min).With("max", refused.Max)
		p.Cause = refused.Field
	}
	return p
}

// tell tells everybody how things stand.
func (f *Fleet) tell() {
	ctx, cancel := context.WithTimeout(f.life, lookAgain)
	defer cancel()
	if m, err := f.Machines(ctx); err == nil {
		f.o.Tell(m)
	}
}
