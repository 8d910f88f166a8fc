package pack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"piwork/pack/spec"
	"piwork/pack/trust"
)

// Environment of a child process that changes a store and kills itself.
const (
	envKillAt = "PIWORK_TEST_KILL_AT" // number of the step before which it dies
	envKillDo = "PIWORK_TEST_KILL_DO" // what to do, see doomed
	envStore  = "PIWORK_TEST_STORE"
	envKeys   = "PIWORK_TEST_KEYS" // a developer key ring

	envLifeFiles = "PIWORK_TEST_LIFE_FILES" // of "life": three archives
)

func TestMain(m *testing.M) {
	if os.Getenv(envKillAt) != "" {
		os.Exit(doomed())
	}
	os.Exit(m.Run())
}

// doomed runs in the child. It ends with 0 when it outlived what it did.
func doomed() int {
	at, err := strconv.Atoi(os.Getenv(envKillAt))
	if err != nil {
		return 2
	}
	s, err := OpenStore(os.Getenv(envStore))
	if err != nil {
		return 2
	}
	n := 0
	var mu sync.Mutex // files are written side by side
	s.step = func(name string) {
		mu.Lock()
		if n++; n < at {
			mu.Unlock()
			return
		}
		fmt.Println(name)
		if p, err := os.FindProcess(os.Getpid()); err == nil {
			_ = p.Kill()
		}
		select {} // until the signal arrives
	}
	dev, err := trust.LoadDeveloperKeys(os.Getenv(envKeys))
	if err != nil {
		return 2
	}
	keys, err := trust.NewKeyRing(dev...)
	if err != nil {
		return 2
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err = perform(ctx, s, keys, os.Getenv(envKillDo))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// perform does one change of a store: a verb and its argument.
func perform(ctx context.Context, s *Store, keys *trust.KeyRing, do string) error {
	verb, arg, _ := strings.Cut(do, " ")
	var err error
	switch verb {
	case "install":
		_, err = Install(ctx, arg, s, keys, InstallOptions{})
	case "hold":
		_, err = Install(ctx, arg, s, keys, InstallOptions{KeepCurrent: true})
	case "assemble":
		err = assembleFile(ctx, s, keys, arg)
	case "bundle":
		err = installBundle(ctx, s, keys, arg)
	case "offline":
		if err = noNetwork(); err == nil {
			err = installBundle(ctx, s, keys, arg)
		}
	case "life":
		err = performLife(ctx, s, keys, arg, filepath.SplitList(os.Getenv(envLifeFiles))...)
	case "build", "wrap":
		err = performBuild(ctx, s, keys, do)
	case "promote":
		err = s.Promote(ctx, arg)
	case "rollback":
		_, err = s.Rollback(ctx)
	case "remove":
		err = s.Remove(ctx, arg)
	default:
		err = fmt.Errorf("do what? %q", do)
	}
	return err
}

// assembleFile assembles the pack in file out of what the store has, and the rest
// of the file.
func assembleFile(ctx context.Context, s *Store, keys *trust.KeyRing, file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	h, err := ReadHead(ctx, bytes.NewReader(data), keys, spec.Policy{})
	if err != nil {
		return err
	}
	var from []*Installed
	list, err := s.List(keys, spec.Policy{})
	if err != nil {
		return err
	}
	for _, e := range list {
		if e.Err == nil {
			from = append(from, e.Pack)
		}
	}
	a, err := Assemble(ctx, h, s, keys, AssembleOptions{From: from})
	if err != nil {
		return err
	}
	for _, c := range a.Missing() {
		if err := a.Put(c, data[c.Offset:c.Offset+c.Packed]); err != nil {
			return err
		}
	}
	_, err = a.Finish(ctx)
	return err
}

// addOnStore is that of the add-on of a bundle.
func addOnStore(s *Store) (*Store, error) {
	o, err := OpenStore(filepath.Join(filepath.Dir(s.dir), "addon"))
	if err == nil {
		o.step = s.step
	}
	return o, err
}

func installBundle(ctx context.Context, s *Store, keys *trust.KeyRing, file string) error {
	b, err := OpenBundle(ctx, file, keys, BundleOptions{})
	if err != nil {
		return err
	}
	defer b.Close()
	_, err = b.Install(ctx, BundleInstallOptions{Runtime: s, AddOn: func(string) (*Store, error) { return addOnStore(s) }})
	return err
}

// noNetwork fails when there is an interface that could carry anything.
func noNetwork() error {
	list, err := net.Interfaces()
	for _, i := range list {
		if i.Flags&net.FlagUp != 0 {
			err = errors.Join(err, fmt.Errorf("interface %s is up", i.Name))
		}
	}
	return err
}

// killRig makes packs and stores for the kill tests.
type killRig struct {
	*forger
	ring string
	old  string // archive of 1.0.0
	new  string // archive of 1.1.0

	// The same with chunks, and the new one in a bundle with an add-on.
	chunksOld, chunksNew, bundle string
}

func newKillRig(t *testing.T) *killRig {
	t.Helper()
	r := &killRig{forger: newForger(t)}
	dir := t.TempDir()
	r.ring = filepath.Join(dir, trust.DeveloperFile)
	if err := trust.AddDeveloperKey(r.ring, r.keys.Keys()[0]); err != nil {
		t.Fatal(err)
	}
	write := func(name, version string) string {
		a := r.plain()
		a.m.Version = version
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, r.archive(a), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	r.old, r.new = write("old", "1.0.0"), write("new", "1.1.0")
	r.chunksOld = writeFile(t, filepath.Join(dir, "chunks-old"), r.chunked(r.based("1.0.0"), division{}))
	r.chunksNew = writeFile(t, filepath.Join(dir, "chunks-new"), r.chunked(r.based("1.1.0"), division{}))
	addOn := writeFile(t, filepath.Join(dir, "addon"), r.chunked(r.over("1.1.0"), division{}))
	var err error
	_, r.bundle, err = BuildBundle(t.Context(), BundleBuildOptions{
		Packs: []string{r.chunksNew, addOn}, Keys: r.keys, Signer: r.signer, Out: filepath.Join(dir, "bundle"),
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// based is a pack with a base layer, whose image has a made-up hash tree.
func (f *forger) based(version string) *forged {
	a := f.plain()
	a.m.Version = version
	a.entries, a.m.Files = nil, nil
	a.add("guest/rootfs.img", string(noise("rootfs", 2*spec.VerityBlock)))
	a.add("guest/vmlinux", "kernel of "+version)
	a.add("tools.json", "{}")
	a.m.Layers = []spec.Layer{{Name: spec.BaseLayer, Version: version, Path: "guest/rootfs.img", Verity: &spec.Verity{RootHash: strings.Repeat("ab", 32), DataBlocks: 1}}}
	return a
}

// over is an add-on over it.
func (f *forger) over(version string) *forged {
	a := f.plain()
	a.entries, a.m.Files = nil, nil
	a.add("guest/media.img", string(noise("media", 2*spec.VerityBlock)))
	a.m.Files[0].Role = spec.RoleLayer
	a.m.Name, a.m.Version, a.m.HostOS, a.m.HostArch = spec.AddOnPrefix+"media", version, spec.AnyHost, spec.AnyHost
	a.m.Layers = []spec.Layer{{
		Name: "media", Version: version, Path: "guest/media.img", Base: strings.Repeat("ab", 32),
		Verity: &spec.Verity{RootHash: strings.Repeat("cd", 32), DataBlocks: 1},
	}}
	return a
}

func (r *killRig) store(t *testing.T) *Store {
	t.Helper()
	s, err := OpenStore(filepath.Join(t.TempDir(), "runtime"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (r *killRig) install(t *testing.T, s *Store, file string) {
	t.Helper()
	if _, err := Install(t.Context(), file, s, r.keys, InstallOptions{}); err != nil {
		t.Fatal(err)
	}
}

// state is what a program sees of a store: the pointer, and each version with how
// it verifies.
func (r *killRig) state(t *testing.T, s *Store) string {
	t.Helper()
	p, err := s.Pointer()
	if err != nil {
		return "pointer: " + err.Error()
	}
	list, err := s.List(r.keys, spec.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	out := fmt.Sprintf("current=%s previous=%s", p.Current, p.Previous)
	for _, e := range list {
		ok := "damaged"
		if e.Err == nil && e.Pack.Verify(t.Context(), LevelFull) == nil {
			ok = "sound"
		}
		out += fmt.Sprintf(" %s:%s", e.Version, ok)
	}
	return out
}

// TestKillAtEveryStep kills the program before each single step of each change of
// a store. At any moment a reader finds the old state or the new one, or none for
// the blink between two renames of a repair; the next start has old or new, with
// nothing left over; and doing it again succeeds.
func TestKillAtEveryStep(t *testing.T) {
	r := newKillRig(t)
	damage := func(t *testing.T, s *Store) {
		if err := os.WriteFile(filepath.Join(s.dir, "1.0.0", "guest", "vmlinux"), []byte("CONTENT of guest/vmlinux"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const held = "current=1.0.0 previous= 1.1.0:sound 1.0.0:sound"
	damageImage := func(t *testing.T, s *Store) {
		writeFile(t, filepath.Join(s.dir, "1.0.0", "guest", "rootfs.img"), noise("other", 2*spec.VerityBlock))
	}
	const none, one, two = "current= previous=", "current=1.0.0 previous= 1.0.0:sound", "current=1.1.0 previous=1.0.0 1.1.0:sound 1.0.0:sound"
	for _, tc := range []struct {
		name    string
		do      string
		prepare func(t *testing.T, s *Store)
		old     []string // states that are allowed after a kill
		new     string   // state in the end
		gap     string   // allowed for a reader that does not sweep
		also    func(t *testing.T, s *Store)
	}{
		{name: "first installation", do: "install " + r.old, old: []string{none}, new: one,
			gap: "current= previous= 1.0.0:sound"},
		{
			name: "update", do: "install " + r.new,
			prepare: func(t *testing.T, s *Store) { r.install(t, s, r.old) },
			// The new version may be there without being in use yet.
			old: []string{one, "current=1.0.0 previous= 1.1.0:sound 1.0.0:sound"}, new: two,
		},
		{
			name: "update without promotion", do: "hold " + r.new,
			prepare: func(t *testing.T, s *Store) { r.install(t, s, r.old) },
			old:     []string{one}, new: "current=1.0.0 previous= 1.1.0:sound 1.0.0:sound",
		},
		{
			name: "first installation without promotion", do: "hold " + r.old,
			old: []string{none}, new: "current= previous= 1.0.0:sound",
		},
		{
			name: "repair", do: "install " + r.old,
			prepare: func(t *testing.T, s *Store) { r.install(t, s, r.old); damage(t, s) },
			old:     []string{"current=1.0.0 previous= 1.0.0:damaged"}, new: one,
			gap: "current=1.0.0 previous=",
		},
		{
			name: "promote", do: "promote 1.0.0",
			prepare: func(t *testing.T, s *Store) { r.install(t, s, r.old); r.install(t, s, r.new) },
			old:     []string{two}, new: "current=1.0.0 previous=1.1.0 1.1.0:sound 1.0.0:sound",
		},
		{
			name: "rollback", do: "rollback",
			prepare: func(t *testing.T, s *Store) { r.install(t, s, r.old); r.install(t, s, r.new) },
			old:     []string{two}, new: "current=1.0.0 previous=1.1.0 1.1.0:sound 1.0.0:sound",
		},
		{
			name: "remove", do: "remove 1.0.0",
			prepare: func(t *testing.T, s *Store) { r.install(t, s, r.old); r.install(t, s, r.new) },
			old:     []string{two, "current=1.1.0 previous= 1.1.0:sound 1.0.0:sound"}, new: "current=1.1.0 previous= 1.1.0:sound",
		},
		{
			name: "tidying up after a kill", do: "promote 1.0.0",
			prepare: func(t *testing.T, s *Store) {
				r.install(t, s, r.old)
				r.install(t, s, r.new)
				aside := filepath.Join(s.dir, tempName(asidePrefix)+"-1.0.0")
				if err := errors.Join(os.Rename(filepath.Join(s.dir, "1.0.0"), aside),
					os.MkdirAll(filepath.Join(s.dir, stagingPrefix+"x", "guest"), 0o700)); err != nil {
					t.Fatal(err)
				}
			},
			old: []string{two}, new: "current=1.0.0 previous=1.1.0 1.1.0:sound 1.0.0:sound",
			gap: "current=1.1.0 previous=1.0.0 1.1.0:sound",
		},
		{name: "first installation of chunks", do: "install " + r.chunksOld, old: []string{none}, new: one,
			gap: "current= previous= 1.0.0:sound"},
		{
			name: "update of chunks without promotion", do: "hold " + r.chunksNew,
			prepare: func(t *testing.T, s *Store) { r.install(t, s, r.chunksOld) },
			old:     []string{one}, new: held,
		},
		{
			name: "repair of chunks", do: "install " + r.chunksOld,
			prepare: func(t *testing.T, s *Store) { r.install(t, s, r.chunksOld); damageImage(t, s) },
			old:     []string{"current=1.0.0 previous= 1.0.0:damaged"}, new: one,
			gap: "current=1.0.0 previous=",
		},
		{name: "first assembly", do: "assemble " + r.chunksOld, old: []string{none}, new: "current= previous= 1.0.0:sound"},
		{
			name: "assembly over an old version", do: "assemble " + r.chunksNew,
			prepare: func(t *testing.T, s *Store) { r.install(t, s, r.chunksOld) },
			old:     []string{one}, new: held,
		},
		{
			name: "assembly as a repair", do: "assemble " + r.chunksOld,
			prepare: func(t *testing.T, s *Store) { r.install(t, s, r.chunksOld); damageImage(t, s) },
			old:     []string{"current=1.0.0 previous= 1.0.0:damaged"}, new: one,
			gap: "current=1.0.0 previous=",
		},
		{
			name: "bundle", do: "bundle " + r.bundle,
			prepare: func(t *testing.T, s *Store) { r.install(t, s, r.chunksOld) },
			old:     []string{one, held}, new: two,
			also: func(t *testing.T, s *Store) {
				o, err := addOnStore(s)
				if err != nil {
					t.Fatal(err)
				}
				r.tidy(t, o, "the add-on")
				if got, want := r.state(t, o), "current=1.1.0 previous= 1.1.0:sound"; got != want {
					t.Errorf("the add-on: %s, want %s", got, want)
				}
			},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var steps []string
			for at := 1; ; at++ {
				if at > 200 {
					t.Fatal("no end of steps")
				}
				s := r.store(t)
				if tc.prepare != nil {
					tc.prepare(t, s)
				}
				step, killed := r.child(t, s, tc.do, at)
				steps = append(steps, step)
				what := fmt.Sprintf("killed before step %d (%s)", at, step)
				if seen := r.state(t, s); seen != tc.new && seen != tc.gap && !slices.Contains(tc.old, seen) {
					t.Errorf("%s: a reader finds %s", what, seen)
				}
				next, err := OpenStore(s.dir)
				if err != nil {
					t.Fatal(err)
				}
				if err := next.Sweep(t.Context()); err != nil {
					t.Errorf("%s: sweep: %v", what, err)
				}
				if got := r.state(t, next); got != tc.new && !slices.Contains(tc.old, got) {
					t.Errorf("%s: the next start has %s", what, got)
				}
				resumable := ""
				if strings.HasPrefix(tc.do, "assemble") {
					resumable = assemblyPrefix // is to be gone on with
				}
				r.tidy(t, next, what, resumable)
				if !killed {
					if got := r.state(t, next); got != tc.new {
						t.Errorf("done without a kill: %s, want %s", got, tc.new)
					}
					if tc.also != nil {
						tc.also(t, next)
					}
					break
				}
				if got := r.state(t, next); got == tc.new && tc.also == nil {
					continue // a rollback, done again, would go back
				}
				if err := perform(t.Context(), next, r.keys, tc.do); err != nil {
					t.Errorf("%s, then done again: %v", what, err)
				}
				if got := r.state(t, next); got != tc.new {
					t.Errorf("%s, then done again: %s, want %s", what, got, tc.new)
				}
				r.tidy(t, next, what+", then done again")
				if tc.also != nil {
					tc.also(t, next)
				}
			}
			if len(steps) < 4 {
				t.Errorf("only the steps %q", steps)
			}
			t.Logf("steps: %q", steps)
		})
	}
}

// child does something in a process of its own, which kills itself before a step.
func (r *killRig) child(t *testing.T, s *Store, do string, at int) (step string, killed bool) {
	t.Helper()
	return doom(t, s, r.ring, do, at)
}

// doom runs doomed in a child, with more in its environment.
func doom(t *testing.T, s *Store, ring, do string, at int, env ...string) (step string, killed bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), envKillAt+"="+strconv.Itoa(at), envKillDo+"="+do, envStore+"="+s.dir, envKeys+"="+ring,
		"GORACE=atexit_sleep_ms=0")
	cmd.Env = append(cmd.Env, env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return "end", false
	case !errors.As(err, &exit) || exit.ExitCode() > 0 && len(out) == 0:
		t.Fatalf("%s: %v: %s", do, err, stderr.String())
	}
	return strings.TrimSpace(string(out)), true
}

// tidy checks that a store has versions, pointer and lock, and nothing else but
// what begins with one of also.
func (r *killRig) tidy(t *testing.T, s *Store, what string, also ...string) {
	t.Helper()
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		n := e.Name()
		if slices.ContainsFunc(also, func(p string) bool { return p != "" && strings.HasPrefix(n, p) }) {
			continue
		}
		if n != lockName && n != pointerName && spec.CheckVersion(n) != nil {
			t.Errorf("%s: %s is left", what, n)
		}
	}
}
