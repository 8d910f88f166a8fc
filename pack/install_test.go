package pack_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piwork/pack"
	"piwork/pack/packtest"
	"piwork/pack/spec"
)

func newStore(t testing.TB) *pack.Store {
	t.Helper()
	s, err := pack.OpenStore(filepath.Join(t.TempDir(), "runtime"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func install(t testing.TB, s *pack.Store, p *packtest.Pack) *pack.Installed {
	t.Helper()
	in, err := pack.Install(t.Context(), p.File, s, p.Keys, pack.InstallOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// listing is everything below dir: names, modes, sizes, content.
func listing(t testing.TB, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		b.WriteString(info.Mode().String() + " " + rel)
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			b.WriteString(" " + string(data))
		}
		b.WriteString("\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestInstall(t *testing.T) {
	p := packtest.New(t, packtest.Options{})
	s := newStore(t)
	var last, total int64
	in, err := pack.Install(t.Context(), p.File, s, p.Keys, pack.InstallOptions{Progress: func(done, all int64) {
		if done < last || done > all {
			t.Errorf("progress fell or ran over: %d after %d of %d", done, last, all)
		}
		last, total = done, all
	}})
	if err != nil {
		t.Fatal(err)
	}
	if total != p.Manifest.Bytes() || last != total {
		t.Errorf("progress ended at %d of %d, want %d", last, total, p.Manifest.Bytes())
	}
	if in.Dir != filepath.Join(s.Dir(), "1.0.0") || !in.Developer || in.SignedBy != p.Signer.Key.Name {
		t.Errorf("installed: %+v", in)
	}
	for name, want := range packtest.Files() {
		got, err := os.ReadFile(filepath.Join(in.Dir, name))
		if err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if err := in.Verify(t.Context(), pack.LevelFull); err != nil {
		t.Error(err)
	}
	if ptr, err := s.Pointer(); err != nil || ptr != (pack.Pointer{Current: "1.0.0"}) {
		t.Errorf("pointer %+v, %v", ptr, err)
	}
	qemu, err := in.Path(spec.RoleQEMU)
	if err != nil || qemu != filepath.Join(in.Dir, "qemu", "bin", "qemu-system-x86_64") {
		t.Errorf("%s, %v", qemu, err)
	}
	if info, err := os.Stat(qemu); err != nil || info.Mode()&0o100 == 0 {
		t.Errorf("the program cannot be run: %v, %v", info.Mode(), err)
	}
	for _, r := range []spec.Role{"nothing", spec.RoleQEMULib} {
		want := map[spec.Role]int{"nothing": 0, spec.RoleQEMULib: 1}[r]
		if got := len(in.Paths(r)); got != want {
			t.Errorf("%d files are %s, want %d", got, r, want)
		}
	}
	if _, err := in.Path("nothing"); !errors.Is(err, spec.ErrNoRole) {
		t.Errorf("path of a role without files: %v", err)
	}
	entries, err := os.ReadDir(s.Dir())
	if err != nil || len(entries) != 3 { // version, pointer, lock
		t.Errorf("left in the store: %v, %v", entries, err)
	}
}

func TestInstallAgainIsANoOp(t *testing.T) {
	p := packtest.New(t, packtest.Options{})
	s := newStore(t)
	in := install(t, s, p)
	before, err := os.Stat(in.Dir)
	if err != nil {
		t.Fatal(err)
	}
	want := listing(t, s.Dir())
	install(t, s, p)
	after, err := os.Stat(in.Dir)
	if err != nil || !os.SameFile(before, after) {
		t.Errorf("a sound version was replaced (%v)", err)
	}
	if got := listing(t, s.Dir()); got != want {
		t.Errorf("changed:\n%s\nwas:\n%s", got, want)
	}
}

func TestInstallRebuiltVersionReplacesIt(t *testing.T) {
	signer := packtest.NewSigner(t)
	s := newStore(t)
	install(t, s, packtest.New(t, packtest.Options{Signer: signer}))
	files := packtest.Files()
	files["guest/vmlinux"] = "another kernel"
	delete(files, "qemu/lib/libc.so.6")
	p := packtest.New(t, packtest.Options{Signer: signer, Files: files})
	in := install(t, s, p)
	if err := in.Verify(t.Context(), pack.LevelFull); err != nil {
		t.Error(err)
	}
	kernel, err := os.ReadFile(filepath.Join(in.Dir, "guest", "vmlinux"))
	if err != nil || string(kernel) != "another kernel" {
		t.Errorf("%q, %v", kernel, err)
	}
	if entries, err := os.ReadDir(s.Dir()); err != nil || len(entries) != 3 {
		t.Errorf("left in the store: %v, %v", entries, err)
	}
}

func TestInstallCancelled(t *testing.T) {
	p := packtest.New(t, packtest.Options{})
	s := newStore(t)
	before := listing(t, s.Dir())
	ctx, cancel := context.WithCancel(t.Context())
	_, err := pack.Install(ctx, p.File, s, p.Keys, pack.InstallOptions{Progress: func(int64, int64) { cancel() }})
	if !errors.Is(err, context.Canceled) || spec.KindOf(err) != "" {
		t.Errorf("got %v, want a cancellation", err)
	}
	if got := strings.ReplaceAll(listing(t, s.Dir()), "-rw------- lock \n", ""); got != before {
		t.Errorf("left behind:\n%s", got)
	}
}

func TestVersions(t *testing.T) {
	signer := packtest.NewSigner(t)
	s := newStore(t)
	var packs []*packtest.Pack
	for _, v := range []string{"1.9.0", "1.10.0-rc.1", "1.10.0"} {
		p := packtest.New(t, packtest.Options{Signer: signer, Version: v})
		packs = append(packs, p)
		install(t, s, p)
	}
	keys := packs[0].Keys
	check := func(what, current, previous string) {
		t.Helper()
		if p, err := s.Pointer(); err != nil || p.Current != current || p.Previous != previous {
			t.Errorf("%s: %+v, %v; want %s and %s", what, p, err, current, previous)
		}
	}
	check("three installs", "1.10.0", "1.10.0-rc.1")
	if in, err := s.Current(keys, spec.Policy{}); err != nil || in.Manifest.Version != "1.10.0" {
		t.Errorf("current: %v, %v", in, err)
	}
	list, err := s.List(keys, spec.Policy{})
	if err != nil || len(list) != 3 {
		t.Fatalf("%v, %v", list, err)
	}
	for i, v := range []string{"1.10.0", "1.10.0-rc.1", "1.9.0"} {
		if e := list[i]; e.Version != v || e.Err != nil || e.Pack == nil || e.Current != (i == 0) || e.Previous != (i == 1) {
			t.Errorf("entry %d: %+v", i, e)
		}
	}
	if v, err := s.Rollback(t.Context()); err != nil || v != "1.10.0-rc.1" {
		t.Errorf("%s, %v", v, err)
	}
	check("rollback", "1.10.0-rc.1", "1.10.0")
	if err := s.Promote(t.Context(), "1.9.0"); err != nil {
		t.Error(err)
	}
	check("promote", "1.9.0", "1.10.0-rc.1")
	if err := s.Promote(t.Context(), "2.0.0"); !errors.Is(err, spec.ErrNotInstalled) {
		t.Errorf("promoted what is not there: %v", err)
	}
	if err := s.Remove(t.Context(), "1.9.0"); !errors.Is(err, spec.ErrCurrent) {
		t.Errorf("removed the current version: %v", err)
	}
	if err := s.Remove(t.Context(), "1.10.0-rc.1"); err != nil {
		t.Error(err)
	}
	check("remove", "1.9.0", "")
	if _, err := s.Open("1.10.0-rc.1", keys, spec.Policy{}); !errors.Is(err, spec.ErrNotInstalled) {
		t.Errorf("still there: %v", err)
	}
	if _, err := s.Rollback(t.Context()); !errors.Is(err, spec.ErrNotInstalled) {
		t.Errorf("rolled back to nothing: %v", err)
	}
	for _, v := range []string{"..", "../x", "", "1.0", "lock"} {
		if _, err := s.Open(v, keys, spec.Policy{}); err == nil {
			t.Errorf("opened version %q", v)
		}
		if err := s.Remove(t.Context(), v); err == nil {
			t.Errorf("removed version %q", v)
		}
	}
}

func TestKeepCurrent(t *testing.T) {
	signer := packtest.NewSigner(t)
	s := newStore(t)
	for _, v := range []string{"1.0.0", "1.1.0"} {
		p := packtest.New(t, packtest.Options{Signer: signer, Version: v})
		if _, err := pack.Install(t.Context(), p.File, s, p.Keys, pack.InstallOptions{KeepCurrent: true}); err != nil {
			t.Fatal(err)
		}
		// Nothing may promote a version that was never booted.
		if err := s.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if p, err := s.Pointer(); err != nil || p.Current != "" || p.Previous != "" {
			t.Errorf("pointer %+v, %v", p, err)
		}
	}
	if err := s.Promote(t.Context(), "1.1.0"); err != nil {
		t.Fatal(err)
	}
	if p, err := s.Pointer(); err != nil || p != (pack.Pointer{Current: "1.1.0"}) {
		t.Errorf("pointer %+v, %v", p, err)
	}
}
