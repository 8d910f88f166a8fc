package tasks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"piwork/app/audit"
	"piwork/app/audit/execution"
	"piwork/app/folders"
	"piwork/app/gateway"
	"piwork/app/history"
	"piwork/app/machines"
	"piwork/app/mcpservers"
	"piwork/app/problem"
	"piwork/app/projectcache"
	"piwork/app/services"
	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/network"
	"piwork/vmhost/share/drive"
	"piwork/vmhost/share/guard"
	"piwork/vmhost/vm"
	"piwork/vmhost/wire"
	"slices"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/otel/trace"
)

// box is one place to work in: a runtime, the share that serves it and the
// journal behind. It belongs to the goroutine of its task. With readOnly every
// folder is read-only in it, whatever the task may do later: planning happens
// in such a box, and what the person accepted in a fresh one.
type box struct {
	l        *Live
	folders  atomic.Pointer[[]task.Folder] // that it shares; set before it is opened, and by addFolder and removeFolder
	network  task.Network
	readOnly bool

	state  string           // directory that the guest sees as /state; "" without
	models *gateway.Session // the gateway to models; nil without
	tools  *mcpservers.Use  // of the person's MCP servers; nil without

	rt      vmhost.Runtime
	share   folders.Share
	net     *network.Network // nil without
	loan    *services.Loan   // nil without
	cache   *projectcache.Use
	journal history.Journal
	guard   *guard.Guard // nil without folders
	runs    atomic.Int64 // executions, for their ids
}

// open makes the box and waits until it is ready. On a ready box it does
// nothing. The share and the journal are opened while the machine starts: it asks
// for files when it is up.
func (b *box) open(ctx context.Context) error {
	if b.rt != nil {
		return nil
	}
	b.l.foldersMu.Lock() // a folder that is added meanwhile is added to the open share
	folders := b.l.last.Load().Shared()
	for i := range folders {
		if b.readOnly {
			folders[i].Mode = task.ModeReadOnly
		}
	}
	b.folders.Store(&folders)
	opened := make(chan struct{})
	var failed error
	go func() {
		defer close(opened)
		defer b.l.foldersMu.Unlock()
		failed = b.l.c.o.Telemetry.Share(ctx, b.openFiles)
		if failed == nil && b.share != nil {
			b.l.box = b
		}
	}()
	err := b.connect(ctx, func() error { <-opened; return failed })
	<-opened
	if failed != nil { // the machine could not do without, and says less about it
		return failed
	}
	if err == nil {
		b.l.opened.Store(b)
	}
	return err
}

// openFiles opens the share, and the journal where something may be changed.
func (b *box) openFiles() error {
	c := b.l.c
	if !b.shares() {
		return nil
	}
	if slices.ContainsFunc(b.shared(), changeable) {
		if err := b.openJournal(); err != nil {
			return err
		}
	}
	b.guard = b.l.gate.Guard() // also where nothing is changed: something may be downloaded
	s, err := c.o.Share(b.shared(), b.journal, b.guard, b.folderLost)
	if err != nil {
		return fmt.Errorf("share the folders: %w", err)
	}
	b.share = s
	if err := b.fillPlace(); err != nil {
		return err
	}
	if b.state == "" {
		return nil
	}
	if err := s.AddState(b.state); err != nil {
		return fmt.Errorf("share what belongs to the task: %w", err)
	}
	return nil
}

// openJournal opens the journal.
func (b *box) openJournal() error {
	c := b.l.c
	j, err := c.o.Journal(c.o.Store.JournalDir(b.l.id), b.l.last.Load().Folders, b.l.gate.UndoRoom(b.l.c.o.Undo.Get().SpaceMB))
	if err != nil {
		return fmt.Errorf("open the journal: %w", err)
	}
	b.journal = j
	b.l.setJournal(j)
	return nil
}

// shared are the folders that the runtime sees.
func (b *box) shared() []task.Folder { return *b.folders.Load() }

// shares reports whether the runtime is served files, or may be later.
func (b *box) shares() bool {
	return len(b.shared()) > 0 || b.state != "" || b.l.takesFolders() == nil
}

func changeable(f task.Folder) bool { return f.Mode != task.ModeReadOnly }

// addFolder shares another folder, which the record has already. Nobody else opens,
// changes or closes the box meanwhile.
func (b *box) addFolder(f task.Folder) error {
	if changeable(f) && b.journal == nil {
		if err := b.openJournal(); err != nil {
			return err
		}
	}
	if b.journal != nil {
		b.journal.Extend(f)
	}
	if b.guard != nil {
		b.guard.SetStanding(b.l.gate.Standing()) // there may be rules about the folder
	}
	b.share.Remove(emptyFolder) // it may have stood in its place
	if err := b.share.Add(f, b.journal, b.guard); err != nil {
		return fmt.Errorf("share the folder: %w", err)
	}
	list := append(slices.Clone(b.shared()), f)
	b.folders.Store(&list)
	return nil
}

// removeFolder ends the sharing of a folder, and has the journal note how the task left
// it: what changes there from now on is a person's.
func (b *box) removeFolder(id string) {
	b.warn(b.leave(func() error { b.share.Remove(id); return nil }))
	list := slices.DeleteFunc(slices.Clone(b.shared()), func(f task.Folder) bool { return f.ID == id })
	b.folders.Store(&list)
	if err := b.fillPlace(); err != nil {
		b.l.c.o.Log.Warn("where an AI works is not there any more", "task", b.l.id, "error", err)
	}
	if b.journal != nil {
		b.warn(b.leave(func() error { b.settle(); return nil }))
	}
}

// fillPlace shares the empty folder where an AI works, when it has none there.
func (b *box) fillPlace() error {
	f, ok, err := b.l.inPlace()
	if err != nil || !ok {
		return err
	}
	return b.share.Add(f, nil, nil)
}

// connect starts the machine. files waits until the share is open.
func (b *box) connect(ctx context.Context, files func() error) error {
	if err := b.l.c.o.Kinds.Chooser.MayChange(b.l.kind, b.shared()...); err != nil { // a folder came while the place was chosen
		return err
	}
	if !b.l.inMachine() {
		return b.connectPlace(ctx, files)
	}
	c := b.l.c
	runDir, err := c.o.RunDirs.New()
	if err != nil {
		return err
	}
	spec := vm.Config{
		Hardware: vm.Hardware{
			Image: b.l.machine.Pack.Image, Accel: b.l.machine.Proof.Accel, CPU: b.l.machine.Proof.CPU, BootTime: b.l.machine.Proof.Ready,
			MemoryMB: b.l.size.MemoryMB, CPUs: b.l.size.CPUs, PackVersion: b.l.machine.Pack.State.Version,
		},
		RunDir: runDir, Dir: filepath.Join(c.o.Machines, b.l.id),
		Env: environment(vmhost.KindVM, b.shared(), b.network), OnStatus: b.heard(), Folders: b.inView(),
	}
	spec.Env.Cwd = aiDir(*b.l.last.Load())
	if b.models != nil {
		spec.ServeNet, spec.OnLink = b.models.Serve, b.linkEnded
	}
	if err := b.openNetwork(&spec); err != nil {
		return err
	}
	if b.cache, err = c.ProjectCaches.Lend(ctx, b.cache, b.l.req.Cache, b.l, b.l.machine, &spec); err != nil {
		return err
	}
	if b.shares() {
		spec.State = b.state != ""
		spec.ServeFS = func(ctx context.Context, conn io.ReadWriteCloser) error {
			if err := files(); err != nil {
				return err
			}
			return b.share.Serve(ctx, conn)
		}
		c.o.Fleet.ServeFolders(&spec, files, func() machines.DeviceServer {
			d, _ := b.share.(machines.DeviceServer)
			return d
		})
	}
	rt, err := b.make(ctx, spec)
	if err != nil {
		return err
	}
	b.rt = rt
	b.l.machineNow.Store(&rt)
	b.l.step("boot")
	if err := c.o.Telemetry.Connect(ctx, rt); err != nil {
		if ctx.Err() == nil && files() == nil {
			c.o.Health.Suspect(b.l.machine, err)
		}
		return err
	}
	if b.shares() && files() == nil {
		c.o.Fleet.Connected(spec, rt)
	}
	return nil
}

// inView are the folders as programs see them.
func (b *box) inView() (out []vmhost.FolderInView) {
	for _, f := range b.shared() {
		out = append(out, vmhost.FolderInView{Path: wire.FoldersDir + "/" + f.Name, ReadOnly: f.Mode == task.ModeReadOnly})
	}
	return out
}

// make makes the runtime of files that are what was signed. Between the plan and
// its acceptance may lie days, and between the last check and now a suspend: the
// wall clock says how old a check is.
func (b *box) make(ctx context.Context, spec vm.Config) (vmhost.Runtime, error) {
	c := b.l.c
	restored := c.o.Fleet.Pool.Restores(spec)
	if err := c.o.Health.Reverify(ctx, b.l.machine, restored); err != nil {
		return nil, err
	}
	if restored { // and where it is not, in the end
		spec.BeforeBoot = func(ctx context.Context) error { return c.o.Health.Reverify(ctx, b.l.machine, false) }
	}
	rt, err := c.o.Fleet.New(spec)
	if err != nil {
		return nil, fmt.Errorf("make the runtime: %w", err)
	}
	return rt, nil
}

// heard tells everybody what the runtime waits for while it connects.
func (b *box) heard() vmhost.StatusFunc {
	var mu sync.Mutex
	last := ""
	return func(s vmhost.Status) {
		mu.Lock()
		defer mu.Unlock()
		if s.State == vmhost.StateConnecting && s.Step != "" && !b.l.inMachine() {
			s.Step = "place" // the steps of a machine have names that speak of one
		}
		if s.State == vmhost.StateConnecting && s.Step != "" && s.Step != last {
			last = s.Step
			trace.SpanFromContext(b.l.ctx).AddEvent(s.Step)
			b.l.step(s.Step)
		}
	}
}

// sending tells everybody how much of what a place needs has been sent there.
func (b *box) sending() func(done, total int64) {
	begun := false
	return func(done, total int64) {
		if !begun {
			begun = true
			b.l.step("send")
		}
		b.l.Tell(task.EventProgress, task.ProgressData{Done: done, Total: total, Bytes: done, TotalBytes: total})
	}
}

// environment is what a task asks of its runtime.
func environment(kind string, folders []task.Folder, network task.Network) vmhost.ExecutionEnv {
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

// execute does one action and records its begin and its end in the audit log.
// An action whose begin cannot be recorded is not done. On a ready box it may be
// called from several goroutines at once.
func (b *box) execute(ctx context.Context, a vmhost.Action) (vmhost.Observation, error) {
	err := b.l.gate.Acts(ctx, a)
	if err == nil {
		err = b.open(ctx)
	}
	if err != nil {
		return vmhost.Observation{}, err
	}
	run := b.runs.Add(1)
	exec := fmt.Sprintf("%s/%d", b.l.id, run)
	if b.l.round > 0 {
		exec = fmt.Sprintf("%s/again-%d/%d", b.l.id, b.l.round, run)
	}
	if b.readOnly {
		exec = fmt.Sprintf("%s/plan/%d", b.l.id, run)
	}
	if err := b.l.written(); err != nil {
		return vmhost.Observation{}, err
	}
	if a.Tool != nil {
		p := *a.Tool
		p.Request = b.l.req.asked.Request
		a.Tool = &p
	}
	log := b.l.c.o.Audit
	x := executionOf(b.l, exec)
	if err := log.Append(x.Begin(log.Key, b.place(), a)); err != nil {
		return vmhost.Observation{}, problem.NotRecorded(err)
	}
	obs, err := b.l.c.o.Telemetry.Execute(ctx, b.l.ctx, b.rt, a)
	b.l.c.o.Health.Damaged(b.l.machine, err)
	if err == nil && (a.Exec != nil && obs.Exec == nil || a.Tool != nil && obs.Tool == nil || a.File != nil && obs.File == nil ||
		a.Fetch != nil && obs.Fetch == nil || a.Page != nil && obs.Page == nil) {
		err = &vmhost.FailedError{Runtime: b.l.kind, Reason: vmhost.ReasonProtocol, Err: errors.New("the runtime answered something else than was asked")}
	}
	if aerr := log.Append(x.End(obs, err)); aerr != nil && err == nil {
		err = problem.NotRecorded(aerr)
	}
	return obs, err
}

// executionOf is one of the task, as the audit log has it.
func executionOf(l *Live, id string) execution.Execution {
	return execution.Execution{ID: id, Task: l.id, Request: l.req.by.Request, Client: l.req.by.Client, Door: l.req.by.Door}
}

// place is where the box executes.
func (b *box) place() execution.Place {
	return execution.Place{
		Capabilities: b.rt.Capabilities(), Accel: string(b.l.machine.Proof.Accel), Pack: b.l.machine.Pack.State.Version,
		Network: b.network, Folders: b.shared(),
	}
}

// close ends what open made, also what it made half. The share outlives the
// runtime: a guest whose files are gone cannot end well.
func (b *box) close() error {
	var errs []error
	b.l.opened.CompareAndSwap(b, nil)
	b.l.foldersMu.Lock()
	if b.l.box == b {
		b.l.box = nil
	}
	b.l.foldersMu.Unlock()
	if b.guard != nil {
		b.guard.Close() // the machine runs on, and is told no
	}
	if b.rt != nil {
		ctx, cancel := b.l.c.graceful()
		errs = append(errs, b.rt.Close(ctx))
		cancel()
	}
	b.cache.Close(b.rt, b.l.c.o.Registry)
	if b.net != nil {
		b.l.gate.SetNetwork(nil)
		errs = append(errs, b.net.Close(), executionOf(b.l, "").Traffic(b.l.c.o.Audit, audit.PurposeNetwork, b.net.Traffic()))
	}
	errs = append(errs, b.loan.Close())
	if b.models != nil {
		errs = append(errs, executionOf(b.l, "").Traffic(b.l.c.o.Audit, audit.PurposeModel, b.models.Traffic()))
	}
	return errors.Join(append(errs, b.leave(b.closeFiles))...)
}

// closeFiles closes the share, and then the journal.
func (b *box) closeFiles() error {
	var errs []error
	if b.share != nil {
		errs = append(errs, b.share.Close())
	}
	if b.journal != nil {
		b.settle()
		b.l.setJournal(nil)
		errs = append(errs, b.journal.Close())
	}
	return errors.Join(errs...)
}

// leave does what needs the drives of the folders. What one that does not answer holds up is
// left behind, with a *drive.SilentError: it ends when the drive answers, and keeps the journal
// until then, so that nobody takes changes back while a call of the task may still come to its end.
func (b *box) leave(do func() error) error {
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		err = do()
	}()
	var dirs []string
	for _, f := range b.l.last.Load().Folders { // those that were removed have changes, too
		dirs = append(dirs, f.Path)
	}
	if left := drive.Wait(b.l.c.o.Registry.Grace(), done, drive.Farewell(), dirs...); left != nil {
		return left
	}
	return err
}

// warn says what was left behind, in the log.
func (b *box) warn(err error) {
	if err != nil {
		b.l.c.o.Log.Warn("a drive does not answer; what waits for it is left behind", "task", b.l.id, "error", err)
	}
}

// settle has the journal note how the task left things, so that an undo later
// can tell what a person changed since.
func (b *box) settle() {
	ctx, cancel := context.WithTimeout(b.l.c.o.Registry.Grace(), settleTimeout)
	defer cancel()
	if _, err := b.journal.Changes(ctx); err != nil {
		b.l.c.o.Log.Warn("how a task left its folders could not be noted", "task", b.l.id, "error", err)
	}
}
