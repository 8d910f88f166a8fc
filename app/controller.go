package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"piwork/app/access"
	"piwork/app/actions"
	agents "piwork/app/agent/program"
	"piwork/app/approval"
	"piwork/app/audit"
	"piwork/app/awake"
	"piwork/app/consent"
	"piwork/app/events"
	"piwork/app/folders"
	"piwork/app/health"
	"piwork/app/history"
	"piwork/app/lock"
	"piwork/app/machines"
	"piwork/app/mcpservers"
	"piwork/app/mcpservers/place"
	"piwork/app/models"
	"piwork/app/policy"
	"piwork/app/registry"
	"piwork/app/remotes"
	"piwork/app/rundir"
	"piwork/app/runtimepack"
	"piwork/app/runtimepack/updater"
	"piwork/app/runtimes"
	"piwork/app/samples"
	"piwork/app/saved"
	"piwork/app/services"
	"piwork/app/sessions"
	"piwork/app/settings"
	"piwork/app/setup"
	"piwork/app/setup/wizard"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/telemetry"
	"piwork/app/upkeep"
	"piwork/app/words"
	"piwork/pack/update/proxy"
	"piwork/vmhost"
	"piwork/vmhost/network"
	"piwork/vmhost/qemu"
	"piwork/vmhost/share/guard"
	"piwork/vmhost/vm"
)

// Names in the data and cache directories.
const (
	tasksDir   = "tasks"
	auditDir   = "audit"
	machineDir = "vm"
	proofsFile = "proofs.json"
)

// Controller has one data directory, and answers what the API asks (api.Service).
type Controller struct {
	base
	*health.Health
	*history.History
	*consent.Consent
	*upkeep.Mover
	*tasks.Runner
	*upkeep.Upkeep
	*wizard.Guide
	*samples.Maker
	*saved.List
	*saved.FolderModes
	*runtimepack.Manager
	minds
	*machines.Fleet
	*runtimes.Chooser
	*actions.Actions
	outside
	*sessions.Set
	*access.TokenList
	once sync.Once
}

// outside is what tasks use beyond this computer.
type outside struct {
	*remotes.Computers
	*services.Catalogue
}

// minds are what does AI tasks: models, and the programs that work with them.
type minds struct {
	*models.Access
	*agents.AgentList
}

// base is what the rooms are given: one of each for a data directory.
type base struct {
	o        Options
	s        seams
	log      *slog.Logger
	now      func() time.Time
	lock     *lock.Lock
	runs     *rundir.Dirs
	socket   string
	store    *task.Store
	audit    *audit.Log
	events   *events.Broker
	config   *settings.File[choices]
	proxies  proxy.Chooser // of this computer, for machines and pages
	rules    *approval.Rules
	registry *registry.Registry // of tasks, and of whatever else changes the data
	*telemetry.Telemetry
	*mcpservers.Servers
}

// Open takes the data directory and brings what an earlier run left into
// order: tasks that it did not finish are failed ("interrupted"), what its
// machines left is cleared. When another controller has the directory the
// error is a *lock.HeldError. ctx bounds the opening only.
func Open(ctx context.Context, o Options) (*Controller, error) {
	return open(ctx, o.WithDefaults(), realSeams)
}

// open is Open with the rooms below as make returns them, once the data
// directory is this controller's.
func open(ctx context.Context, o Options, makeSeams func(context.Context, Options) (seams, error)) (_ *Controller, err error) {
	var undo []func() error
	defer func() {
		if err != nil {
			for i := len(undo) - 1; i >= 0; i-- {
				err = errors.Join(err, undo[i]())
			}
		}
	}()
	if err := errors.Join(o.placeErr, o.place.Check()); err != nil {
		return nil, err
	}
	for _, dir := range []string{o.DataDir, o.ConfigDir, o.CacheDir, filepath.Join(o.DataDir, machineDir)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("make a directory of piwork: %w", err)
		}
	}
	c := &Controller{
		base: base{o: o, log: o.Log, now: time.Now, events: events.New(time.Now)},
	}
	if c.lock, err = lock.Acquire(ctx, o.DataDir); err != nil {
		return nil, err
	}
	undo = append(undo, c.lock.Release)
	if c.runs, err = rundir.Open(o.DataDir); err != nil {
		return nil, err
	}
	undo = append(undo, c.runs.Close)
	c.socket = c.runs.Socket(o.DataDir)
	if err := c.lock.Announce(c.holder()); err != nil {
		return nil, err
	}
	if c.s, err = makeSeams(ctx, o); err != nil {
		return nil, err
	}
	if c.s.now != nil {
		c.now = c.s.now
	}
	if c.config, err = openChoices(o.ConfigDir, c.chosen); err != nil {
		return nil, err
	}
	if o.Accel != "" && o.Accel != string(qemu.AccelTCG) {
		c.log.Warn("the environment asks for an accelerator that is no choice; only tcg is", "accel", o.Accel)
	}
	if err := c.openAudit(); err != nil {
		return nil, err
	}
	undo = append(undo, c.audit.Close)
	if c.Telemetry, err = telemetry.New(telemetry.Options{
		Choice: settings.Of(c.config, func(all *choices) *telemetry.Settings { return &all.Sent }), Audit: c.audit, Version: o.Version, Log: o.Log,
		Sources: telemetry.Sources{Queue: func() map[string]int64 { return c.Fleet.Waiting() }, ShareCalls: o.calls.Calls, ShareBytes: o.calls.Bytes, Journal: o.kept.Load},
	}); err != nil {
		return nil, err
	}
	if c.FolderModes, err = saved.OpenFolderModes(o.ConfigDir, o.Log, c.chosen); err != nil {
		return nil, err
	}
	if c.rules, err = approval.OpenRules(filepath.Join(o.ConfigDir, consent.RulesName), c.now, c.chosen); err != nil {
		return nil, err
	}
	if c.store, err = task.OpenStore(filepath.Join(o.DataDir, tasksDir)); err != nil {
		return nil, err
	}
	c.registry = registry.New(c.store, c.events, c.log)
	if c.TokenList, err = access.OpenTokens(o.ConfigDir, c.audit, c.registry.Use, c.now, c.chosen); err != nil {
		return nil, err
	}
	if c.Access, err = models.Open(models.Options{
		ConfigDir: o.ConfigDir, DataDir: o.DataDir, Choice: settings.Of(c.config, func(all *choices) *models.Choices { return &all.Choices }),
		Keychain: c.s.keys, Endpoints: c.s.endpoints, After: c.s.after, Changed: c.chosen, Telemetry: c.Telemetry, Audit: c.audit, Log: o.Log, Now: c.now, Say: words.SignInPage,
	}); err != nil {
		return nil, err
	}
	undo = append(undo, func() error { c.Access.Close(); return nil })
	c.Consent = consent.New(consent.Options{
		Rules: c.rules, Written: policy.Open(policy.Options{Dir: o.ConfigDir, Managed: c.s.managed, Now: c.now}), Audit: c.audit, Store: c.store, Registry: c.registry, Network: c.newNetwork, CloseWithin: closeTimeout, Log: c.log, Now: c.now,
		DataDir: o.DataDir, DiskFree: c.s.diskFree, Writes: func() int64 { return c.config.Get().Undo.Writes() }, Search: settings.Of(c.config, func(all *choices) *consent.WebSearch { return &all.Search }),
	})
	c.History = history.New(history.Options{
		Store: c.store, Registry: c.registry, Events: c.events, Open: c.openJournal, Spool: c.runs.Base,
		Choice:      settings.Of(c.config, func(all *choices) *history.UndoSettings { return &all.Undo }),
		CloseWithin: closeTimeout, Audit: c.audit, Log: c.log, Now: c.now, Rules: c.Consent.Afterwards(), DiskFree: c.s.diskFree,
	})
	c.List, err = saved.Open(o.ConfigDir, c.registry.Task, c.now, c.chosen)
	if err = errors.Join(err, c.Consent.KeepProposals(o.ConfigDir, c.chosen)); err != nil {
		return nil, err
	}
	tasks := func() ([]task.Task, error) {
		list, _, err := c.store.List()
		return list, err
	}
	c.Maker = samples.NewMaker(o.CacheDir, tasks)
	c.recoverTasks(ctx)
	c.Health = health.New(health.Options{
		Setup:    rehearsed(setup.Options{Version: o.Version, Prove: c.s.prove, Look: c.s.look, System: c.s.administrator}),
		Registry: c.registry, Events: c.events, RunDirs: c.runs, Machines: filepath.Join(o.DataDir, machineDir),
		SlowMode: settings.Of(c.config, func(all *choices) *bool { return &all.SlowMode }),
		Forced:   o.Accel == string(qemu.AccelTCG), Fixed: o.PackDir != "", CloseWithin: closeTimeout, Log: c.log, Now: c.now,
	})
	c.Guide = wizard.NewGuide(settings.Of(c.config, func(all *choices) *wizard.Memory { return &all.Wizard }), c.Health.Last, tasks, c.now)
	c.Fleet = c.newFleet()
	if c.Manager, err = c.newPackManager(ctx); err != nil {
		return nil, err
	}
	undo = append(undo, func() error { c.Manager.Stop(); return nil })
	c.Health.Attach(c.Manager, c.Fleet)
	c.Computers = remotes.New(keptRemotes{c.config}, c.audit)
	if c.Catalogue, err = services.Open(services.Options{ConfigDir: o.ConfigDir, Secrets: c.Secrets(), Audit: c.audit, Use: c.registry.Use, TaskDir: c.store.Dir, Exists: c.registry.Exists, Proxy: c.proxies.For, Changed: c.chosen, Log: o.Log, Now: c.now}); err != nil {
		return nil, err
	}
	c.Chooser = c.newChooser().Ruled(c.Consent.PlaceFor)
	c.Guide.Instead = c.Chooser.Instead
	c.Set, c.AgentList = c.newSessions(), agents.NewAgentList(agents.Sources{Usable: c.Manager.Has, Providers: c.Access.Providers})
	if c.Servers, err = c.newServers(); err != nil {
		return nil, err
	}
	c.Runner = c.newRunner()
	c.Actions, c.Mover = actions.New(c.Runner, c.Chooser), c.newMover()
	c.Upkeep = c.newUpkeep()
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	c.Manager.Run()
	c.Fleet.Run()
	c.registry.Go(func() { c.settleMove(c.registry.Base()) }) // it may be much
	c.registry.Go(func() { c.History.Run(c.registry.Base()) })
	c.registry.Go(func() { c.Upkeep.Run(c.registry.Base()) })
	c.registry.Go(func() { c.Consent.Follow(c.registry.Base()) })
	c.registry.Go(func() { awake.Keep(c.registry.Base(), c.events.Subscribe, tasks, c.s.awake, c.log) })
	c.Telemetry.Run()
	return c, nil
}

// newFleet makes the machines of this controller.
func (c *Controller) newFleet() *machines.Fleet {
	return machines.New(machines.Options{
		CacheDir: c.o.CacheDir, Version: c.o.Version, RunDirs: c.runs, Log: c.log, Now: c.now,
		Choice: settings.Of(c.config, func(all *choices) *machines.Settings { return &all.Machines }),
		Host:   c.s.host, Power: c.s.power, DiskFree: c.s.diskFree,
		Machine: func(m vm.Config) (vmhost.Runtime, error) { return c.s.machine(m) },
		Factory: c.s.factory, Sweep: c.s.sweepFactories, Proofs: c.s.shareProofs,
		Share: func(folders []task.Folder) (machines.FolderServer, error) {
			files, err := c.s.share(folders, nil, nil, nil)
			if err != nil {
				return nil, err
			}
			if s, ok := files.(machines.FolderServer); ok {
				return s, nil
			}
			return nil, errors.Join(errors.New("the share is none for a device"), files.Close())
		},
		Status:   func(ctx context.Context) (setup.Report, error) { return c.Status(ctx, false) },
		Settle:   c.s.settle,
		Reverify: c.Reverify, Damaged: c.Damaged, Working: c.registry.Working,
		Watching: machines.Watching{Tell: func(m machines.Machines) { c.events.Publish(task.Event{Kind: task.EventMachines, Data: m}) }, Telemetry: c.Telemetry},
	})
}

func (c *Controller) newPackManager(ctx context.Context) (*runtimepack.Manager, error) {
	return runtimepack.New(ctx, runtimepack.Options{
		Packs: c.s.packs, Updater: c.s.updater, Fixed: c.o.PackDir != "", Audit: c.audit, Log: c.log, Now: c.now,
		Choice: settings.Of(c.config, func(all *choices) *updater.Settings { return &all.Updates }),
		Prove:  c.Health.Prove, Busy: c.registry.Working, Changed: c.Health.Changed,
		State:    func(s updater.State) { c.events.Publish(task.Event{Kind: task.EventUpdate, Data: s}) },
		Progress: func(p task.PackData) { c.events.Publish(task.Event{Kind: task.EventPack, Data: p}) },
	})
}

// newNetwork makes one that leaves by this computer's proxy.
func (c *Controller) newNetwork(config network.Config) (*network.Network, error) {
	config.Proxy = c.proxies.For
	if c.s.network != nil {
		return c.s.network(config)
	}
	return network.New(config)
}

// places are the directories of this controller.
func (c *Controller) places() rundir.Places {
	return rundir.Places{
		DataDir: c.o.DataDir, ConfigDir: c.o.ConfigDir, CacheDir: c.o.CacheDir, PackDir: c.o.PackDir, Machines: filepath.Join(c.o.DataDir, machineDir),
	}
}

// newSessions makes what has the sessions of tasks.
func (c *Controller) newSessions() *sessions.Set {
	return sessions.New(sessions.Options{
		Place: func(ctx context.Context, task string) (sessions.Place, error) { return c.Runner.PlaceOf(ctx, task) },
		Dir:   func(task string) string { return c.store.ResultsDir(task) },
		Keep:  func(task, file, name string) (string, error) { return tasks.KeepFile(c.Runner, task, file, name) },
		Now:   c.now,
	})
}

// newServers makes what has the person's MCP servers.
func (c *Controller) newServers() (*mcpservers.Servers, error) {
	p := place.New(place.Options{
		Machines: c.places().Machines, Health: c.Health, Fleet: c.Fleet, RunDirs: c.runs, Share: c.s.share, Audit: c.audit, Consent: c.Consent,
		Kinds: tasks.Kinds{Chooser: c.Chooser, Make: c.placeMakers(), Network: c.newNetwork, Services: c.Catalogue}, Grace: c.registry.Grace, CloseWithin: closeTimeout, Log: c.log, Telemetry: c.Telemetry,
	})
	return mcpservers.New(mcpservers.Options{
		ConfigDir: c.o.ConfigDir, Secrets: c.Access.Secrets(), Audit: c.audit, Use: c.registry.Use, Start: p, Outlet: p.Outlet, Changed: c.chosen, Log: c.log, Telemetry: c.Telemetry, Now: c.now, Say: words.SignInPage, Services: c.TermsOf,
		Folder: func(p string) (string, error) { return c.Runner.ResolveFolder(p) },
	})
}

// newRunner makes what runs tasks.
func (c *Controller) newRunner() *tasks.Runner {
	return tasks.New(tasks.Options{
		Places: c.places(), Store: c.store, Registry: c.registry, Events: c.events, Audit: c.audit, Rules: c.rules, RunDirs: c.runs,
		Health: c.Health, History: c.History, Consent: c.Consent, Models: c.Access, Fleet: c.Fleet, FolderModes: c.FolderModes, Samples: c.Maker,
		Undo: settings.Of(c.config, func(all *choices) *history.UndoSettings { return &all.Undo }),
		Sharing: tasks.Sharing{Share: func(list []task.Folder, j history.Journal, g *guard.Guard, lost folders.Lost) (folders.Share, error) {
			return c.s.share(list, j, g, lost)
		}, Journal: c.openJournal, CheckFolder: func(path string, protected []string) error { return c.s.checkFolder(path, protected) }},
		Kinds:    tasks.Kinds{Chooser: c.Chooser, Make: c.placeMakers(), Network: c.newNetwork, Sessions: c.Set, Servers: c.Servers, Services: c.Catalogue},
		Watching: tasks.Watching{Noted: func(kind task.EventKind, data any, after bool) { c.s.noted(kind, data, after) }, Telemetry: c.Telemetry},
		Log:      c.log, Now: c.now,
	})
}

// openJournal opens the journal of a task.
func (c *Controller) openJournal(dir string, folders []task.Folder, room history.Room) (history.Journal, error) {
	return c.s.journal(dir, folders, room)
}

// openAudit opens the log of executions.
func (c *Controller) openAudit() (err error) {
	c.audit, err = audit.Resume(filepath.Join(c.o.DataDir, auditDir), c.o.ConfigDir, audit.Options{
		Days: func() int { return c.config.Get().Audit.Days }, Now: c.now, Log: c.log,
	})
	return err
}

// recoverTasks ends what an earlier run left unfinished. What cannot be brought
// into order is logged and hinders nothing else.
func (c *Controller) recoverTasks(ctx context.Context) {
	ended, errs := c.store.Recover()
	for _, t := range ended {
		c.log.Info("a task was interrupted by the end of the program", "task", t.ID)
		c.ClearParts(t)
	}
	for _, err := range errs {
		c.log.Error("an interrupted task could not be ended", "error", err)
	}
	exists := func(id string) bool {
		_, err := c.store.Get(id)
		return !errors.Is(err, task.ErrNotFound)
	}
	ctx, cancel := context.WithTimeout(ctx, closeTimeout)
	defer cancel()
	if err := machines.SweepMachines(ctx, filepath.Join(c.o.DataDir, machineDir), exists, c.s.endLeftover); err != nil {
		c.log.Error("what a machine left could not be cleared", "error", err)
	}
}

// Socket is where the API of this controller should answer: a path short
// enough for a unix socket, in a directory that only this user may enter.
// Others find it in the *lock.HeldError that they get.
func (c *Controller) Socket() string { return c.socket }

// Options are those that the controller was opened with, defaults filled in.
func (c *Controller) Options() Options { return c.o }

// Work is what changes folders or the data: tasks, and all else.
func (c *Controller) Work() registry.Work { return c.registry.Work() }

// Retire refuses whatever would begin from now on, unless work goes on: it returns that work.
func (c *Controller) Retire() registry.Work { return c.registry.Retire() }

// CloseLate is how long Close goes on after its context ended, for what is killed then.
const CloseLate = 5 * time.Second

// Close ends the tasks that run (they become cancelled), their runtimes and
// the subscriptions, waits for what else changes the data, such as an undo, and
// gives the data directory back. When ctx ends first, it has the
// runtimes killed, and an undo interrupted. What does not end within CloseLate then
// stays at work: Close returns an error, and the data directory is locked until the process ends.
// It is idempotent.
func (c *Controller) Close(ctx context.Context) error {
	var err error
	c.once.Do(func() { err = c.close(ctx) })
	return err
}

func (c *Controller) close(ctx context.Context) error {
	done := make(chan error, 1)
	var room atomic.Value // that is closed at the moment
	go func() { done <- c.closeRooms(ctx, func(name string) { room.Store(name) }) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	late := time.NewTimer(CloseLate)
	defer late.Stop()
	select {
	case err := <-done:
		return err
	case <-late.C:
		return fmt.Errorf("%v did not end in time: %+v", room.Load(), c.registry.Work())
	}
}

// closeRooms closes one room after the other. It calls begin with the name of each room first.
func (c *Controller) closeRooms(ctx context.Context, begin func(room string)) error {
	unhook := context.AfterFunc(ctx, func() { c.registry.Hurry(); c.Fleet.Hurry(true) })
	defer unhook()
	begin("packs")
	c.registry.Stop()
	c.events.Hurry()
	c.Access.Hurry()
	c.Fleet.Hurry(false)
	c.Manager.Stop()
	begin("tasks and changes")
	c.registry.Wait()
	begin("MCP servers")
	c.Servers.Close()
	begin("machines")
	c.Fleet.Close()
	begin("models")
	c.Access.Close()
	begin("events")
	c.events.Close()
	begin("records")
	return errors.Join(c.Telemetry.Close(), c.audit.Close(), c.runs.Close(), c.lock.Release(), c.Mover.Close())
}

// Subscribe sends the events that f lets through, until cancel is called. A
// subscriber that does not keep up is closed, and subscribes again from its last Seq.
// Progress and output carry no number: they are not kept, and may be left out.
func (c *Controller) Subscribe(f task.EventFilter) (<-chan task.Event, func()) {
	return c.events.Subscribe(f)
}
