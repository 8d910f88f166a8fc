package image

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/pack/image/debian"
	"piwork/pack/image/qemu"
	"piwork/pack/image/qemu/forgery"
	"piwork/pack/spec"
)

// TestEmulatorFromDirectory: QEMU for macOS becomes a part as it is, with what
// it was built from.
func TestEmulatorFromDirectory(t *testing.T) {
	dir := t.TempDir()
	forgery.New(qemu.Target{OS: "darwin", Arch: "amd64", Guest: "x86_64"}).Write(t, dir)
	o := Options{HostOS: "darwin", HostArch: "amd64", SourceDir: "../..", CacheDir: t.TempDir(), QEMUDir: dir}
	b, err := newBuilder(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(b.CacheDir, "parts"), 0o755); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(b.sets, func(s set) bool { return s.name == qemuSet(b.qemu) })
	l, err := b.packages.lock(b.sets[i])
	if err != nil || len(l.Sources) != 1 || l.Sources[0].Name != "qemu" || len(l.Packages) != 0 {
		t.Fatalf("%+v %v", l, err)
	}
	part, err := ownMaker{b}.emulator(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"files/bin/qemu-system-x86_64", "files/share/bios-256k.bin", "licence/qemu"} {
		if _, err := os.Stat(filepath.Join(part, filepath.FromSlash(name))); err != nil {
			t.Error(err)
		}
	}
	if used, err := readUsed(part); err != nil || len(used) != 0 {
		t.Errorf("%v %v", used, err)
	}
	o.QEMUDir = ""
	if _, err := newBuilder(o); err == nil || !strings.Contains(err.Error(), "name a directory") {
		t.Errorf("%v", err)
	}
	o.HostOS, o.QEMUDir = "linux", dir
	if _, err := newBuilder(o); err == nil || !strings.Contains(err.Error(), "macOS only") {
		t.Errorf("%v", err)
	}
}

// TestEverySet: one look for newer packages covers all hosts and guests.
func TestEverySet(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range everySet() {
		if seen[s.file("")] || s.given != nil {
			t.Errorf("%s: twice, or not to be resolved", s.file(""))
		}
		seen[s.file("")] = true
	}
	for _, p := range platforms {
		for _, q := range qemu.Targets() {
			if q.Arch != p.goarch {
				continue
			}
			for _, s := range setsFor(spec.FlavourOwn, p, q) {
				if !seen[s.file("")] {
					t.Errorf("%s on %s: no %s", p.goarch, q, s.file(""))
				}
			}
		}
	}
}

// A set of which only the files are used is locked without what it depends on,
// and all that is linked in is named in the pack.
func TestSysroot(t *testing.T) {
	arm := qemu.Target{OS: "linux", Arch: "arm64", Guest: "aarch64"}
	sets := qemuQuestions(arm)
	if len(sets) != 2 || sets[0].arch != qemu.BuildArch || sets[1].arch != "arm64" || !slices.Equal(qemuSets(arm), []string{"qemu-linux-arm64", sysrootSet}) {
		t.Errorf("%+v", sets)
	}
	if sets := qemuQuestions(qemu.Target{OS: "linux", Arch: "amd64", Guest: "x86_64"}); len(sets) != 1 || sets[0].alone {
		t.Errorf("%+v", sets)
	}
	a := &fakeArchive{versions: map[string]string{"a": "1", "b": "1"}}
	p, _ := testPackages(t, a)
	found, err := p.find(t.Context(), withDependency{a}, set{name: "x", want: []string{"a"}, alone: true})
	if err != nil || len(found) != 1 || found[0].Name != "a" {
		t.Errorf("%+v %v", found, err)
	}
	if found, err = p.find(t.Context(), withDependency{a}, set{name: "x", want: []string{"a"}}); err != nil || len(found) != 2 {
		t.Errorf("%+v %v", found, err)
	}
}

// withDependency is an archive where everything depends on b.
type withDependency struct{ *fakeArchive }

func (a withDependency) Resolve(ctx context.Context, want []string) ([]debian.Package, error) {
	return a.fakeArchive.Resolve(ctx, append(slices.Clone(want), "b"))
}
