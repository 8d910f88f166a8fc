package pack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/pack/spec"
	"piwork/pack/trust"
)

// lifeRig makes stores with three versions.
type lifeRig struct {
	*killRig
	third string // archive of 1.2.0
}

func newLifeRig(t *testing.T) *lifeRig {
	t.Helper()
	r := &lifeRig{killRig: newKillRig(t)}
	a := r.plain()
	a.m.Version = "1.2.0"
	r.third = filepath.Join(t.TempDir(), "third")
	if err := os.WriteFile(r.third, r.archive(a), 0o600); err != nil {
		t.Fatal(err)
	}
	return r
}

// life is where a store stands: the pointer in short and the versions there are.
func (r *lifeRig) life(t *testing.T, s *Store) string {
	t.Helper()
	p, err := s.Pointer()
	if err != nil {
		return "pointer: " + err.Error()
	}
	list, err := s.List(r.keys, spec.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	short := func(v string) string {
		if v == "" {
			return "-"
		}
		return strings.TrimSuffix(v, ".0")
	}
	out := fmt.Sprintf("%s<%s?%s |", short(p.Current), short(p.Previous), short(p.Candidate))
	for _, e := range list {
		out += " " + short(e.Version)
		if e.Failed != "" {
			out += "!" + string(e.Failed)
		}
		if e.Err != nil || e.Pack.Verify(t.Context(), LevelFull) != nil {
			out += "(damaged)"
		}
	}
	return out
}

// lead does several changes: "install 1.0", "hold 1.1", "fail 1.1 boot"…
func (r *lifeRig) lead(ctx context.Context, s *Store, keys *trust.KeyRing, what ...string) error {
	for _, w := range what {
		if err := performLife(ctx, s, keys, w, r.old, r.new, r.third); err != nil {
			return fmt.Errorf("%s: %w", w, err)
		}
	}
	return nil
}

// performLife does one change of a store. The archives are of 1.0.0, 1.1.0 and
// 1.2.0.
func performLife(ctx context.Context, s *Store, keys *trust.KeyRing, what string, archives ...string) error {
	f := append(strings.Fields(what), "", "", "")
	version, archive := "", ""
	if f[1] != "" {
		version = f[1] + ".0"
		archive = archives[slices.Index([]string{"1.0", "1.1", "1.2"}, f[1])]
	}
	var err error
	switch f[0] {
	case "install":
		_, err = Install(ctx, archive, s, keys, InstallOptions{})
	case "hold":
		_, err = Install(ctx, archive, s, keys, InstallOptions{KeepCurrent: true})
	case "propose":
		err = s.Propose(ctx, version)
	case "promote":
		err = s.Promote(ctx, version)
	case "choose":
		err = s.Choose(ctx, version)
	case "fail":
		_, err = s.Fail(ctx, version, Why(f[2]))
	case "rollback":
		_, err = s.Rollback(ctx)
	case "remove":
		err = s.Remove(ctx, version)
	case "collect":
		_, err = s.Collect(ctx)
	case "sweep":
		err = s.Sweep(ctx)
	default:
		err = fmt.Errorf("do what? %q", what)
	}
	return err
}

// TestLifeCycle follows versions through their lives.
func TestLifeCycle(t *testing.T) {
	r := newLifeRig(t)
	for _, tc := range []struct {
		name string
		do   string // changes, separated by commas
		want string
		err  error // of the last
	}{
		{"first one waits", "hold 1.0,propose 1.0", "-<-?1.0 | 1.0", nil},
		{"first one works", "hold 1.0,propose 1.0,promote 1.0", "1.0<-?- | 1.0", nil},
		{"update waits", "install 1.0,hold 1.1,propose 1.1", "1.0<-?1.1 | 1.1 1.0", nil},
		{"a program ended before it proposed", "install 1.0,hold 1.1,sweep", "1.0<-?1.1 | 1.1 1.0", nil},
		{"a program ended before it proposed an older one", "install 1.1,hold 1.0,sweep", "1.1<-?- | 1.1 1.0", nil},
		{"update works", "install 1.0,hold 1.1,promote 1.1", "1.1<1.0?- | 1.1 1.0", nil},
		{"update does not boot", "install 1.0,hold 1.1,propose 1.1,fail 1.1 boot", "1.0<-?- | 1.1!boot 1.0", nil},
		{"and is not proposed again", "install 1.0,hold 1.1,propose 1.1,fail 1.1 boot,sweep,sweep", "1.0<-?- | 1.1!boot 1.0", nil},
		{"unless somebody asks", "install 1.0,hold 1.1,fail 1.1 boot,propose 1.1", "1.0<-?1.1 | 1.1 1.0", nil},
		{"or installs it", "install 1.0,hold 1.1,fail 1.1 boot,install 1.1", "1.1<1.0?- | 1.1 1.0", nil},
		{"an update later is sick", "install 1.0,install 1.1,fail 1.1 unhealthy", "1.0<-?- | 1.1!unhealthy 1.0", nil},
		{"nothing better than a sick one", "install 1.0,fail 1.0 unhealthy", "1.0<-?- | 1.0!unhealthy", nil},
		{"the one before is sick too", "install 1.0,install 1.1,fail 1.0 unhealthy,fail 1.1 unhealthy", "1.1<-?- | 1.1!unhealthy 1.0!unhealthy", nil},
		{"a sick one with a candidate", "install 1.0,hold 1.1,propose 1.1,fail 1.0 unhealthy", "1.1<-?- | 1.1 1.0!unhealthy", nil},
		{"a sick one after a rollback", "install 1.0,install 1.1,rollback,fail 1.0 unhealthy", "1.1<-?- | 1.1 1.0!unhealthy", nil},
		{"and a candidate that never booted is not chosen for it", "install 1.0,install 1.1,rollback,hold 1.2,propose 1.2,fail 1.0 unhealthy", "1.1<-?1.2 | 1.2 1.1 1.0!unhealthy", nil},
		{"rollback", "install 1.0,install 1.1,rollback", "1.0<1.1?- | 1.1!rolled-back 1.0", nil},
		{"rollback is not undone by tidying", "install 1.0,install 1.1,rollback,sweep", "1.0<1.1?- | 1.1!rolled-back 1.0", nil},
		{"rollback and back", "install 1.0,install 1.1,rollback,rollback", "1.1<1.0?- | 1.1 1.0!rolled-back", nil},
		{"rollback to nothing", "install 1.0,rollback", "1.0<-?- | 1.0", spec.ErrNotInstalled},
		{"rollback after a failure", "install 1.0,install 1.1,fail 1.1 unhealthy,rollback", "1.0<-?- | 1.1!unhealthy 1.0", spec.ErrNotInstalled},
		{"rollback keeps the candidate", "install 1.0,install 1.1,hold 1.2,propose 1.2,rollback", "1.0<1.1?1.2 | 1.2 1.1!rolled-back 1.0", nil},
		{"the one before lives one cycle", "install 1.0,install 1.1,install 1.2,collect", "1.2<1.1?- | 1.2 1.1", nil},
		{"and no shorter", "install 1.0,install 1.1,hold 1.2,propose 1.2,collect", "1.1<1.0?1.2 | 1.2 1.1 1.0", nil},
		{"a failed one is removed, and remembered", "install 1.0,hold 1.1,fail 1.1 boot,collect,hold 1.1,sweep", "1.0<-?- | 1.1!boot 1.0", nil},
		{"without a current one nothing is unused", "hold 1.0,fail 1.0 boot,collect", "-<-?- | 1.0!boot", nil},
		{"a person chose older ones", "install 1.2,install 1.1,install 1.0,sweep", "1.0<1.1?- | 1.2!replaced 1.1 1.0", nil},
		{"and an update does not undo it", "install 1.0,install 1.1,choose 1.0,sweep", "1.0<1.1?- | 1.1!replaced 1.0", nil},
		{"nor is it undone when it fails later", "install 1.0,install 1.1,choose 1.0,fail 1.0 unhealthy", "1.1<-?- | 1.1 1.0!unhealthy", nil},
		{"a newer one replaces nothing", "install 1.0,hold 1.1,choose 1.1", "1.1<1.0?- | 1.1 1.0", nil},
		{"the same one replaces nothing", "install 1.0,install 1.1,choose 1.1", "1.1<1.0?- | 1.1 1.0", nil},
		{"repair is no promotion", "install 1.0,install 1.1,install 1.1", "1.1<1.0?- | 1.1 1.0", nil},
		{"an older candidate is overtaken", "install 1.0,hold 1.1,propose 1.1,install 1.2,collect", "1.2<1.0?- | 1.2 1.0", nil},
		{"the current one stays", "install 1.0,remove 1.0", "1.0<-?- | 1.0", spec.ErrCurrent},
		{"the current one is no candidate", "install 1.0,propose 1.0", "1.0<-?- | 1.0", nil},
		{"a candidate is removed", "install 1.0,hold 1.1,propose 1.1,remove 1.1", "1.0<-?- | 1.0", nil},
		{"what is not there is not proposed", "install 1.0,propose 1.1", "1.0<-?- | 1.0", spec.ErrNotInstalled},
		{"nor does it fail", "install 1.0,fail 1.1 boot", "1.0<-?- | 1.0", spec.ErrNotInstalled},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := r.store(t)
			all := strings.Split(tc.do, ",")
			if err := r.lead(t.Context(), s, r.keys, all[:len(all)-1]...); err != nil {
				t.Fatal(err)
			}
			err := r.lead(t.Context(), s, r.keys, all[len(all)-1])
			if !errors.Is(err, tc.err) || tc.err == nil && err != nil {
				t.Errorf("%v, want %v", err, tc.err)
			}
			if got := r.life(t, s); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
			r.tidy(t, s, tc.name)
		})
	}
}

// TestFailureIsOfAManifest: the same version, built anew, is another pack.
func TestFailureIsOfAManifest(t *testing.T) {
	r := newLifeRig(t)
	s := r.store(t)
	if err := r.lead(t.Context(), s, r.keys, "install 1.0", "hold 1.1", "fail 1.1 boot", "remove 1.1"); err != nil {
		t.Fatal(err)
	}
	a := r.plain()
	a.m.Version = "1.1.0"
	a.add("zz", "mended")
	file := filepath.Join(t.TempDir(), "mended")
	if err := os.WriteFile(file, r.archive(a), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := Install(t.Context(), file, s, r.keys, InstallOptions{KeepCurrent: true})
	if err != nil {
		t.Fatal(err)
	}
	if why, err := s.Refused(in.ManifestSHA256); why != "" || err != nil {
		t.Errorf("refused: %q, %v", why, err)
	}
	if err := s.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := r.life(t, s); got != "1.0<-?1.1 | 1.1 1.0" {
		t.Error(got)
	}
}

// TestPointerFile reads what earlier programs wrote, and what nobody should have.
func TestPointerFile(t *testing.T) {
	r := newLifeRig(t)
	sum := strings.Repeat("ab", 32)
	many := `{"current":"1.0.0","failed":[` + strings.TrimSuffix(strings.Repeat(`{"version":"9.0.0","manifest":"`+sum+`","why":"boot"},`, 40), ",") + `]}`
	for _, tc := range []struct{ file, want string }{
		{`{"current":"1.0.0","previous":"1.1.0"}`, "1.0<1.1?- | 1.1 1.0"}, // of the first release
		{`{"current":"1.0.0"}`, "1.0<-?1.1 | 1.1 1.0"},
		{`{"current":"1.0.0","candidate":"7.0.0"}`, "1.0<-?1.1 | 1.1 1.0"},
		{`{"current":"1.0.0","candidate":"../x"}`, "1.1<-?- | 1.1 1.0"},
		{`{"current":"1.0.0","previous":"1.1.0","failed":[{"version":"../x","manifest":"y","why":"boot"}]}`, "1.0<1.1?- | 1.1 1.0"},
		{`{"current":"1.0.0","failed":7}`, "1.1<-?- | 1.1 1.0"},
		{`{"current":"1.0.0","previous":"1.1.0","later":{"x":1}}`, "1.0<1.1?- | 1.1 1.0"},
		{many, "1.0<-?1.1 | 1.1 1.0"},
	} {
		s := r.store(t)
		if err := r.lead(t.Context(), s, r.keys, "install 1.0", "install 1.1"); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(s.dir, pointerName), []byte(tc.file), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := s.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := r.life(t, s); got != tc.want {
			t.Errorf("%.80s: got %s, want %s", tc.file, got, tc.want)
		}
		// However many failed, the file stays one that can be read.
		for i := range 2 * maxFailures {
			root, err := os.OpenRoot(s.dir)
			if err != nil {
				t.Fatal(err)
			}
			_, err = s.edit(root, func(p life) life {
				return p.refuse(Failure{Version: fmt.Sprintf("%d.0.0-%s", i, strings.Repeat("a", spec.MaxVersion-12)), Manifest: sum, Why: WhyRolledBack})
			})
			if err := errors.Join(err, root.Close()); err != nil {
				t.Fatal(err)
			}
		}
		if why, err := s.Refused(sum); err != nil || why != WhyRolledBack {
			t.Errorf("after many failures: %q, %v", why, err)
		}
	}
}

// TestUndeletableLeftovers: what cannot be deleted now is deleted another time, and
// never hinders a change, nor comes back.
func TestUndeletableLeftovers(t *testing.T) {
	r := newLifeRig(t)
	s := r.store(t)
	if err := r.lead(t.Context(), s, r.keys, "install 1.0", "install 1.1"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{stagingPrefix + "old", tempPrefix + "old", asidePrefix + "0123456789abcdef-1.1.0"} {
		if err := os.Mkdir(filepath.Join(s.dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	erase := s.erase
	s.erase = func(*os.Root, string) error { return errors.New("somebody has it open") }
	if err := r.lead(t.Context(), s, r.keys, "sweep", "rollback", "hold 1.2", "propose 1.2", "promote 1.2"); err != nil {
		t.Fatal(err)
	}
	// One that is replaced stays in part, too.
	if err := os.Remove(filepath.Join(s.dir, "1.1.0", "manifest.json")); err != nil {
		t.Fatal(err)
	}
	if err := r.lead(t.Context(), s, r.keys, "hold 1.1"); err != nil {
		t.Fatal(err)
	}
	if got := r.life(t, s); got != "1.2<1.0?- | 1.2 1.1!rolled-back 1.0" {
		t.Error(got)
	}
	if err := s.Remove(t.Context(), "1.1.0"); err == nil {
		t.Error("removed, and it takes space as before")
	}
	if err := r.lead(t.Context(), s, r.keys, "sweep"); err != nil {
		t.Fatal(err)
	}
	if got := r.life(t, s); got != "1.2<1.0?- | 1.2 1.0" {
		t.Error(got)
	}
	s.erase = erase
	if err := r.lead(t.Context(), s, r.keys, "sweep"); err != nil {
		t.Fatal(err)
	}
	r.tidy(t, s, "afterwards")
}

// TestPatient: a change waits for another one when told to, and no longer than
// its context.
func TestPatient(t *testing.T) {
	r := newLifeRig(t)
	s := r.store(t)
	if err := r.lead(t.Context(), s, r.keys, "install 1.0", "install 1.1"); err != nil {
		t.Fatal(err)
	}
	unlock, err := s.lock(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Promote(t.Context(), "1.0.0"); !errors.Is(err, spec.ErrBusy) {
		t.Errorf("impatient: %v", err)
	}
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := s.Patient().Promote(short, "1.0.0"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("patient, and nobody lets go: %v", err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Patient().Promote(t.Context(), "1.0.0") }()
	unlock()
	if err := <-done; err != nil {
		t.Errorf("patient: %v", err)
	}
}

// TestKillAtEveryStepOfALife kills the program before each step of each operation
// on versions that are installed: the next start has the state before or the one
// after, possibly with a pointer that already lets go of what is being removed.
func TestKillAtEveryStepOfALife(t *testing.T) {
	r := newLifeRig(t)
	for _, tc := range []struct {
		before, do, old, new string
		between              []string // allowed besides
	}{
		{before: "install 1.0,hold 1.1", do: "propose 1.1", old: "1.0<-?1.1 | 1.1 1.0", new: "1.0<-?1.1 | 1.1 1.0"},
		{before: "install 1.1,hold 1.0", do: "propose 1.0", old: "1.1<-?- | 1.1 1.0", new: "1.1<-?1.0 | 1.1 1.0"},
		{before: "install 1.0,hold 1.1,propose 1.1", do: "promote 1.1", old: "1.0<-?1.1 | 1.1 1.0", new: "1.1<1.0?- | 1.1 1.0"},
		{before: "install 1.0,install 1.1", do: "choose 1.0", old: "1.1<1.0?- | 1.1 1.0", new: "1.0<1.1?- | 1.1!replaced 1.0"},
		{before: "install 1.0,hold 1.1,propose 1.1", do: "fail 1.1 boot", old: "1.0<-?1.1 | 1.1 1.0", new: "1.0<-?- | 1.1!boot 1.0"},
		{before: "install 1.0,install 1.1", do: "fail 1.1 unhealthy", old: "1.1<1.0?- | 1.1 1.0", new: "1.0<-?- | 1.1!unhealthy 1.0"},
		{before: "install 1.0,install 1.1,hold 1.2,propose 1.2", do: "rollback", old: "1.1<1.0?1.2 | 1.2 1.1 1.0", new: "1.0<1.1?1.2 | 1.2 1.1!rolled-back 1.0"},
		{
			before: "install 1.0,install 1.1,install 1.2", do: "collect",
			old: "1.2<1.1?- | 1.2 1.1 1.0", new: "1.2<1.1?- | 1.2 1.1",
		},
		{
			before: "install 1.0,hold 1.1,hold 1.2,fail 1.1 boot,fail 1.2 boot", do: "collect",
			old: "1.0<-?- | 1.2!boot 1.1!boot 1.0", new: "1.0<-?- | 1.0", between: []string{"1.0<-?- | 1.1!boot 1.0"},
		},
		{
			before: "install 1.0,hold 1.1,propose 1.1", do: "remove 1.1",
			// A candidate that nothing points at any more is the candidate again.
			old: "1.0<-?1.1 | 1.1 1.0", new: "1.0<-?- | 1.0",
		},
	} {
		t.Run(tc.do+" after "+tc.before, func(t *testing.T) {
			t.Parallel()
			var steps []string
			files := envLifeFiles + "=" + strings.Join([]string{r.old, r.new, r.third}, string(filepath.ListSeparator))
			before := r.store(t)
			if err := r.lead(t.Context(), before, r.keys, strings.Split(tc.before, ",")...); err != nil {
				t.Fatal(err)
			}
			for at := 1; at < 100; at++ {
				s := r.store(t)
				if err := os.CopyFS(s.dir, os.DirFS(before.dir)); err != nil {
					t.Fatal(err)
				}
				step, killed := doom(t, s, r.ring, "life "+tc.do, at, files)
				steps = append(steps, step)
				next, err := OpenStore(s.dir)
				if err != nil {
					t.Fatal(err)
				}
				what := fmt.Sprintf("killed before step %d (%s)", at, step)
				if err := next.Sweep(t.Context()); err != nil {
					t.Errorf("%s: sweep: %v", what, err)
				}
				got := r.life(t, next)
				if got != tc.new && (!killed || got != tc.old && !slices.Contains(tc.between, got)) {
					t.Errorf("%s: %s", what, got)
				}
				r.tidy(t, next, what)
				if !killed {
					break
				}
				if got == tc.new {
					continue
				}
				if err := r.lead(t.Context(), next, r.keys, tc.do); err != nil {
					t.Errorf("%s, then done again: %v", what, err)
				}
				if got := r.life(t, next); got != tc.new {
					t.Errorf("%s, then done again: %s, want %s", what, got, tc.new)
				}
				r.tidy(t, next, what+", then done again")
			}
			if len(steps) < 4 || steps[len(steps)-1] != "end" {
				t.Errorf("steps %q", steps)
			}
		})
	}
}
