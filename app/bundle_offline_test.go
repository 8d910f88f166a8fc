package app

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/app/problem"
	"piwork/app/runtimepack"
	"piwork/app/runtimepack/updater"
	"piwork/pack"
	"piwork/scripts/lib/tier"
)

func namesIn(t *testing.T, s *packWorld, file string) (names []string) {
	t.Helper()
	b, err := pack.OpenBundle(t.Context(), file, s.packs["1.0.0"].Keys, pack.BundleOptions{Unsigned: true})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for _, f := range b.Manifest.Files {
		names = append(names, f.Path)
	}
	return names
}

// TestBundleOffline: what was fetched for one bundle makes another without a
// network, with all that belongs into it; and nothing stays among the downloads
// for ever.
func TestBundleOffline(t *testing.T) {
	tier.Unraced(t)
	s := newPackWorld(t, "1.0.0", "1.1.0")
	s.publish("1.0.0")
	c := s.open()
	s.update(c, updater.Request{AddOns: []string{"media"}})
	app := filepath.Join(t.TempDir(), "piwork")
	if err := os.WriteFile(app, []byte("the program"), 0o755); err != nil {
		t.Fatal(err)
	}
	r := runtimepack.BundleRequest{Out: t.TempDir(), AddOns: []string{"media"}, App: app}
	online, err := c.BundlePack(t.Context(), r, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := namesIn(t, s, online.File)
	for _, part := range []string{"app/piwork", "channel/metadata/timestamp.json", "licenses/piwork-runtime/SOURCES.json", "licenses/piwork-runtime/qemu/copyright", "licenses/piwork-addon-media/media/copyright"} {
		if !slices.Contains(want, part) {
			t.Errorf("lacks %s: %q", part, want)
		}
	}
	s.close(c)

	s.server.Close()
	downloads := filepath.Join(s.options().CacheDir, "downloads")
	for name, age := range map[string]time.Duration{"piwork-runtime-linux-amd64-0.1.0.tar.zst": time.Hour, strings.Repeat("0a", 32) + ".part": runtimepack.DownloadLife + time.Hour, strings.Repeat("0b", 32) + ".part": time.Hour} {
		file, at := filepath.Join(downloads, name), time.Now().Add(-age)
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
	}
	c = s.openAt(s.options(), []string{"http://127.0.0.1:1"})
	before := s.asked.Load()
	r.Out = t.TempDir()
	offline, err := c.BundlePack(t.Context(), r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := namesIn(t, s, offline.File); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if s.asked.Load() != before {
		t.Error("the server was asked")
	}
	left, err := os.ReadDir(downloads)
	if err != nil {
		t.Fatal(err)
	}
	if len(left) != 3 { // the two archives, and what a download goes on with
		t.Errorf("left: %v", left)
	}
	for _, name := range []string{"../runtime", ""} {
		if _, err := c.BundlePack(t.Context(), runtimepack.BundleRequest{Out: t.TempDir(), AddOns: []string{name}, App: app}, nil); codeOf(err) != problem.CodeAddOnUnknown {
			t.Errorf("%q: %v", name, err)
		}
	}

	// Without the archives they are made from what is installed.
	if err := os.RemoveAll(downloads); err != nil {
		t.Fatal(err)
	}
	r.Out = t.TempDir()
	if again, err := c.BundlePack(t.Context(), r, nil); err != nil || !slices.Equal(namesIn(t, s, again.File), want) {
		t.Errorf("%+v, %v", again, err)
	}
}

// TestBundleOfWhatIsInstalled: a computer that never saw a channel passes on what it
// has, and another one installs it.
func TestBundleOfWhatIsInstalled(t *testing.T) {
	tier.Unraced(t)
	s := newPackWorld(t, "1.0.0")
	c := s.openAt(s.options(), nil)
	s.install(c, s.packs["1.0.0"])
	s.install(c, s.addOns["1.0.0"])
	app := filepath.Join(t.TempDir(), "piwork")
	if err := os.WriteFile(app, []byte("the program"), 0o755); err != nil {
		t.Fatal(err)
	}
	r := runtimepack.BundleRequest{Out: t.TempDir(), AddOns: []string{"media"}, App: app}
	made, err := c.BundlePack(t.Context(), r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.asked.Load() > 0 {
		t.Error("a server was asked")
	}
	other := filepath.Join(t.TempDir(), "other.TAR")
	if err := os.WriteFile(other, []byte("a person's"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, there := range []struct{ out, taken string }{{r.Out, made.File}, {made.File, made.File}, {other, other}} {
		before, err := os.ReadFile(there.taken)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.BundlePack(t.Context(), runtimepack.BundleRequest{Out: there.out, App: app}, nil); codeOf(err) != problem.CodeOutputExists {
			t.Errorf("over %s: %v", there.taken, err)
		}
		if after, err := os.ReadFile(there.taken); err != nil || !bytes.Equal(after, before) {
			t.Errorf("%s was changed: %v", there.taken, err)
		}
	}
	r.Out = t.TempDir()
	for _, app := range []string{"piwork", app + "-not-there"} {
		r := runtimepack.BundleRequest{Out: t.TempDir(), App: app}
		if _, err := c.BundlePack(t.Context(), r, nil); codeOf(err) != problem.CodeBadRequest {
			t.Errorf("with the program %q: %v", app, err)
		}
	}
	if err := c.RemoveAddOn(t.Context(), "media"); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(s.options().CacheDir, "downloads")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.BundlePack(t.Context(), r, nil); codeOf(err) != problem.CodeAddOnUnknown {
		t.Errorf("with an add-on that is not there: %v", err)
	}
	s.spoil(c, "1.0.0", "guest/vmlinux")
	r.AddOns = nil
	if _, err := c.BundlePack(t.Context(), r, nil); codeOf(err) != problem.CodePackCorrupt {
		t.Errorf("of a damaged pack: %v", err)
	}
	s.close(c)

	s.base = t.TempDir() // another computer
	s.trusts(s.options())
	c = s.openAt(s.options(), nil)
	if _, err := c.InstallPack(t.Context(), made.File, nil); err != nil {
		t.Fatal(err)
	}
	s.wantVersions(c, "1.0.0 current")
	if list, err := c.AddOns(t.Context()); err != nil || len(list) != 1 || !list[0].Usable {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestBundleLicences: what is not as it was signed is not passed on.
func TestBundleLicences(t *testing.T) {
	s := newPackWorld(t, "1.0.0")
	s.publish("1.0.0")
	c := s.open()
	s.update(c, updater.Request{})
	s.spoil(c, "1.0.0", "licenses/qemu/copyright")
	app := filepath.Join(t.TempDir(), "piwork")
	if err := os.WriteFile(app, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := c.BundlePack(t.Context(), runtimepack.BundleRequest{Out: t.TempDir(), App: app}, nil); codeOf(err) != problem.CodePackCorrupt {
		t.Errorf("%v", err)
	}
}
