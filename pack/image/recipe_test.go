package image

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piwork/pack/image/debian"
	"piwork/pack/tools"
)

// TestLockFiles: the lock files in the repository are what the recipe asks for,
// and name no mirror.
func TestLockFiles(t *testing.T) {
	for _, s := range everySet() {
		t.Run(s.name+"-"+s.arch, func(t *testing.T) {
			l, err := debian.ReadLock(s.file("../.."))
			if err != nil {
				t.Fatal(err)
			}
			if l.Set != s.name || !s.answeredBy(l) {
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

func TestToolsAreInTheLock(t *testing.T) {
	for _, p := range platforms {
		t.Run(p.goarch, func(t *testing.T) { toolsAreInTheLock(t, "guest-"+p.debian+".json") })
	}
}

func toolsAreInTheLock(t *testing.T, lock string) {
	l, err := debian.ReadLock(filepath.Join("lock", lock))
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
		if !covered[o.Name] && len(o.AddOns) == 0 {
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
