package image

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/pack/image/debian"
	"piwork/pack/tools"
)

// TestLockFiles: the lock files in the repository are what the recipe asks for,
// and name no mirror.
func TestLockFiles(t *testing.T) {
	for _, p := range platforms {
		for _, s := range setsFor(p, p) {
			t.Run(s.name+"-"+s.arch, func(t *testing.T) {
				l, err := debian.ReadLock(s.file("../.."))
				if err != nil {
					t.Fatal(err)
				}
				if l.Set != s.name || !l.For(suite, s.arch, s.want) {
					t.Error("made for another recipe: run ./scripts/pack --lock")
				}
				raw, err := os.ReadFile(s.file("../.."))
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(string(raw), "://") {
					t.Error("names a host")
				}
			})
		}
	}
}

func TestToolsAreInTheLock(t *testing.T) {
	l, err := debian.ReadLock(filepath.Join("lock", "guest-amd64.json"))
	if err != nil {
		t.Fatal(err)
	}
	list, err := toolList(l, tools.Catalogue())
	if err != nil {
		t.Fatal(err)
	}
	covered := map[string]bool{}
	for _, tool := range list {
		if tool.Version == "" {
			t.Errorf("%s has no version", tool.Name)
		}
		for _, o := range tool.Operations {
			covered[o] = true
		}
	}
	for _, o := range tools.Catalogue() {
		if !covered[o.Name] {
			t.Errorf("no tool for %s", o.Name)
		}
	}
	if _, err := toolList(&debian.Lock{}, tools.Catalogue()); err == nil {
		t.Error("tools without packages")
	}
	if _, err := toolList(l, []tools.Description{{Name: "x.y", Programs: []string{"absent"}}}); err == nil {
		t.Error("an operation without its program")
	}
}

func TestKernelKeepsTheImageOnly(t *testing.T) {
	p := platforms["amd64"]
	sets := setsFor(p, p)
	keep := sets[slices.IndexFunc(sets, func(s set) bool { return s.name == setKernel })].keep
	for name, want := range map[string]bool{
		"linux-image-6.12.117+deb13-amd64": true,
		"linux-image-amd64":                false,
		"linux-base":                       false,
		"initramfs-tools":                  false,
	} {
		if keep(debian.Package{Name: name}) != want {
			t.Errorf("%s: %t", name, !want)
		}
	}
}

func TestBootstrapArguments(t *testing.T) {
	l := &debian.Lock{Suite: "trixie", Architecture: "amd64", Packages: []debian.Package{{Name: "a"}, {Name: "b"}}}
	asRoot, asUser := bootstrapArguments(l, "/tmp/r", "/x/out.tar", true), bootstrapArguments(l, "/tmp/r", "/x/out.tar", false)
	if asRoot[0] != "--mode=root" || asUser[0] != "--mode=unshare" || !slices.Equal(asRoot[1:], asUser[1:]) {
		t.Errorf("%q\n%q", asRoot, asUser)
	}
	end := asRoot[len(asRoot)-3:]
	if !slices.Equal(end, []string{"trixie", "/x/out.tar", "deb [trusted=yes] copy:/tmp/r trixie main"}) || !slices.Contains(asRoot, "--include=a,b") {
		t.Errorf("%q", asRoot)
	}
}

func TestBootstrapEnvironmentIsNotTheUsers(t *testing.T) {
	env := bootstrapEnv([]string{"HOME=/home/x", "SECRET_TOKEN=1", "LANG=de_DE", "TMPDIR=/big", "PATH=/evil"}, time.Unix(5, 0))
	if !slices.Contains(env, "SOURCE_DATE_EPOCH=5") || !slices.Contains(env, "TMPDIR=/big") {
		t.Errorf("%q", env)
	}
	for _, v := range env {
		for _, bad := range []string{"SECRET", "/home/x", "/evil", "de_DE"} {
			if strings.Contains(v, bad) {
				t.Errorf("%q", v)
			}
		}
	}
}

func TestNewBuilder(t *testing.T) {
	for name, o := range map[string]Options{
		"unknown system":       {HostOS: "plan9", SourceDir: "../.."},
		"unknown architecture": {HostOS: "linux", HostArch: "mips", SourceDir: "../.."},
		"no checkout":          {HostOS: "linux", HostArch: "amd64", SourceDir: t.TempDir(), CacheDir: t.TempDir()},
	} {
		if _, err := newBuilder(o); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	b, err := newBuilder(Options{HostOS: "linux", HostArch: "amd64", SourceDir: "../..", CacheDir: t.TempDir()})
	if err != nil || b.timeOf(setGuest).Unix() != 1700000000 {
		t.Errorf("%v", err)
	}
	t.Setenv("SOURCE_DATE_EPOCH", "yesterday")
	if _, err := newBuilder(Options{HostOS: "linux", HostArch: "amd64", SourceDir: "../..", CacheDir: t.TempDir()}); err == nil {
		t.Error("SOURCE_DATE_EPOCH=yesterday accepted")
	}
}
