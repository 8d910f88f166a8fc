package image

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"piwork/pack/image/debian"
	"piwork/pack/spec"
	"piwork/pack/tools"
)

// readAddOnLocks reads the lock files of all add-ons, and of the guest.
func readAddOnLocks(t *testing.T) (guest *debian.Lock, locks map[string]*debian.Lock) {
	t.Helper()
	p := platforms["amd64"]
	guest, err := debian.ReadLock(set{name: setGuest, arch: p.debian}.file("../.."))
	if err != nil {
		t.Fatal(err)
	}
	locks = map[string]*debian.Lock{}
	for _, a := range addOns {
		if len(a.want) == 0 {
			locks[a.name] = &debian.Lock{}
			continue
		}
		s := a.set(p, guest)
		l, err := debian.ReadLock(s.file("../.."))
		if err != nil {
			t.Fatal(err)
		}
		if !s.answeredBy(l) {
			t.Errorf("%s: made for another recipe or another base: run ./scripts/pack --lock", a.name)
		}
		raw, err := os.ReadFile(s.file("../.."))
		if err != nil || strings.Contains(string(raw), "://") {
			t.Errorf("%s names a host (%v)", a.name, err)
		}
		locks[a.name] = l
	}
	return guest, locks
}

// TestAddOnsFitTogether: what two add-ons both bring is the same version, and
// nothing that is in the base comes again.
func TestAddOnsFitTogether(t *testing.T) {
	guest, locks := readAddOnLocks(t)
	versions := map[string]string{}
	for _, p := range guest.Packages {
		versions[p.Name] = "in the base"
	}
	for _, name := range AddOns() {
		for _, p := range locks[name].Packages {
			if old, ok := versions[p.Name]; ok && old != p.Version {
				t.Errorf("%s brings %s %s, another has %s", name, p.Name, p.Version, old)
			}
			versions[p.Name] = p.Version
			if slices.Contains(locks[name].Without, p.Name) {
				t.Errorf("%s brings %s, which it leaves out", name, p.Name)
			}
		}
	}
}

func TestToolsOfAddOns(t *testing.T) {
	_, locks := readAddOnLocks(t)
	for _, a := range addOns {
		list, err := addOnTools(a, locks[a.name], readAddOnNPM(t, a), append(tools.Catalogue(), tools.Description{Name: "x.y", Programs: []string{"ffmpeg"}}))
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range list {
			if tool.Version == "" || (tool.Name == "ffmpeg") != slices.Contains(tool.Operations, "x.y") {
				t.Errorf("%+v", tool)
			}
		}
		if _, err := addOnTools(a, &debian.Lock{}, nil, nil); err == nil {
			t.Errorf("%s: tools without packages", a.name)
		}
	}
	if !inAddOn("pandoc") || inAddOn("magick") {
		t.Error("inAddOn")
	}
}

func TestUnknownAddOn(t *testing.T) {
	_, err := newBuilder(Options{HostOS: "linux", HostArch: "amd64", SourceDir: "../..", CacheDir: t.TempDir(), AddOns: []string{"games"}})
	if err == nil || !strings.Contains(err.Error(), "media") {
		t.Errorf("error %v, want one that says what there is", err)
	}
}

func TestBaseKeeps(t *testing.T) {
	for name, want := range map[string]bool{
		"etc/ld.so.cache": true, "var/lib/dpkg/status": true, "etc/passwd": true, "var/lib/dpkg/triggers/File": true,
		"var/lib/dpkg/info/ffmpeg.list": false, "usr/bin/ffmpeg": false, "etc/fonts/fonts.conf": false, "var/lib/dpkg/status.d/x": false,
	} {
		if baseKeeps(name) != want {
			t.Errorf("%s: %t", name, !want)
		}
	}
}

// TestPartWithoutImage: what lacks its hash tree is no part.
func TestPartWithoutImage(t *testing.T) {
	dir := t.TempDir()
	if _, err := verityOf(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if _, err := readTree(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// TestSetOverAnother: the lock of an add-on says what it was made over, and does not
// answer for another base.
func TestSetOverAnother(t *testing.T) {
	a := &fakeArchive{versions: map[string]string{"ffmpeg": "1"}}
	p, _ := testPackages(t, a)
	p.installed = func(_ context.Context, l *debian.Lock) (string, error) { return "the packages of " + l.Set, nil }
	guest := &debian.Lock{Set: "guest", Packages: []debian.Package{fakePackage("aa", "1")}}
	s := addOn{name: "media", want: []string{"ffmpeg"}, without: []string{"mesa"}}.set(platforms["amd64"], guest)
	l := locked(t, p, s)
	if l.Over != guest.Digest() || !slices.Contains(l.Without, "mesa") || a.installed != "the packages of guest" {
		t.Fatalf("%+v, installed %q", l, a.installed)
	}
	if again, err := p.lock(s); err != nil || again.Over != l.Over {
		t.Errorf("%+v %v", again, err)
	}
	guest.Packages[0] = fakePackage("aa", "2")
	if _, err := p.lock(s); err == nil {
		t.Error("good for another base")
	}
}

// TestWhatAddOnsLeaveOut: files by their patterns, directories with all in them.
func TestWhatAddOnsLeaveOut(t *testing.T) {
	for _, a := range addOns {
		for _, pattern := range a.drop {
			if _, err := path.Match(pattern, ""); err != nil || pattern != path.Clean(pattern) || path.IsAbs(pattern) {
				t.Errorf("%s: pattern %q: %v", a.name, pattern, err)
			}
		}
		if a.leavesOut("usr/bin") || a.leavesOut(".") {
			t.Errorf("%s leaves everything out", a.name)
		}
	}
	a := addOn{drop: []string{"usr/lib/x/share/gallery", "usr/lib/x/*.TOC"}}
	for name, want := range map[string]bool{
		"usr/lib/x/share/gallery": true, "usr/lib/x/share/gallery/a/b": true, "usr/lib/x/lib.so.TOC": true,
		"usr/lib/x/share/gallery2": false, "usr/lib/x/share": false, "usr/lib/x/a/b.TOC": false, "usr/lib/x/TOC": false,
	} {
		if a.leavesOut(name) != want {
			t.Errorf("%s: %t", name, !want)
		}
	}
}

// TestPartsOfAddOns: add-ons do not push one another, or the runtime, out of the
// cache.
func TestPartsOfAddOns(t *testing.T) {
	for of, want := range map[string]string{"piwork-runtime": "pack", spec.AddOnPrefix + "media": "pack.media"} {
		if got := partOf("pack", of); got != want {
			t.Errorf("%s: %s, want %s", of, got, want)
		}
	}
}
