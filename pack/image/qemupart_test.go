package image

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/pack/image/qemu"
	"piwork/pack/image/qemu/forgery"
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
	l, err := b.packages.lock(t.Context(), b.sets[i])
	if err != nil || len(l.Sources) != 1 || l.Sources[0].Name != "qemu" || len(l.Packages) != 0 {
		t.Fatalf("%+v %v", l, err)
	}
	part, err := b.emulator(t.Context())
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
	for _, s := range b.everySet() {
		if s.given != nil {
			t.Errorf("%s would be resolved again", s.name)
		}
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

// TestEverySet: one look for newer packages covers all hosts.
func TestEverySet(t *testing.T) {
	b, err := newBuilder(Options{HostOS: "linux", HostArch: "amd64", SourceDir: "../..", CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range b.everySet() {
		if slices.Contains(names, s.name) {
			t.Errorf("%s twice", s.name)
		}
		names = append(names, s.name)
	}
	for _, q := range qemu.Targets() {
		if !slices.Contains(names, qemuSet(q)) {
			t.Errorf("no set for %s", q)
		}
	}
}
