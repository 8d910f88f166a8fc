package tasks

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"piwork/app/capacity"
	"piwork/app/consent"
	"piwork/app/folders"
	"piwork/app/mcpservers"
	"piwork/app/runtimes"
	"piwork/app/services"
	"piwork/app/setup"
	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/hosted"
	"piwork/vmhost/network"
	"piwork/vmhost/share/copied"
	"piwork/vmhost/vm"
	"piwork/vmhost/wire"
)

// Kinds say where tasks can work, make what is no machine, and the network of what is one.
type Kinds struct {
	Chooser *runtimes.Chooser
	Make    map[string]PlaceMaker                          // by kind, up to a colon
	Network func(network.Config) (*network.Network, error) // of a machine

	Sessions Sessions            // that people have in all of them
	Servers  *mcpservers.Servers // that the AI of a task may use, in places of their own
	Services *services.Catalogue // whose requests the network of a machine judges
}

// PlaceMaker makes a place of a kind that is no machine.
type PlaceMaker func(context.Context, PlaceConfig) (vmhost.Runtime, error)

// PlaceConfig is what a place other than a machine is made of.
type PlaceConfig struct {
	Kind      string     // of which several may have one maker
	Work      task.Kind  // that is to be done in it
	Dir       string     // of this task alone; Close removes it
	Pack      setup.Pack // to be verified by who takes something out of it
	Env       vmhost.ExecutionEnv
	Size      capacity.Choice // of all programs together, where it can be held
	Sized     bool            // the task asks for it: it has to be
	Folders   []vmhost.FolderInView
	State     bool                                                        // there is one beside the folders
	ServeFUSE func(ctx context.Context, device *os.File, owner int) error // nil without folders
	Copy      func(large string) (hosted.Folders, error)                  // in place of it, for a place that works on copies
	Door      func() (*hosted.Door, error)                                // the network, for a place that has none of its own
	OnStatus  vmhost.StatusFunc
	Log       *slog.Logger
	OnSend    func(done, total int64) // programs are on their way to where the place is, in bytes
}

// OpenDoor is Door, nil where there is none.
func (c PlaceConfig) OpenDoor() (*hosted.Door, error) {
	if c.Door == nil {
		return nil, nil
	}
	return c.Door()
}

// NeedOf is what a task must have of its place.
func NeedOf(r StartRequest, t *task.Task) runtimes.Need {
	changes := slices.ContainsFunc(t.Folders, func(f task.Folder) bool { return f.Mode != task.ModeReadOnly })
	return runtimes.Need{Named: r.Runtime, Work: t.Kind, Network: services.Needed(*t), Folders: len(t.Folders) > 0, Changes: changes, AddOns: len(addOnsOf(r)) > 0, Limits: bounded(r), Size: r.size() != capacity.Choice{}, Cache: r.Cache != "", Requires: r.Requires, Slow: r.Accel == AccelSlow}
}

// size is what a request chooses of its place.
func (r StartRequest) size() capacity.Choice {
	return capacity.Choice{MemoryMB: r.MemoryMB, CPUs: r.CPUs}
}

// needOf is NeedOf the task, with what the rules say.
func needOf(l *Live) runtimes.Need {
	n := NeedOf(l.req, l.last.Load())
	n.Rules = l.gate.Place
	return n
}

// bounded reports whether a request has limits that only some places keep.
func bounded(r StartRequest) bool {
	all := []wire.Limits{r.Limits}
	if r.Tool != nil {
		all = append(all, r.Tool.Limits)
	}
	return slices.ContainsFunc(all, func(l wire.Limits) bool { return l.MemoryMB > 0 || l.CPUMS > 0 || l.IOBytes > 0 })
}

// inMachine reports whether the task works in a machine.
func (w *workplace) inMachine() bool { return w.kind == vmhost.KindVM }

// choosePlace finds where the task works, and prepares it: a machine first waits for room.
// What is weaker than was to be expected needs a yes.
func choosePlace(l *Live) error {
	if err := l.enter(); err != nil {
		return err
	}
	l.begin(task.StatePreparing)
	l.step("verify")
	n := needOf(l)
	c, err := l.c.o.Kinds.Chooser.Place(l.ctx, n, func(context.Context) error { return l.prepare() })
	if err != nil {
		return err
	}
	if c.Kind == "" {
		return l.gate.Nowhere(c.Nowhere(n))
	}
	if c.Kind != l.kind {
		l.exit()
		l.kind = c.Kind
	}
	r := l.req.Requires
	begin := consent.Begin{Choice: c, Required: r != nil && len(r.Kinds) > 0 && !slices.Contains(r.Kinds, vmhost.KindVM)}
	if l.inMachine() { // as it was proven by now
		begin.Isolation = vm.Isolation(l.machine.Proof.Accel)
	}
	if err := l.gate.Begin(l.ctx, begin, l.exit); err != nil { // while a person thinks others may work
		return err
	}
	if err := l.enter(); err != nil || l.inMachine() {
		return err
	}
	m, err := l.c.o.Health.Files(l.ctx)
	if err == nil {
		err = l.hold(m)
	}
	if err != nil {
		return err
	}
	if _, err := l.Update(func(t *task.Task) { t.Runtime, t.Pack = c.Kind, m.Pack.State.Version }); err != nil {
		return err
	}
	l.gate.NoteLoosened()
	return nil
}

// connectPlace makes a place that is no machine. files waits until the share is open.
func (env *environment) connectPlace(ctx context.Context, files func() error) error {
	l := env.l
	kind, _, _ := strings.Cut(l.kind, ":") // before the name of one of several
	make := l.c.o.Kinds.Make[kind]
	if make == nil {
		return &vmhost.UnsupportedError{Runtime: l.kind, What: "tasks"}
	}
	c := PlaceConfig{
		Kind: l.kind, Dir: filepath.Join(l.c.o.Machines, l.id), Pack: l.machine.Pack, Env: executionEnv(l.kind, env.shared(), env.network), Folders: env.InView(),
		Work: l.last.Load().Kind, State: env.state != "", OnStatus: env.heard(), OnSend: env.sending(), Log: l.log,
	}
	c.Env.Cwd, c.Door = aiDir(*l.last.Load()), env.openDoor
	c.Size, c.Sized = l.c.o.Fleet.Chosen(l.req.size()), l.req.size() != capacity.Choice{}
	if env.shares() {
		s := folders.Served{Kind: l.kind, Open: func() (folders.Share, error) { err := files(); return env.share, err }}
		s.Beside = func(x copied.Beside) {
			l.Record(task.EventNotice, task.NoticeData{Code: "beside", Params: map[string]any{"folder": x.Folder, "file": x.Path, "beside": x.Beside}})
		}
		c.ServeFUSE, c.Copy = s.ServeFUSE, func(large string) (hosted.Folders, error) {
			if kind == vmhost.KindContainer { // in a cluster it is known before
				l.Record(task.EventNotice, task.NoticeData{Code: "copies"})
			}
			return s.Copy(large)
		}
	}
	rt, err := make(ctx, c)
	if err == nil {
		env.rt = rt
		l.machineNow.Store(&rt)
		err = l.c.o.Telemetry.Connect(ctx, rt)
	}
	if runtimes.Doubtful(err) && ctx.Err() == nil && files() == nil {
		l.c.o.Kinds.Chooser.Doubt(ctx, l.kind)
	}
	return err
}
