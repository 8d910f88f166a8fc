package image

import (
	"context"
	"errors"
	"fmt"
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

func testPackages(t *testing.T, a *fakeArchive) (*packages, func() string) {
	t.Helper()
	var log strings.Builder
	p := &packages{
		src: t.TempDir(), log: func(f string, v ...any) { fmt.Fprintf(&log, f+"\n", v...) },
		open: func(string) (archive, error) { return a, nil }, archives: map[string]archive{}, fresh: map[string]bool{},
	}
	return p, func() string { s := log.String(); log.Reset(); return s }
}

func TestLockChangesAloud(t *testing.T) {
	a := &fakeArchive{versions: map[string]string{"aa": "1", "bb": "1"}}
	p, log := testPackages(t, a)
	s := set{name: "guest", arch: "amd64", want: []string{"aa", "bb"}}
	file := s.file(p.src)

	// There is none yet: it is made, and said.
	if _, err := p.lock(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if said := log(); !strings.Contains(said, "LOCK FILE guest-amd64.json: CHANGED") {
		t.Errorf("said %q", said)
	}
	first, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}

	// It is used as it is, though the mirror has something newer.
	a.versions["aa"] = "2"
	l, err := p.lock(t.Context(), s)
	if err != nil || l.Packages[0].Version != "1" || log() != "" || a.updates != 1 {
		t.Errorf("%+v %v", l, err)
	}

	// The locked version has left the mirror: resolved again, by name.
	now, err := p.fetch(t.Context(), s, l)
	if err != nil || now == l || now.Packages[0].Version != "2" || now.Packages[1].Version != "1" {
		t.Fatalf("%+v %v", now, err)
	}
	said := log()
	for _, part := range []string{"no longer on the mirror: aa 1", "aa: 1 → 2", "CHANGED, 1 packages differ"} {
		if !strings.Contains(said, part) {
			t.Errorf("no %q in %q", part, said)
		}
	}
	if second, err := os.ReadFile(file); err != nil || string(second) == string(first) {
		t.Errorf("the lock file did not change (%v)", err)
	}

	// Now everything is there: the same lock, nothing said but the download.
	if again, err := p.fetch(t.Context(), s, now); err != nil || again != now || strings.Contains(log(), "LOCK") {
		t.Errorf("%v", err)
	}

	// The recipe asks for something else.
	s.want = []string{"aa"}
	if l, err = p.lock(t.Context(), s); err != nil || len(l.Packages) != 1 {
		t.Errorf("%+v %v", l, err)
	}
	if said := log(); !strings.Contains(said, "recipe") || !strings.Contains(said, "bb: 1 is no longer needed") {
		t.Errorf("said %q", said)
	}

	// Asked again without a change, the file stays as it is.
	before, _ := os.Stat(file)
	if _, err := p.resolve(t.Context(), s, l, "that was asked for"); err != nil {
		t.Fatal(err)
	}
	after, _ := os.Stat(file)
	if !os.SameFile(before, after) || !strings.Contains(log(), "nothing changed") {
		t.Error("the lock file was written without a change")
	}
}

func TestUnreachableMirrorChangesNoLock(t *testing.T) {
	a := &fakeArchive{versions: map[string]string{"aa": "1"}}
	p, log := testPackages(t, a)
	s := set{name: "guest", arch: "amd64", want: []string{"aa"}}
	l, err := p.lock(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	log()
	before, err := os.ReadFile(s.file(p.src))
	if err != nil {
		t.Fatal(err)
	}
	a.broken = errors.New("no route to host")
	a.versions["aa"] = "2"
	if _, err := p.fetch(t.Context(), s, l); !errors.Is(err, a.broken) {
		t.Errorf("error %v", err)
	}
	after, err := os.ReadFile(s.file(p.src))
	if err != nil || string(after) != string(before) || strings.Contains(log(), "LOCK") {
		t.Errorf("the lock changed (%v)", err)
	}
}

func TestDamagedLockIsNotReplaced(t *testing.T) {
	p, _ := testPackages(t, &fakeArchive{versions: map[string]string{"aa": "1"}})
	s := set{name: "guest", arch: "amd64", want: []string{"aa"}}
	if err := os.MkdirAll(filepath.Dir(s.file(p.src)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.file(p.src), []byte("<<<<<<< merge"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := p.lock(t.Context(), s); err == nil {
		t.Error("accepted")
	}
}
