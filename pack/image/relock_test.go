package image

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/pack/image/debian"
	"piwork/pack/image/npm"
)

// lockedArchive resolves every set to what the lock files of the repository say.
type lockedArchive struct {
	fakeArchive
	locks []*debian.Lock // of its architecture
	newer string         // a package that has a new version
}

func (a *lockedArchive) Resolve(_ context.Context, want []string) ([]debian.Package, error) {
	for _, l := range a.locks {
		if slices.Equal(l.Want, want) {
			found := slices.Clone(l.Packages)
			for i, p := range found {
				if p.Name == a.newer {
					found[i].Version += "+deb13u99"
				}
			}
			return found, nil
		}
	}
	return nil, errors.New("no lock file has this question")
}

func (a *lockedArchive) ResolveOver(ctx context.Context, want, _ []string, _ string) ([]debian.Package, error) {
	return a.Resolve(ctx, want)
}

func (a *lockedArchive) ResolveSources(_ context.Context, want []string) ([]debian.Source, error) {
	for _, l := range a.locks {
		if slices.Equal(l.WantSources, want) {
			return l.Sources, nil
		}
	}
	return nil, errors.New("no lock file has this question")
}

func (a *lockedArchive) Fetch(context.Context, []debian.Package, func(int, int64)) error { return nil }

func (a *lockedArchive) Time() (time.Time, error) { return time.Unix(1900000000, 0).UTC(), nil }

// relockSetup is a builder in a copy of the lock files, with archives on which a
// package has a new version.
func relockSetup(t *testing.T, newer string) *builder {
	t.Helper()
	src := t.TempDir()
	if err := os.CopyFS(filepath.Join(src, "pack", "image", "lock"), os.DirFS("lock")); err != nil {
		t.Fatal(err)
	}
	archives := map[string]*lockedArchive{}
	for name := range lockBytes(t, src) {
		if strings.HasPrefix(name, "npm-") {
			continue
		}
		l, err := debian.ReadLock(filepath.Join("lock", name))
		if err != nil {
			t.Fatal(err)
		}
		if archives[l.Architecture] == nil {
			archives[l.Architecture] = &lockedArchive{newer: newer}
		}
		archives[l.Architecture].locks = append(archives[l.Architecture].locks, l)
	}
	b, err := newBuilder(Options{HostOS: "linux", HostArch: "amd64", SourceDir: "../..", CacheDir: t.TempDir(), Log: func(line string) { t.Log(line) }})
	if err != nil {
		t.Fatal(err)
	}
	b.SourceDir, b.packages.src = src, src
	b.packages.open = func(arch string) (archive, error) { return archives[arch], nil }
	b.packages.installed = func(context.Context, *debian.Lock) (string, error) { return "", nil }
	return b
}

// TestRelockGroups: --lock follows the sets that it is told, and those that fit
// only to them.
func TestRelockGroups(t *testing.T) {
	addons := []string{"addon-browser-amd64.json", "addon-media-amd64.json", "addon-music-amd64.json", "addon-office-amd64.json"}
	for name, tt := range map[string]struct {
		newer  string
		groups []string
		want   []string // lock files that change
	}{
		"nothing new":            {newer: "none"},
		"in another group":       {newer: "make", groups: []string{"tools", "guest", "addon", "npm"}},
		"the kernels of all":     {newer: "bison", groups: []string{"kernel"}, want: []string{"kernel-aarch64-amd64.json", "kernel-amd64.json"}},
		"an add-on alone":        {newer: "ffmpeg", groups: []string{"addon"}, want: []string{"addon-media-amd64.json"}},
		"add-ons are over guest": {newer: "imagemagick", groups: []string{"guest"}, want: append(slices.Clone(addons), "guest-amd64.json", "guest-arm64.json")},
		"all of them":            {newer: "ffmpeg", want: []string{"addon-media-amd64.json"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := relockSetup(t, tt.newer)
			before := lockBytes(t, b.SourceDir)
			if err := b.relock(t.Context(), tt.groups); err != nil {
				t.Fatal(err)
			}
			var changed []string
			for name, text := range lockBytes(t, b.SourceDir) {
				if before[name] != text {
					changed = append(changed, name)
				}
			}
			slices.Sort(changed)
			if !slices.Equal(changed, tt.want) {
				t.Errorf("changed %q, want %q", changed, tt.want)
			}
			// What was written is what a build asks for.
			for _, s := range b.sets {
				if b.locks[s.name], _ = b.packages.lock(s); b.locks[s.name] == nil {
					t.Errorf("%s: no lock", s.name)
				}
			}
			b.addOns = addOns
			if err := b.lockAddOns(); err != nil {
				t.Error(err)
			}
		})
	}
	b := relockSetup(t, "none")
	if err := b.relock(t.Context(), []string{"kernels"}); err == nil || !strings.Contains(err.Error(), "kernel") {
		t.Errorf("error %v, want one that says what there is", err)
	}
}

// TestLockGroups: every lock file belongs to a group.
func TestLockGroups(t *testing.T) {
	for name := range lockBytes(t, "../..") {
		if !slices.Contains(LockGroups(), groupOf(strings.TrimSuffix(name, ".json"))) {
			t.Errorf("--lock never writes %s", name)
		}
	}
}

// TestNPMLockIsNeeded: a build writes no npm lock either, and another Node is locked
// first.
func TestNPMLockIsNeeded(t *testing.T) {
	b := relockSetup(t, "none")
	if l, err := b.lockPrograms(); err != nil || len(l.Packages) == 0 {
		t.Fatalf("%+v %v", l, err)
	}
	file := npmLockFile(b.SourceDir, b.guest, nodeVersion)
	for name, tt := range map[string]struct {
		node   string
		change func() error
		says   string
	}{
		"another Node": {"24.99.0", func() error { return nil }, "PIWORK_NODE_VERSION=24.99.0 ./scripts/pack --lock=npm --arch amd64"},
		"other versions": {nodeVersion, func() error {
			l, err := npm.ReadLock(file)
			if err != nil {
				return err
			}
			l.Packages = l.Packages[1:]
			return l.Write(file)
		}, "npm-amd64.json was made for other versions"},
		"damaged": {nodeVersion, func() error { return os.WriteFile(file, []byte("<<<<<<<"), 0o644) }, "write it anew with ./scripts/pack --lock=npm"},
		"missing": {nodeVersion, func() error { return os.Remove(file) }, "npm-amd64.json is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(file, []byte(lockBytes(t, "../..")["npm-amd64.json"]), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := tt.change(); err != nil {
				t.Fatal(err)
			}
			b.node = tt.node
			before := len(lockBytes(t, b.SourceDir))
			if _, err := b.lockPrograms(); err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v, want one with %q", err, tt.says)
			}
			if after := len(lockBytes(t, b.SourceDir)); after != before {
				t.Errorf("%d lock files, were %d", after, before)
			}
		})
	}
}
