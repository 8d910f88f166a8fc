package app

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"piwork/app/capacity"
	"piwork/app/changes"
	"piwork/app/chore/choretest"
	"piwork/app/folders"
	"piwork/app/gateway/keys"
	"piwork/app/history"
	"piwork/app/machines"
	"piwork/app/problem"
	"piwork/app/runtimepack"
	"piwork/app/runtimepack/updater"
	"piwork/app/setup"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/pack"
	"piwork/pack/spec"
	"piwork/vmhost"
	"piwork/vmhost/qemu"
	"piwork/vmhost/share/guard"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/vm"
	"piwork/vmhost/wire"
)

// world is the rooms below, in a test.
type world struct {
	t    *testing.T
	base string

	packErr   error
	proveErr  error                          // of an accelerator
	onProve   func(context.Context) error    // may wait
	onMachine func(*choretest.Runtime) error // changes a runtime before it is used
	onInstall func(func(done, total int64)) error
	onLine    func([]byte)          // told each line that the pi of [withPi] says
	onCommand func(wire.ExecParams) // told each command that runs in the machine of an AI
	addOns    []string              // that the pack has
	onAgent   func(*acpMachine)     // is the program of an add-on; see [withPi]
	refuse    func(path string) error

	settle       atomic.Int64          // nanoseconds without a task before a machine is made in advance
	ahead        atomic.Int64          // nanoseconds that the clock of the world is ahead
	factoryMaker machines.FactoryMaker // nil: no machine is there at once
	keys         keys.Memory           // of models
	placeSeams   []placeSeam           // that are no machine
	remoteSeam   remoteSeam            // other computers

	mu       sync.Mutex
	host     capacity.Host
	hostErr  error
	power    capacity.Power
	diskMB   int
	version  string             // of the pack, "" is 0.9.0
	phase    updater.Phase      // of an update, "" is idle
	kept     []machines.Factory // by each sweep
	healings int
	onHeal   func() (bool, error)
	verified int // times the pack was checked

	verifiedRestore int // times only what a restored machine needs was

	verifyErr error
	leases    int // that are held
	machines  []*machine
	proved    []qemu.Accel
}

// machine is a runtime that a task got, and what it was made of.
type machine struct {
	*choretest.Runtime
	spec vm.Config
}

func (m *machine) size() capacity.Size {
	return capacity.Size{MemoryMB: m.spec.MemoryMB, CPUs: m.spec.CPUs}
}

func newWorld(t *testing.T) *world {
	t.Helper()
	for _, v := range []string{EnvDataDir, EnvConfigDir, EnvCacheDir, EnvRuntimeDir, EnvAccel} {
		t.Setenv(v, "")
	}
	checkLeaks(t)
	w := &world{t: t, base: t.TempDir(), host: capacity.Host{MemoryMB: 16 << 10, FreeMB: 12 << 10, CPUs: 8}, diskMB: 100 << 10}
	w.settle.Store(int64(machines.WarmSettle))
	return w
}

func (w *world) options() Options {
	return Options{
		DataDir: filepath.Join(w.base, "data"), ConfigDir: filepath.Join(w.base, "config"), CacheDir: filepath.Join(w.base, "cache"),
		Version: "1.2.3",
	}.WithDefaults()
}

func (w *world) lookAtHost(context.Context) (capacity.Host, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.host, w.hostErr
}

func (w *world) now() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) }

// endLeftover finds a process in every directory that has a file "alive", and ends
// it; "undead" ones do not end.
func (w *world) endLeftover(_ context.Context, dir string) (bool, error) {
	if _, err := os.Lstat(filepath.Join(dir, "undead")); err == nil {
		return false, errors.New("it does not end")
	}
	err := os.Remove(filepath.Join(dir, "alive"))
	return err == nil, nil
}

func (w *world) lookAtPower(context.Context) capacity.Power {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.power
}

func (w *world) lookAtDisk(context.Context, string) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.diskMB, nil
}

func (w *world) sweepFactories(_ context.Context, keep machines.Factory) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.kept = append(w.kept, keep)
	return nil
}

// set changes the world while a controller looks at it.
func (w *world) set(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
}

func (w *world) open() *Controller {
	w.t.Helper()
	return w.openWith(w.options())
}

func (w *world) openWith(o Options) *Controller {
	w.t.Helper()
	c, err := open(w.t.Context(), o, w.seams)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := c.Close(ctx); err != nil {
			w.t.Error(err)
		}
	})
	return c
}

func (w *world) seams(context.Context, Options) (seams, error) {
	return seams{
		packs: w, prove: w.prove, machineSeams: machineSeams{
			machine: w.machine, places: w.placeSeams, remote: w.remoteSeam,
			endLeftover: w.endLeftover, host: w.lookAtHost, power: w.lookAtPower, diskFree: w.lookAtDisk, factory: w.factoryMaker, sweepFactories: w.sweepFactories,
			settle: func() time.Duration { return time.Duration(w.settle.Load()) },
		}, share: w.share, journal: openSnapshots, checkFolder: w.checkFolder,
		now: w.now, look: looksFine,
		updater: func(context.Context, updater.Options) (runtimepack.Updater, error) {
			return &scriptedKeeper{world: w}, nil
		},
		keys: &w.keys,
	}, nil
}

// looksFine is what is seen of a computer that can accelerate: the tests are the same on
// every computer.
func looksFine() setup.Facts {
	return setup.Facts{LinuxFacts: setup.LinuxFacts{Device: setup.DeviceWorks}}
}

// scriptedKeeper looks after nothing.
type scriptedKeeper struct {
	runtimepack.Updater // what no test needs is nil
	*world
}

// AddOns implements runtimepack's updater: none is installed.
func (*scriptedKeeper) AddOns() ([]updater.AddOn, error) { return nil, nil }

func (*scriptedKeeper) Run()          {}
func (*scriptedKeeper) Close()        {}
func (*scriptedKeeper) TryCandidate() {}
func (*scriptedKeeper) Hold(context.Context, error) (func(), error) {
	return func() {}, nil
}
func (*scriptedKeeper) Beside(context.Context) string {
	return ""
}
func (k *scriptedKeeper) State() updater.State {
	return updater.State{Phase: cmp.Or(k.phase, updater.PhaseIdle), What: updater.Runtime, Current: "0.9.0"}
}
func (k *scriptedKeeper) Heal(context.Context) (bool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.healings++
	if k.onHeal == nil {
		return false, nil
	}
	return k.onHeal()
}
func (*scriptedKeeper) Usable(*pack.Installed) ([]updater.AddOn, error) { return nil, nil }

func (k *scriptedKeeper) Install(_ context.Context, _ string, told func(done, total int64)) ([]updater.Arrived, error) {
	if k.onInstall != nil {
		if err := k.onInstall(told); err != nil {
			return nil, err
		}
	}
	k.packErr = nil
	return []updater.Arrived{{What: updater.Runtime, Pack: &pack.Installed{Manifest: spec.Manifest{Version: "0.9.0"}}}}, nil
}

func (w *world) layers() (out []qemu.Layer) {
	for _, name := range w.addOns {
		out = append(out, qemu.Layer{Name: name, File: "/pack/" + name})
	}
	return out
}

func (w *world) Current(context.Context, func(*pack.Installed) ([]updater.AddOn, error)) (runtimepack.Current, error) {
	if w.packErr != nil {
		return runtimepack.Current{}, w.packErr
	}
	w.mu.Lock()
	version := cmp.Or(w.version, "0.9.0")
	w.mu.Unlock()
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	return runtimepack.Current{
		Info:  runtimepack.Info{Name: "piwork-runtime", Version: version, Dir: "/pack"},
		Image: qemu.Image{ID: "image " + version, Arch: arch, AddOns: w.layers()},
		Verify: func(context.Context, bool) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.verified++
			return w.verifyErr
		},
		VerifyRestore: func(context.Context) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.verifiedRestore++
			return w.verifyErr
		},
		Lease: func(context.Context) (func(), error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.leases++
			return func() { w.mu.Lock(); defer w.mu.Unlock(); w.leases-- }, nil
		},
	}, nil
}

func (w *world) List(context.Context) ([]runtimepack.Info, error) { return nil, w.packErr }

func (w *world) VerifyFile(context.Context, string) (runtimepack.Info, error) {
	return runtimepack.Info{}, w.packErr
}

func (w *world) Describe(in *pack.Installed) runtimepack.Info {
	return runtimepack.Info{Version: in.Manifest.Version, Installed: true, Current: true}
}

func (w *world) Bundle(context.Context, updater.Settings, runtimepack.BundleRequest, func(done, total int64)) (runtimepack.BundleInfo, error) {
	return runtimepack.BundleInfo{}, w.packErr
}

func (w *world) prove(ctx context.Context, _ qemu.Image, a qemu.Accel, _ bool) (qemu.Proof, error) {
	w.mu.Lock()
	w.proved = append(w.proved, a)
	w.mu.Unlock()
	if w.onProve != nil {
		if err := w.onProve(ctx); err != nil {
			return qemu.Proof{}, err
		}
	}
	if w.proveErr != nil && a != qemu.AccelTCG {
		return qemu.Proof{}, w.proveErr
	}
	return qemu.Proof{Accel: a, CPU: "max", Ready: time.Second}, nil
}

func (w *world) machine(s vm.Config) (vmhost.Runtime, error) {
	rt := machineIn(w.t.TempDir(), s)
	for _, f := range s.Folders {
		if !slices.ContainsFunc(rt.Folders, func(c choretest.Folder) bool { return "/folders/"+c.Name == f.Path && c.ReadOnly == f.ReadOnly }) {
			return nil, fmt.Errorf("folder %s is in no root", f.Path)
		}
	}
	if w.onMachine != nil {
		if err := w.onMachine(rt); err != nil {
			return nil, err
		}
	}
	w.mu.Lock()
	w.machines = append(w.machines, &machine{rt, s})
	w.mu.Unlock()
	return rt, nil
}

// machineIn is a machine for what a task needs.
func machineIn(work string, c vm.Config) *choretest.Runtime {
	rt := &choretest.Runtime{Work: work, OnStatus: c.OnStatus}
	for _, root := range c.Env.ReadOnlyRoots {
		rt.Folders = append(rt.Folders, choretest.Folder{Name: filepath.Base(root), Path: root, ReadOnly: true})
	}
	for _, root := range c.Env.WritableRoots {
		rt.Folders = append(rt.Folders, choretest.Folder{Name: filepath.Base(root), Path: root})
	}
	return rt
}

func (w *world) all() []*machine {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.machines)
}

type noShare struct{ folders []task.Folder }

func (noShare) Serve(ctx context.Context, _ io.ReadWriteCloser) error { <-ctx.Done(); return ctx.Err() }
func (noShare) Close() error                                          { return nil }
func (noShare) Remove(string)                                         {}
func (noShare) AddState(string) error                                 { return nil }
func (noShare) Add(f task.Folder, j history.Journal, _ *guard.Guard) error {
	if f.Mode != task.ModeReadOnly && j == nil {
		return errors.New("a writable folder without a journal")
	}
	return nil
}

func (w *world) share(folders []task.Folder, j history.Journal, _ *guard.Guard, _ folders.Lost) (folders.Share, error) {
	writable := slices.ContainsFunc(folders, func(f task.Folder) bool { return f.Mode != task.ModeReadOnly })
	if writable != (j != nil) {
		return nil, errors.New("a writable folder without a journal, or the other way round")
	}
	return noShare{folders}, nil
}

func (w *world) checkFolder(p string, protected []string) error {
	if w.refuse != nil {
		if err := w.refuse(p); err != nil {
			return err
		}
	}
	for _, own := range protected {
		if task.Contains(own, p) || task.Contains(p, own) {
			return problem.New(problem.CodeFolderRefused).With("reason", "own-data")
		}
	}
	return nil
}

// snapshots is a journal that copies whole folders, and so works over restarts.
type snapshots struct {
	folders []task.Folder
	files   map[string][]byte // "f1/name" → content before
}

const snapshotFile = "snapshot.json"

func openSnapshots(dir string, folders []task.Folder, _ history.Room) (history.Journal, error) {
	s := &snapshots{folders: folders, files: map[string][]byte{}}
	data, err := os.ReadFile(filepath.Join(dir, snapshotFile))
	if err == nil {
		return s, json.Unmarshal(data, &s.files)
	}
	if s.files, err = s.now(); err == nil {
		data, err = json.Marshal(s.files)
	}
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, snapshotFile), data, 0o600)
	}
	return s, err
}

// Extend remembers what is in another folder.
func (s *snapshots) Extend(f task.Folder) {
	if slices.ContainsFunc(s.folders, func(o task.Folder) bool { return o.ID == f.ID }) {
		return
	}
	s.folders = append(slices.Clone(s.folders), f)
	now, err := s.now()
	if err != nil {
		return
	}
	for name, data := range now {
		if strings.HasPrefix(name, f.ID+"/") {
			s.files[name] = data
		}
	}
}

func (s *snapshots) now() (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, f := range s.folders {
		err := filepath.WalkDir(f.Path, func(p string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() {
				return err
			}
			rel, err := filepath.Rel(f.Path, p)
			if err == nil {
				out[f.ID+"/"+filepath.ToSlash(rel)], err = os.ReadFile(p)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s *snapshots) Changes(context.Context) ([]journal.Change, error) {
	now, err := s.now()
	var out []journal.Change
	for name, data := range now {
		id, file, _ := strings.Cut(name, "/")
		if before, ok := s.files[name]; !ok {
			out = append(out, journal.Change{ID: name, Folder: id, Path: file, Kind: "file", Effect: journal.EffectCreate, After: &journal.FileState{Size: int64(len(data)), SHA256: toolFile("", data).SHA256}})
		} else if string(before) != string(data) {
			out = append(out, journal.Change{ID: name, Folder: id, Path: file, Effect: journal.EffectChange})
		}
	}
	slices.SortFunc(out, func(a, b journal.Change) int { return strings.Compare(a.ID, b.ID) })
	return out, err
}

func (s *snapshots) Undo(ctx context.Context, r history.UndoRequest) (journal.Report, error) {
	all, err := s.Changes(ctx)
	var rep journal.Report
	for _, c := range all {
		if len(r.IDs) > 0 && !slices.Contains(r.IDs, c.ID) {
			continue
		}
		i := slices.IndexFunc(s.folders, func(f task.Folder) bool { return f.ID == c.Folder })
		if err := os.Remove(filepath.Join(s.folders[i].Path, c.Path)); err != nil {
			rep.Conflicts = append(rep.Conflicts, journal.Conflict{Change: c, Reason: "io"})
			continue
		}
		rep.Undone = append(rep.Undone, c)
	}
	return rep, err
}

func (s *snapshots) Content(_ context.Context, id string, side changes.Which) (changes.Content, error) {
	if side == changes.Before {
		return fakeContent{bytes.NewReader(s.files[id])}, nil
	}
	folder, name, _ := strings.Cut(id, "/")
	i := slices.IndexFunc(s.folders, func(f task.Folder) bool { return f.ID == folder })
	data, err := os.ReadFile(filepath.Join(s.folders[i].Path, name))
	return fakeContent{bytes.NewReader(data)}, err
}

type fakeContent struct{ *bytes.Reader }

func (fakeContent) Close() error { return nil }

func (s *snapshots) Redo(context.Context, history.RedoRequest) (history.RedoReport, error) {
	return history.RedoReport{}, errors.New("snapshots bring nothing back")
}

func (s *snapshots) Apply(context.Context, history.ApplyRequest) (history.ApplyReport, error) {
	return history.ApplyReport{}, errors.New("nothing waits in front of snapshots")
}

func (s *snapshots) Close() error { return nil }

// checkLeaks fails the test when goroutines of this module outlive it.
func checkLeaks(t *testing.T) {
	t.Helper()
	t.Cleanup(func() {
		var stacks string
		for range 1500 { // half a minute
			buf := make([]byte, 1<<20)
			buf = buf[:runtime.Stack(buf, true)]
			stacks = ""
			for _, g := range strings.Split(string(buf), "\n\n")[1:] { // the first is this one
				if strings.Contains(g, "piwork/app.") && !strings.Contains(g, "testing.(*T).Run") && !strings.Contains(g, "app.Test") {
					stacks += g + "\n\n"
				}
			}
			if stacks == "" {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Errorf("goroutines are left:\n%s", stacks)
	})
}

// pictures makes a folder of real pictures.
func (w *world) pictures(names ...string) string {
	w.t.Helper()
	dir := filepath.Join(w.t.TempDir(), "Fotos ä")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		w.t.Fatal(err)
	}
	for i, n := range names {
		f, err := os.Create(filepath.Join(dir, n))
		if err == nil {
			err = errors.Join(png.Encode(f, image.NewGray(image.Rect(0, 0, i+1, 1))), f.Close())
		}
		if err != nil {
			w.t.Fatal(err)
		}
	}
	return dir
}

// listen subscribes, and returns a function that waits for the state of a task.
func (w *world) listen(c *Controller) (wait func(id string, s task.State) task.Task) {
	w.t.Helper()
	events, cancel := c.Subscribe(task.EventFilter{})
	w.t.Cleanup(cancel)
	return func(id string, s task.State) task.Task {
		w.t.Helper()
		limit := time.After(time.Minute)
		for {
			now, err := c.Task(w.t.Context(), id)
			if err != nil {
				w.t.Fatal(err)
			}
			if now.State == s {
				return now
			}
			if now.State.Final() && !s.Final() {
				w.t.Fatalf("the task is %s: %v", now.State, now.Error)
			}
			select {
			case <-events:
			case <-time.After(5 * time.Millisecond):
			case <-limit:
				w.t.Fatalf("the task is still %s (%v), not %s", now.State, now.Error, s)
			}
		}
	}
}

func (w *world) start(c *Controller, r tasks.StartRequest) task.Task {
	w.t.Helper()
	t, err := c.StartTask(w.t.Context(), r)
	if err != nil {
		w.t.Fatal(err)
	}
	return t
}

func codeOf(err error) string {
	if p, is := errors.AsType[*problem.Problem](err); is {
		return p.Code
	}
	if err == nil {
		return ""
	}
	return "no problem: " + err.Error()
}

// kinds are the events of a timeline in short, e.g. "state:done".
func (w *world) kinds(c *Controller, id string) (out []string) {
	w.t.Helper()
	events, err := c.Timeline(w.t.Context(), id, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	for i, e := range events {
		if e.Seq != int64(i+1) || e.Task != id {
			w.t.Errorf("event %d: %+v", i, e)
		}
		var d struct{ State, Step, Code, Path, Answer string }
		if err := json.Unmarshal(e.Data.(json.RawMessage), &d); err != nil {
			w.t.Fatal(err)
		}
		out = append(out, string(e.Kind)+":"+d.State+d.Step+d.Code+d.Path+d.Answer)
	}
	return out
}

// toolFile is what an operation says of a file with this content.
func toolFile(p string, data []byte) wire.ToolFile {
	sum := sha256.Sum256(data)
	return wire.ToolFile{Path: p, Size: int64(len(data)), SHA256: hex.EncodeToString(sum[:])}
}

// anyFile is a file that is there, for fakes that do not read it.
func anyFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// queued takes what is in a queue.
func queued(events <-chan task.Event) (out []task.Event) {
	for {
		select {
		case e, ok := <-events:
			if !ok {
				return out
			}
			out = append(out, e)
		default:
			return out
		}
	}
}
