package tasks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/trace"

	"piwork/app/audit"
	"piwork/app/audit/execution"
	"piwork/app/consent"
	"piwork/app/folders"
	"piwork/app/gateway"
	"piwork/app/history"
	"piwork/app/machines"
	"piwork/app/problem"
	"piwork/app/projectcache"
	"piwork/app/services"
	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/network"
	"piwork/vmhost/share/drive"
	"piwork/vmhost/share/guard"
	"piwork/vmhost/traffic"
	"piwork/vmhost/vm"
	"piwork/vmhost/wire"
)

// environment is one place to work in: a runtime, the share that serves it and the
// journal behind. It belongs to the goroutine of its task. With readOnly every
// folder is read-only in it, whatever the task may do later: planning happens
// in such an environment, and what the person accepted in a fresh one.
type environment struct {
	l        *Live
	folders  atomic.Pointer[[]task.Folder] // that it shares; set before it is opened, and by addFolder and removeFolder
	network  task.Network
	readOnly bool

	state  string           // directory that the guest sees as /state; "" without
	models *gateway.Session // the gateway to models; nil without

	rt      vmhost.Runtime
	share   folders.Share
	net     *network.Network // nil without
	counted []func() error   // record the rest of what left this computer
	loan    *services.Loan   // nil without
	cache   *projectcache.Use
	journal history.Journal
	guard   *guard.Guard // nil without folders
	runs    atomic.Int64 // executions, for their ids
}

// open makes the environment and waits until it is ready. On a ready environment it does
// nothing. The share and the journal are opened while the machine starts: it asks
// for files when it is up.
func (env *environment) open(ctx context.Context) error {
	if env.rt != nil {
		return nil
	}
	env.l.foldersMu.Lock() // a folder that is added meanwhile is added to the open share
	folders := env.l.last.Load().Shared()
	for i := range folders {
		if env.readOnly {
			folders[i].Mode = task.ModeReadOnly
		}
	}
	env.folders.Store(&folders)
	opened := make(chan struct{})
	var failed error
	go func() {
		defer close(opened)
		defer env.l.foldersMu.Unlock()
		failed = env.l.c.o.Telemetry.Share(ctx, env.openFiles)
		if failed == nil && env.share != nil {
			env.l.environment = env
		}
	}()
	err := env.connect(ctx, func() error { <-opened; return failed })
	<-opened
	if failed != nil { // the machine could not do without, and says less about it
		return failed
	}
	if err == nil {
		env.l.opened.Store(env)
	}
	return err
}

// openFiles opens the share, and the journal where something may be changed.
func (env *environment) openFiles() error {
	c := env.l.c
	if !env.shares() {
		return nil
	}
	if slices.ContainsFunc(env.shared(), changeable) {
		if err := env.openJournal(); err != nil {
			return err
		}
	}
	env.guard = env.l.gate.Guard() // also where nothing is changed: something may be downloaded
	s, err := c.o.Share(env.shared(), env.journal, env.guard, env.folderLost)
	if err != nil {
		return fmt.Errorf("share the folders: %w", err)
	}
	env.share = s
	if err := env.fillPlace(); err != nil {
		return err
	}
	if env.state == "" {
		return nil
	}
	if err := s.AddState(env.state); err != nil {
		return fmt.Errorf("share what belongs to the task: %w", err)
	}
	return nil
}

// openJournal opens the journal.
func (env *environment) openJournal() error {
	c := env.l.c
	j, err := c.o.Journal(c.o.Store.JournalDir(env.l.id), env.l.last.Load().Folders, env.l.gate.UndoRoom(env.l.c.o.Undo.Get().SpaceMB))
	if err != nil {
		return fmt.Errorf("open the journal: %w", err)
	}
	env.journal = j
	env.l.setJournal(j)
	return nil
}

// shared are the folders that the runtime sees.
func (env *environment) shared() []task.Folder { return *env.folders.Load() }

// shares reports whether the runtime is served files, or may be later.
func (env *environment) shares() bool {
	return len(env.shared()) > 0 || env.state != "" || env.l.takesFolders() == nil
}

func changeable(f task.Folder) bool { return f.Mode != task.ModeReadOnly }

// addFolder shares another folder, which the record has already. Nobody else opens,
// changes or closes the environment meanwhile.
func (env *environment) addFolder(f task.Folder) error {
	if changeable(f) && env.journal == nil {
		if err := env.openJournal(); err != nil {
			return err
		}
	}
	if env.journal != nil {
		env.journal.Extend(f)
	}
	if env.guard != nil {
		env.guard.SetStanding(env.l.gate.Standing()) // there may be rules about the folder
	}
	env.share.Remove(emptyFolder) // it may have stood in its place
	if err := env.share.Add(f, env.journal, env.guard); err != nil {
		return fmt.Errorf("share the folder: %w", err)
	}
	list := append(slices.Clone(env.shared()), f)
	env.folders.Store(&list)
	return nil
}

// removeFolder ends the sharing of a folder, and has the journal note how the task left
// it: what changes there from now on is a person's.
func (env *environment) removeFolder(id string) {
	env.warn(env.leave(func() error { env.share.Remove(id); return nil }))
	list := slices.DeleteFunc(slices.Clone(env.shared()), func(f task.Folder) bool { return f.ID == id })
	env.folders.Store(&list)
	if err := env.fillPlace(); err != nil {
		env.l.log.Warn("where an AI works is not there any more", "error", err)
	}
	if env.journal != nil {
		env.warn(env.leave(func() error { env.settle(); return nil }))
	}
}

// fillPlace shares the empty folder where an AI works, when it has none there.
func (env *environment) fillPlace() error {
	f, ok, err := env.l.inPlace()
	if err != nil || !ok {
		return err
	}
	return env.share.Add(f, nil, nil)
}

// connect starts the machine. files waits until the share is open.
func (env *environment) connect(ctx context.Context, files func() error) error {
	if err := env.l.c.o.Kinds.Chooser.MayChange(env.l.kind, env.shared()...); err != nil { // a folder came while the place was chosen
		return err
	}
	if env.models != nil {
		env.follow(audit.PurposeModel, env.models.Traffic)
	}
	if !env.l.inMachine() {
		return env.connectPlace(ctx, files)
	}
	c := env.l.c
	runDir, err := c.o.RunDirs.New()
	if err != nil {
		return err
	}
	spec := vm.Config{
		Hardware: vm.Hardware{
			Image: env.l.machine.Pack.Image, Accel: env.l.machine.Proof.Accel, CPU: env.l.machine.Proof.CPU, BootTime: env.l.machine.Proof.Ready,
			MemoryMB: env.l.size.MemoryMB, CPUs: env.l.size.CPUs, PackVersion: env.l.machine.Pack.State.Version,
		},
		RunDir: runDir, Log: env.l.log, Dir: filepath.Join(c.o.Machines, env.l.id),
		Env: executionEnv(vmhost.KindVM, env.shared(), env.network), OnStatus: env.heard(), Folders: env.InView(),
	}
	spec.Env.Cwd = aiDir(*env.l.last.Load())
	if env.models != nil {
		spec.ServeNet, spec.OnLink = env.models.Serve, env.linkEnded
	}
	if err := env.openNetwork(&spec); err != nil {
		return err
	}
	if env.cache, err = c.ProjectCaches.Lend(ctx, env.cache, env.l.req.Cache, env.l, env.l.machine, &spec); err != nil {
		return err
	}
	if env.shares() {
		spec.State = env.state != ""
		spec.ServeFS = func(ctx context.Context, conn io.ReadWriteCloser) error {
			if err := files(); err != nil {
				return err
			}
			return env.share.Serve(ctx, conn)
		}
		c.o.Fleet.ServeFolders(&spec, files, func() machines.DeviceServer {
			d, _ := env.share.(machines.DeviceServer)
			return d
		})
	}
	rt, err := env.make(ctx, spec)
	if err != nil {
		return err
	}
	env.rt = rt
	env.l.machineNow.Store(&rt)
	env.l.step("boot")
	if err := c.o.Telemetry.Connect(ctx, rt); err != nil {
		if ctx.Err() == nil && files() == nil {
			c.o.Health.Suspect(env.l.machine, err)
		}
		return err
	}
	if env.shares() && files() == nil {
		c.o.Fleet.Connected(spec, rt)
	}
	return nil
}

// InitData is what an AI program is told of the place.
func (env *environment) InitData() vmhost.InitData { return env.rt.InitData() }

// Hints are what it is told with each message.
func (env *environment) Hints() vmhost.Hints { return env.rt.Hints() }

// InView are the folders as programs see them.
func (env *environment) InView() (out []vmhost.FolderInView) {
	for _, f := range env.shared() {
		out = append(out, vmhost.FolderInView{Path: wire.FoldersDir + "/" + f.Name, ReadOnly: f.Mode == task.ModeReadOnly})
	}
	return out
}

// make makes the runtime of files that are what was signed. Between the plan and
// its acceptance may lie days, and between the last check and now a suspend: the
// wall clock says how old a check is.
func (env *environment) make(ctx context.Context, spec vm.Config) (vmhost.Runtime, error) {
	c := env.l.c
	restored := c.o.Fleet.Pool.Restores(spec)
	if err := c.o.Health.Reverify(ctx, env.l.machine, restored); err != nil {
		return nil, err
	}
	if restored { // and where it is not, in the end
		spec.BeforeBoot = func(ctx context.Context) error { return c.o.Health.Reverify(ctx, env.l.machine, false) }
	}
	rt, err := c.o.Fleet.New(spec)
	if err != nil {
		return nil, fmt.Errorf("make the runtime: %w", err)
	}
	return rt, nil
}

// heard tells everybody what the runtime waits for while it connects.
func (env *environment) heard() vmhost.StatusFunc {
	var mu sync.Mutex
	last := ""
	return func(s vmhost.Status) {
		mu.Lock()
		defer mu.Unlock()
		if s.State == vmhost.StateConnecting && s.Step != "" && !env.l.inMachine() {
			s.Step = "place" // the steps of a machine have names that speak of one
		}
		if s.State == vmhost.StateConnecting && s.Step != "" && s.Step != last {
			last = s.Step
			trace.SpanFromContext(env.l.ctx).AddEvent(s.Step)
			env.l.step(s.Step)
		}
	}
}

// sending tells everybody how much of what a place needs has been sent there.
func (env *environment) sending() func(done, total int64) {
	begun := false
	return func(done, total int64) {
		if !begun {
			begun = true
			env.l.step("send")
		}
		env.l.Tell(task.EventProgress, task.ProgressData{Done: done, Total: total, Bytes: done, TotalBytes: total})
	}
}

// executionEnv is what a task asks of its runtime.
func executionEnv(kind string, folders []task.Folder, network task.Network) vmhost.ExecutionEnv {
	env := vmhost.ExecutionEnv{OS: "linux", Sandbox: kind, Network: policies[network]}
	for i, f := range folders {
		if i == 0 {
			env.WorkspaceRoot = f.Path
		}
		if f.Mode == task.ModeReadOnly {
			env.ReadOnlyRoots = append(env.ReadOnlyRoots, f.Path)
		} else {
			env.WritableRoots = append(env.WritableRoots, f.Path)
		}
	}
	return env
}

var policies = map[task.Network]vmhost.NetworkPolicy{
	task.NetworkOff:        vmhost.NetworkDeny,
	task.NetworkRestricted: vmhost.NetworkRestricted,
	task.NetworkOn:         vmhost.NetworkAllow,
}

// Execute does one action and records its begin and its end in the audit log.
// An action whose begin cannot be recorded is not done. On a ready environment it may be
// called from several goroutines at once.
func (env *environment) Execute(ctx context.Context, a vmhost.Action) (vmhost.Observation, error) {
	err := env.l.gate.Acts(ctx, a)
	if err == nil {
		err = env.open(ctx)
	}
	if err != nil {
		return vmhost.Observation{}, err
	}
	run := env.runs.Add(1)
	exec := fmt.Sprintf("%s/%d", env.l.id, run)
	if env.l.round > 0 {
		exec = fmt.Sprintf("%s/again-%d/%d", env.l.id, env.l.round, run)
	}
	if env.readOnly {
		exec = fmt.Sprintf("%s/plan/%d", env.l.id, run)
	}
	if err := env.l.Written(); err != nil {
		return vmhost.Observation{}, err
	}
	log, x := env.l.c.o.Audit, executionOf(ctx, env.l, exec)
	if a.Request = x.Request; a.Tool != nil {
		x.In = a.Tool.In
	}
	if err := log.Append(x.Begin(log.Key, env.place(), a)); err != nil {
		return vmhost.Observation{}, problem.NotRecorded(err)
	}
	began := time.Now()
	obs, err := env.l.c.o.Telemetry.Execute(ctx, env.l.ctx, env.rt, a)
	x.Took = time.Since(began)
	env.l.c.o.Health.Damaged(env.l.machine, err)
	if err == nil && (a.Exec != nil && obs.Exec == nil || a.Tool != nil && obs.Tool == nil || a.File != nil && obs.File == nil ||
		a.Fetch != nil && obs.Fetch == nil || a.Page != nil && obs.Page == nil) {
		err = &vmhost.FailedError{Runtime: env.l.kind, Reason: vmhost.ReasonProtocol, Err: errors.New("the runtime answered something else than was asked")}
	}
	if aerr := log.Append(x.End(obs, err)); aerr != nil && err == nil {
		err = problem.NotRecorded(aerr)
	}
	return obs, err
}

// executionOf is one in the task, as the audit log has it, for who asks for it: a request that
// acts in the task, else the one that started it.
func executionOf(ctx context.Context, l *Live, id string) execution.Execution {
	by := consent.WhoOf(ctx)
	if by.Request == "" && by.Client == "" {
		by = l.req.by
	}
	return execution.Execution{ID: id, Task: l.id, Request: by.Request, Client: by.Client, Door: by.Door}
}

// place is where the environment executes.
func (env *environment) place() execution.Place {
	return execution.Place{
		Capabilities: env.rt.Capabilities(), Accel: string(env.l.machine.Proof.Accel), Pack: env.l.machine.Pack.State.Version,
		Network: env.network, Folders: env.shared(),
	}
}

// close ends what open made, also what it made half. The share outlives the
// runtime: a guest whose files are gone cannot end well.
func (env *environment) close() error {
	var errs []error
	env.l.opened.CompareAndSwap(env, nil)
	env.l.foldersMu.Lock()
	if env.l.environment == env {
		env.l.environment = nil
	}
	env.l.foldersMu.Unlock()
	if env.guard != nil {
		env.guard.Close() // the machine runs on, and is told no
	}
	if env.rt != nil {
		ctx, cancel := env.l.c.graceful()
		errs = append(errs, env.rt.Close(ctx))
		cancel()
	}
	env.cache.Close(env.rt, env.l.c.o.Registry)
	if env.net != nil {
		env.l.gate.SetNetwork(nil)
		errs = append(errs, env.net.Close())
	}
	errs = append(errs, env.loan.Close())
	for _, end := range env.counted {
		errs = append(errs, end())
	}
	return errors.Join(append(errs, env.leave(env.closeFiles))...)
}

// follow records what leaves this computer, until the environment is closed.
func (env *environment) follow(purpose string, take func() []traffic.Total) {
	env.counted = append(env.counted, executionOf(env.l.ctx, env.l, "").Follow(env.l.c.o.Audit, purpose, take))
}

// closeFiles closes the share, and then the journal.
func (env *environment) closeFiles() error {
	var errs []error
	if env.share != nil {
		errs = append(errs, env.share.Close())
	}
	if env.journal != nil {
		env.settle()
		env.l.setJournal(nil)
		errs = append(errs, env.journal.Close())
	}
	return errors.Join(errs...)
}

// leave does what needs the drives of the folders. What one that does not answer holds up is
// left behind, with a *drive.SilentError: it ends when the drive answers, and keeps the journal
// until then, so that nobody takes changes back while a call of the task may still come to its end.
func (env *environment) leave(do func() error) error {
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		err = do()
	}()
	dirs := task.Paths(env.l.last.Load().Folders) // those that were removed have changes, too
	if left := drive.Wait(env.l.c.o.Registry.Grace(), done, drive.Farewell(), dirs...); left != nil {
		return left
	}
	return err
}

// warn says what was left behind, in the log.
func (env *environment) warn(err error) {
	if err != nil {
		env.l.log.Warn("a drive does not answer; what waits for it is left behind", "error", err)
	}
}

// settle has the journal note how the task left things, so that an undo later
// can tell what a person changed since.
func (env *environment) settle() {
	ctx, cancel := context.WithTimeout(env.l.c.o.Registry.Grace(), settleTimeout)
	defer cancel()
	if _, err := env.journal.Changes(ctx); err != nil {
		env.l.log.Warn("how a task left its folders could not be noted", "error", err)
	}
}
