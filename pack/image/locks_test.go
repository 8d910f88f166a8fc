package image

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piwork/pack/image/debian"
)

// fakeArchive has packages in one version each.
type fakeArchive struct {
	versions  map[string]string
	updates   int
	installed string // what was said to be there
	broken    error
	snapshots map[string]string // of packages that an archive of snapshots has
	asked     []string          // for what it was asked: address, time and packages
}

func fakePackage(name, version string) debian.Package {
	return debian.Package{
		Name: name, Version: version, Architecture: "amd64", Archive: debian.ArchiveMain, Path: "pool/main/x/" + name + ".deb",
		Size: 1, SHA256: strings.Repeat("0", 64), Source: name, SourceVersion: version,
	}
}

func (a *fakeArchive) Update(context.Context) error { a.updates++; return a.broken }

func (a *fakeArchive) Time() (time.Time, error) { return time.Unix(1700000000, 0).UTC(), nil }

func (a *fakeArchive) Resolve(_ context.Context, want []string) ([]debian.Package, error) {
	var all []debian.Package
	for _, w := range want {
		all = append(all, fakePackage(w, a.versions[w]))
	}
	return all, nil
}

func (a *fakeArchive) ResolveSources(_ context.Context, want []string) ([]debian.Source, error) {
	var all []debian.Source
	for _, name := range want {
		all = append(all, debian.Source{Name: name, Version: a.versions[name]})
	}
	return all, nil
}

func (a *fakeArchive) ResolveOver(ctx context.Context, want, _ []string, installed string) ([]debian.Package, error) {
	a.installed = installed
	return a.Resolve(ctx, want)
}

func (a *fakeArchive) Fetch(_ context.Context, want []debian.Package, progress func(int, int64)) error {
	if a.broken != nil {
		return a.broken
	}
	progress(len(want), 1)
	gone := &debian.GoneError{}
	for _, p := range want {
		if a.versions[p.Name] != p.Version {
			gone.Packages = append(gone.Packages, p)
		}
	}
	if len(gone.Packages) > 0 {
		return gone
	}
	return nil
}

func (a *fakeArchive) FetchSnapshot(_ context.Context, from debian.Snapshots, at time.Time, want []debian.Package, _ func(int, int64)) error {
	gone := &debian.GoneError{}
	for _, p := range want {
		a.asked = append(a.asked, fmt.Sprint(from, " ", at.Unix(), " ", p.Name))
		if a.snapshots[p.Name] != p.Version {
			gone.Packages = append(gone.Packages, p)
		}
	}
	if len(gone.Packages) > 0 {
		return gone
	}
	return nil
}

func testPackages(t *testing.T, a *fakeArchive) (*packages, func() string) {
	t.Helper()
	var log strings.Builder
	p := &packages{
		src: t.TempDir(), log: func(f string, v ...any) { fmt.Fprintf(&log, f+"\n", v...) },
		open: func(string) (archive, error) { return a, nil }, archives: map[string]archive{}, fresh: map[string]bool{},
	}
	return p, func() string { s := log.String(); log.Reset(); return s }
}

// locked resolves a set and returns its lock.
func locked(t *testing.T, p *packages, s set) *debian.Lock {
	t.Helper()
	l, err := p.resolve(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// lockBytes are the lock files of a checkout, by name.
func lockBytes(t *testing.T, sourceDir string) map[string]string {
	t.Helper()
	dir := filepath.Join(sourceDir, "pack", "image", "lock")
	list, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range list {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(text)
	}
	return all
}

// TestBuildWritesNoLock: whatever does not fit, an ordinary build leaves every lock
// file as it was, and says which set, why, and what to do.
func TestBuildWritesNoLock(t *testing.T) {
	asked := set{name: "kernel-aarch64", arch: "amd64", want: []string{"aa", "bb"}}
	base := &debian.Lock{Set: "guest", Packages: []debian.Package{fakePackage("cc", "1")}}
	over := set{name: "addon-media", arch: "arm64", want: []string{"aa"}, over: base}
	broken := errors.New("no route to host")
	for name, tt := range map[string]struct {
		set       set
		before    func(t *testing.T, p *packages, a *fakeArchive)
		now       set // that the recipe asks for
		snapshots bool
		says      []string // "" in all of the error; no strings: the build goes on
		is        error
		log       string
	}{
		"as locked": {set: asked, now: asked},
		"newer on the mirror": {
			set: asked, now: asked, before: func(_ *testing.T, _ *packages, a *fakeArchive) { a.versions["zz"] = "2" },
		},
		"missing": {
			set: asked, now: asked, before: func(t *testing.T, p *packages, _ *fakeArchive) {
				if err := os.Remove(asked.file(p.src)); err != nil {
					t.Fatal(err)
				}
			},
			says: []string{"set kernel-aarch64:", "kernel-aarch64-amd64.json is missing", "./scripts/pack --lock=kernel"},
		},
		"another question": {
			set: asked, now: set{name: asked.name, arch: asked.arch, want: []string{"aa"}},
			says: []string{"set kernel-aarch64:", "other packages than the recipe asks for", "./scripts/pack --lock=kernel"},
		},
		"over another base": {
			set: over, now: set{name: over.name, arch: over.arch, want: over.want, over: &debian.Lock{Set: "guest"}},
			says: []string{"set addon-media:", "another version of the guest", "./scripts/pack --lock=addon --arch arm64"},
		},
		"damaged": {
			set: asked, now: asked, before: func(t *testing.T, p *packages, _ *fakeArchive) {
				if err := os.WriteFile(asked.file(p.src), []byte("<<<<<<< merge"), 0o644); err != nil {
					t.Fatal(err)
				}
			},
			says: []string{"set kernel-aarch64:", "kernel-aarch64-amd64.json", "./scripts/pack --lock=kernel"},
		},
		"gone from the mirror": {
			set: asked, now: asked, before: func(_ *testing.T, _ *packages, a *fakeArchive) { a.versions["bb"] = "2" },
			says: []string{"set kernel-aarch64:", "bb 1 (pool/main/x/bb.deb)", "the build stopped", "PIWORK_DEBIAN_SNAPSHOT", "./scripts/pack --lock=kernel"},
		},
		"gone, and in the archive of snapshots": {
			set: asked, now: asked, before: func(_ *testing.T, _ *packages, a *fakeArchive) {
				a.versions["bb"], a.snapshots = "2", map[string]string{"bb": "1"}
			},
			snapshots: true, log: "bb 1 (pool/main/x/bb.deb). Getting these from the archive of snapshots",
		},
		"gone, and in no archive": {
			set: asked, now: asked, before: func(_ *testing.T, _ *packages, a *fakeArchive) { a.versions["bb"] = "2" },
			snapshots: true, says: []string{"set kernel-aarch64:", "bb 1", "archive of snapshots", "./scripts/pack --lock=kernel"},
		},
		"mirror not reached": {
			set: asked, now: asked, before: func(_ *testing.T, _ *packages, a *fakeArchive) { a.broken, a.versions["bb"] = broken, "2" },
			snapshots: true, is: broken,
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := &fakeArchive{versions: map[string]string{"aa": "1", "bb": "1"}}
			p, log := testPackages(t, a)
			p.installed = func(context.Context, *debian.Lock) (string, error) { return "", nil }
			locked(t, p, tt.set)
			if tt.before != nil {
				tt.before(t, p, a)
			}
			if tt.snapshots {
				p.snapshots = "http://snapshots.example"
			}
			before, updates := lockBytes(t, p.src), a.updates
			log()
			l, err := p.lock(tt.now)
			if err == nil {
				err = p.fetch(t.Context(), l)
			}
			if (err != nil) != (len(tt.says) > 0 || tt.is != nil) || tt.is != nil && !errors.Is(err, tt.is) {
				t.Fatalf("error %v", err)
			}
			for _, part := range tt.says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("no %q in %v", part, err)
				}
			}
			if after := lockBytes(t, p.src); !maps.Equal(before, after) {
				t.Errorf("the lock files were %q, are %q", before, after)
			}
			said := log()
			if strings.Contains(said, "LOCK") || !strings.Contains(said, tt.log) || a.updates != updates {
				t.Errorf("said %q, asked %d times for lists", said, a.updates-updates)
			}
			if tt.snapshots && tt.is == nil && (len(a.asked) != 1 || a.asked[0] != "http://snapshots.example 1700000000 bb") {
				t.Errorf("asked %q", a.asked)
			}
		})
	}
}

// TestResolveSaysWhatChanged: the lock file is written when something changed, and
// only then.
func TestResolveSaysWhatChanged(t *testing.T) {
	a := &fakeArchive{versions: map[string]string{"aa": "1", "bb": "1"}}
	p, log := testPackages(t, a)
	s := set{name: "guest", arch: "amd64", want: []string{"aa", "bb"}}
	l := locked(t, p, s)
	if said := log(); !strings.Contains(said, "LOCK FILE guest-amd64.json: CHANGED") {
		t.Errorf("said %q", said)
	}
	before, err := os.Stat(s.file(p.src))
	if err != nil {
		t.Fatal(err)
	}
	if same, err := p.resolve(t.Context(), s, l); err != nil || same != l || !strings.Contains(log(), "unchanged") {
		t.Errorf("%+v %v", same, err)
	}
	if after, err := os.Stat(s.file(p.src)); err != nil || !os.SameFile(before, after) {
		t.Errorf("the lock file was written without a change (%v)", err)
	}
	a.versions["aa"], s.want = "2", []string{"aa"}
	now, err := p.resolve(t.Context(), s, l)
	if err != nil || len(now.Packages) != 1 || now.Packages[0].Version != "2" {
		t.Fatalf("%+v %v", now, err)
	}
	said := log()
	for _, part := range []string{"aa: 1 → 2", "bb: 1 is no longer needed", "CHANGED, 2 packages differ"} {
		if !strings.Contains(said, part) {
			t.Errorf("no %q in %q", part, said)
		}
	}
	if read, err := p.lock(s); err != nil || read.Packages[0].Version != "2" || a.updates != 1 {
		t.Errorf("%+v %v, %d updates", read, err, a.updates)
	}
}
