package updater

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"piwork/app/problem"
	"piwork/pack"
	"piwork/pack/packtest"
	"piwork/pack/spec"
	"piwork/pack/trust"
	"piwork/vmhost/qemu"
)

// chunkTime is how long the scripted source takes for one of ten pieces.
const chunkTime = time.Second

// shelf holds packs of several versions by one signer; making them once is enough.
type shelf struct {
	keys  *trust.KeyRing
	packs map[string]*packtest.Pack // by version
}

func newShelf(t *testing.T, versions ...string) *shelf {
	t.Helper()
	s := &shelf{packs: map[string]*packtest.Pack{}}
	signer := packtest.NewSigner(t)
	for _, v := range versions {
		p := packtest.New(t, packtest.Options{Version: v, Signer: signer, Verity: true})
		s.packs[v], s.keys = p, p.Keys
	}
	return s
}

// addOn makes the add-on of each version, by "media/<version>".
func (s *shelf) addOn(t *testing.T) *shelf {
	t.Helper()
	for v, p := range maps.Clone(s.packs) {
		s.packs["media/"+v] = packtest.NewAddOn(t, "media", p)
	}
	return s
}

// rig is an updater with everything around it scripted. The updater runs in the
// bubble of the test; its stores are real.
type rig struct {
	t    *testing.T
	dir  string
	s    *shelf
	k    *Updater
	auto bool

	mu          sync.Mutex
	off         bool
	release     *Release
	mistaken    error            // in the settings: there is no channel with them
	failing     error            // of Refresh
	broken      error            // of a download, after half of it
	brokenAddOn bool             // of add-ons only
	boots       map[string]error // by version; missing is a boot that works
	hang        map[string]bool  // proof boots that never end by themselves
	proved      []string
	fetched     []string
	slow        time.Duration // of Refresh
	refreshs    int
	offers      int
	busy        bool
	network     Network
	states      []State
	changes     int
	beside      string
	besideIs    string        // its version
	withdrawn   string        // a version
	mended      string        // boots from the second time on
	asleep      time.Duration // that timers know nothing of
	mayUse      func(ctx context.Context, current, version string) error
}

func newRig(t *testing.T, s *shelf, installed ...string) *rig {
	t.Helper()
	r := &rig{t: t, s: s, release: &Release{}, dir: t.TempDir(), boots: map[string]error{}, hang: map[string]bool{}}
	for _, v := range installed {
		if _, err := pack.Install(t.Context(), s.packs[v].File, r.store(), s.keys, pack.InstallOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func (r *rig) store() *pack.Store {
	r.t.Helper()
	s, err := pack.OpenStore(filepath.Join(r.dir, "runtime"))
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

// open starts the updater, as a start of the program does.
func (r *rig) open() *Updater {
	r.t.Helper()
	k, err := New(r.t.Context(), Options{
		Runtime: r.store(), AddOnsDir: filepath.Join(r.dir, "addons"), StateFile: filepath.Join(r.dir, "update.json"),
		Keys: func() *trust.KeyRing { return r.s.keys }, Policy: r.policy(),
		Connect: r.connect, Files: r, Prove: r.prove,
		Settings: func() Settings { r.mu.Lock(); defer r.mu.Unlock(); return Settings{Auto: r.auto} },
		Network:  func(context.Context) Network { r.mu.Lock(); defer r.mu.Unlock(); return r.network },
		MayUse:   r.mayUse,
		Busy:     func() bool { r.mu.Lock(); defer r.mu.Unlock(); return r.busy },
		OnState: func(s State) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.states = append(r.states, s)
		},
		OnChange: func() { r.mu.Lock(); defer r.mu.Unlock(); r.changes++ },
		Now:      func() time.Time { r.mu.Lock(); defer r.mu.Unlock(); return time.Now().Add(r.asleep) },
		Jitter:   func(d time.Duration) time.Duration { return d / 2 },
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.k = k
	return k
}

func (r *rig) policy() spec.Policy { return spec.Policy{AppVersion: "1.2.3", Withdrawn: r.withdraws} }

func (r *rig) withdraws(version string) (string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return "it loses files", version == r.withdrawn
}

// reopen is a restart of the program.
func (r *rig) reopen() *Updater {
	r.t.Helper()
	r.k.Close()
	return r.open()
}

// goBack is a rollback before the updater starts.
func (r *rig) goBack() {
	r.t.Helper()
	if _, err := r.store().Rollback(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
}

// reject installs a version whose first boot failed.
func (r *rig) reject(version string) {
	r.t.Helper()
	r.hold(version)
	if _, err := r.store().Fail(r.t.Context(), version, pack.WhyBoot); err != nil {
		r.t.Fatal(err)
	}
}

// hold installs a version that waits for its first boot.
func (r *rig) hold(version string) {
	r.t.Helper()
	if _, err := pack.Install(r.t.Context(), r.s.packs[version].File, r.store(), r.s.keys, pack.InstallOptions{KeepCurrent: true}); err != nil {
		r.t.Fatal(err)
	}
	if err := r.store().Propose(r.t.Context(), version); err != nil {
		r.t.Fatal(err)
	}
}

// addOn installs the add-on of a version.
func (r *rig) addOn(version string) {
	r.t.Helper()
	if _, err := pack.Install(r.t.Context(), r.s.packs["media/"+version].File, r.addOnStore("media"), r.s.keys, pack.InstallOptions{}); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) addOnStore(name string) *pack.Store {
	r.t.Helper()
	s, err := pack.OpenStore(filepath.Join(r.dir, "addons", name))
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

func (r *rig) offer(version string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	target := func(name string) Target {
		t := Target{Name: name, Length: 1000}
		if p := r.s.packs[name]; p != nil {
			t.Manifest = digestOf(r.t, p)
		}
		return t
	}
	r.release = &Release{Version: version, Archive: target(version), Notes: "notes of " + version}
	if media := "media/" + version; r.s.packs[media] != nil {
		r.release.AddOns = map[string]Target{"media": target(media)}
	}
}

func (r *rig) script(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
}

func (r *rig) connect(Settings) (Channel, Source, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.off {
		return nil, nil, ErrOff
	}
	if r.mistaken != nil {
		return nil, nil, r.mistaken
	}
	return (*scriptedChannel)(r), &scriptedSource{r}, nil
}

type scriptedChannel rig

func (*scriptedChannel) Name() string { return "stable" }

func (c *scriptedChannel) Refresh(ctx context.Context) (*Release, error) {
	c.mu.Lock()
	slow := c.slow
	c.mu.Unlock()
	select {
	case <-time.After(slow):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refreshs++
	return c.release, errors.Join(c.failing, ctx.Err())
}

func (c *scriptedChannel) Last() (*Release, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.release, nil
}

type scriptedSource struct{ *rig }

func (*scriptedSource) Close() {}

func (s *scriptedSource) Offer(_ context.Context, t Target, store *pack.Store) (Offer, error) {
	s.script(func() { s.offers++ })
	p, ok := s.s.packs[t.Name]
	if !ok {
		return nil, fmt.Errorf("no archive %s", t.Name)
	}
	return &scriptedOffer{rig: s.rig, p: p, store: store}, nil
}

// scriptedOffer takes ten pieces of 100 bytes, and remembers how far it came as an
// assembly does.
type scriptedOffer struct {
	*rig
	p     *packtest.Pack
	store *pack.Store
}

func (o *scriptedOffer) Cost() Progress { return Progress{Total: 1000, Reused: 500} }

func (o *scriptedOffer) Fetch(ctx context.Context, told func(Progress)) (*pack.Installed, error) {
	part := filepath.Join(o.dir, "part-"+o.p.Manifest.Name+o.p.Manifest.Version)
	data, _ := os.ReadFile(part)
	for n := int64(len(data)); n < 10; n++ {
		select {
		case <-time.After(chunkTime):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		o.mu.Lock()
		err := o.broken
		o.fetched = append(o.fetched, fmt.Sprintf("%s/%d", o.p.Manifest.Version, n))
		o.mu.Unlock()
		if _, addOn := o.p.Manifest.AddOn(); err != nil && n == 5 && (addOn || !o.brokenAddOn) {
			return nil, err
		}
		if err := os.WriteFile(part, make([]byte, n+1), 0o600); err != nil {
			return nil, err
		}
		told(Progress{Done: (n + 1) * 100, Total: 1000, Rate: 100})
	}
	return pack.Install(ctx, o.p.File, o.store, o.s.keys, pack.InstallOptions{KeepCurrent: true, Policy: o.policy()})
}

func digestOf(t *testing.T, p *packtest.Pack) string {
	t.Helper()
	f, err := os.Open(p.File)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h, err := pack.ReadHead(t.Context(), f, p.Keys, spec.Policy{AnyPlatform: true})
	if err != nil {
		t.Fatal(err)
	}
	return h.Digest
}

// prove takes three seconds and says what the script says.
func (r *rig) prove(ctx context.Context, in *pack.Installed) error {
	v := in.Manifest.Version
	r.mu.Lock()
	r.proved = append(r.proved, v)
	hang, err := r.hang[v], r.boots[v]
	if v == r.mended {
		delete(r.boots, v)
	}
	r.mu.Unlock()
	wait := 3 * time.Second
	if hang {
		wait = 1000 * time.Hour
	}
	select {
	case <-time.After(wait):
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Install implements Files.
func (r *rig) Install(ctx context.Context, file string, told func(done, total int64)) ([]Arrived, error) {
	what, store := Runtime, r.store()
	if h, err := pack.VerifyFile(ctx, file, r.s.keys, pack.VerifyOptions{}); err != nil {
		return nil, err
	} else if name, ok := h.Manifest.AddOn(); ok {
		what, store = name, r.addOnStore(name)
	}
	in, err := pack.Install(ctx, file, store, r.s.keys, pack.InstallOptions{KeepCurrent: true, Progress: told, Policy: r.policy()})
	if err != nil {
		return nil, err
	}
	return []Arrived{{What: what, Pack: in}}, nil
}

// Beside implements Files.
func (r *rig) Beside(context.Context) (file, version string) { return r.beside, r.besideIs }

func doesNotBoot() error {
	return &qemu.ProofError{Accel: qemu.AccelKVM, Stage: qemu.StageAgent, Err: errors.New("silence")}
}

// stands is where everything stands: "1.0.0<0.9.0?1.1.0 phase/version problem".
func (r *rig) stands() string {
	r.t.Helper()
	p, err := r.store().Pointer()
	if err != nil {
		return err.Error()
	}
	s := r.k.State()
	out := fmt.Sprintf("%s<%s?%s %s", p.Current, p.Previous, p.Candidate, s.Phase)
	if s.Problem != nil {
		out += " " + s.Problem.Code
	}
	return strings.ReplaceAll(out, ".0.0", ".0")
}

func (r *rig) wantStands(want string) {
	r.t.Helper()
	if got := r.stands(); got != want {
		r.t.Errorf("stands at %q, want %q", got, want)
	}
}

// settle waits until the job that runs is over.
func (r *rig) settle() {
	r.t.Helper()
	for range 10_000 {
		synctest.Wait()
		if !r.k.running() {
			return
		}
		time.Sleep(500 * time.Millisecond)
	}
	r.t.Fatal("the update does not end")
}

func (r *rig) start(req Request) {
	r.t.Helper()
	if _, err := r.k.Start(req); err != nil {
		r.t.Fatal(err)
	}
}

func codeOf(err error) string {
	if err == nil {
		return ""
	}
	return problem.From(err).Code
}
