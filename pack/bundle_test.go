package pack_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/pack"
	"piwork/pack/packtest"
	"piwork/pack/spec"
	"piwork/pack/trust"
)

// bundleRig has a runtime, an add-on over it, and what else goes into a bundle.
type bundleRig struct {
	base, media *packtest.Pack
	options     pack.BundleBuildOptions
}

func newBundleRig(t *testing.T) *bundleRig {
	t.Helper()
	r := &bundleRig{base: packtest.New(t, packtest.Options{Verity: true})}
	r.media = packtest.NewAddOn(t, "media", r.base)
	dir := t.TempDir()
	packtest.Write(t, dir, "qemu/bin/qemu-system-piwork", "the program") // executable
	packtest.Write(t, dir, "channel/metadata/1.root.json", "root")
	packtest.Write(t, dir, "channel/targets/stable/linux-amd64.json", "release")
	packtest.Write(t, dir, "licenses/qemu/copyright", "GPL")
	packtest.Write(t, dir, "sources/qemu_10.0.dsc", "source")
	app := filepath.Join(dir, "piwork")
	check(t, os.Rename(filepath.Join(dir, "qemu/bin/qemu-system-piwork"), app))
	r.options = pack.BundleBuildOptions{
		Packs: []string{r.media.File, r.base.File}, App: []string{app},
		Channel: filepath.Join(dir, "channel"), Licences: filepath.Join(dir, "licenses"), Sources: filepath.Join(dir, "sources"),
		Keys: r.base.Keys, Signer: r.base.Signer.Sign, Out: t.TempDir(),
	}
	return r
}

func (r *bundleRig) build(t *testing.T) string {
	t.Helper()
	_, file, err := pack.BuildBundle(t.Context(), r.options)
	check(t, err)
	return file
}

// stores opens a store for the runtime and one for each add-on.
type stores struct{ dir string }

func (s stores) runtime(t *testing.T) *pack.Store {
	t.Helper()
	st, err := pack.OpenStore(filepath.Join(s.dir, "runtime"))
	check(t, err)
	return st
}

func (s stores) addOn(name string) (*pack.Store, error) {
	return pack.OpenStore(filepath.Join(s.dir, "addons", name))
}

// TestBundle: what goes into a bundle comes out of it, verified; the packs are
// installed; any tar can read it; the same input gives the same bytes.
func TestBundle(t *testing.T) {
	r := newBundleRig(t)
	m, file, err := pack.BuildBundle(t.Context(), r.options)
	check(t, err)
	if want := "piwork-bundle-" + r.base.Manifest.HostOS + "-" + r.base.Manifest.HostArch + "-1.0.0.tar"; filepath.Base(file) != want {
		t.Errorf("is called %s, want %s", filepath.Base(file), want)
	}
	first, err := os.ReadFile(file)
	check(t, err)
	r.options.New = true
	if _, _, err := pack.BuildBundle(t.Context(), r.options); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a new one of the same name: %v", err)
	}
	slices.Reverse(r.options.Packs)
	r.options.Out = filepath.Join(t.TempDir(), "again")
	second, err := os.ReadFile(r.build(t))
	check(t, err)
	if !bytes.Equal(first, second) {
		t.Error("two builds differ")
	}
	if !pack.IsBundle(file) || pack.IsBundle(r.base.File) {
		t.Error("bundles and packs are mixed up")
	}

	b, err := pack.OpenBundle(t.Context(), file, r.base.Keys, pack.BundleOptions{})
	check(t, err)
	defer b.Close()
	if !b.Signed || b.Key.ID != r.base.Signer.Key.ID || len(b.Manifest.Files) != len(m.Files) {
		t.Errorf("%+v", b)
	}
	check(t, b.Verify(t.Context(), nil))
	dir := t.TempDir()
	check(t, b.Extract(t.Context(), "app", dir))
	info, err := os.Stat(filepath.Join(dir, "piwork"))
	check(t, err)
	if info.Mode()&0o111 == 0 {
		t.Errorf("the program has mode %v", info.Mode())
	}
	if data, err := b.Fetch(t.Context(), "metadata/1.root.json", 100); err != nil || string(data) != "root" {
		t.Errorf("channel: %q, %v", data, err)
	}
	if _, err := b.Fetch(t.Context(), "metadata/2.root.json", 100); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("channel: %v", err)
	}
	if _, err := b.Fetch(t.Context(), "metadata/1.root.json", 3); spec.KindOf(err) != spec.KindTooLarge {
		t.Errorf("channel: %v", err)
	}

	s := stores{t.TempDir()}
	var last, total int64
	installed, err := b.Install(t.Context(), pack.BundleInstallOptions{
		Runtime: s.runtime(t), AddOn: s.addOn,
		Install: pack.InstallOptions{KeepCurrent: true, Progress: func(d, n int64) {
			if d < last {
				t.Errorf("progress fell from %d to %d", last, d)
			}
			last, total = d, n
		}},
	})
	check(t, err)
	if len(installed) != 2 || installed[0].Manifest.Name != "piwork-runtime" || !installed[1].Manifest.FitsOver(&installed[0].Manifest) {
		t.Fatalf("installed %+v", installed)
	}
	for _, in := range installed {
		check(t, in.Verify(t.Context(), pack.LevelFull))
	}
	if last != total || total == 0 {
		t.Errorf("progress ended at %d of %d", last, total)
	}
	if p, err := s.runtime(t).Pointer(); err != nil || p.Current != "" {
		t.Errorf("pointer %+v, %v", p, err)
	}

	if _, err := exec.LookPath("tar"); err == nil {
		out, err := exec.CommandContext(t.Context(), "tar", "tf", file).Output()
		check(t, err)
		if names := strings.Fields(string(out)); len(names) != len(m.Files)+2 || names[0] != pack.BundleName || names[1] != pack.BundleSignatureName {
			t.Errorf("tar lists %q", names)
		}
	}
}

// TestBundleOfNobody: a bundle without a signature gives away what is signed in
// itself, to those who ask for it, and nothing else.
func TestBundleOfNobody(t *testing.T) {
	r := newBundleRig(t)
	r.options.Signer = nil
	file := r.build(t)
	if _, err := pack.OpenBundle(t.Context(), file, r.base.Keys, pack.BundleOptions{}); spec.KindOf(err) != spec.KindMissingSignature {
		t.Errorf("got %v", err)
	}
	b, err := pack.OpenBundle(t.Context(), file, r.base.Keys, pack.BundleOptions{Unsigned: true})
	check(t, err)
	defer b.Close()
	if b.Signed {
		t.Error("is called signed")
	}
	if err := b.Extract(t.Context(), "app", t.TempDir()); spec.KindOf(err) != spec.KindMissingSignature {
		t.Errorf("the program: %v", err)
	}
	if _, err := b.Fetch(t.Context(), "metadata/1.root.json", 100); err != nil {
		t.Error(err)
	}
	s := stores{t.TempDir()}
	if list, err := b.Install(t.Context(), pack.BundleInstallOptions{Runtime: s.runtime(t), AddOn: s.addOn}); err != nil || len(list) != 2 {
		t.Errorf("%v, %v", list, err)
	}
	// A key of nobody who is trusted does not make it better.
	r.options.Signer = packtest.NewSigner(t).Sign
	foreign := r.build(t)
	if _, err := pack.OpenBundle(t.Context(), foreign, r.base.Keys, pack.BundleOptions{}); spec.KindOf(err) != spec.KindForeignKey {
		t.Errorf("got %v", err)
	}
	other, err := pack.OpenBundle(t.Context(), foreign, r.base.Keys, pack.BundleOptions{Unsigned: true})
	check(t, err)
	defer other.Close()
	if other.Signed || other.Key != (trust.Key{}) {
		t.Errorf("is called signed, by %+v", other.Key)
	}
	if err := other.Extract(t.Context(), "app", t.TempDir()); spec.KindOf(err) != spec.KindMissingSignature {
		t.Errorf("the program: %v", err)
	}
}

// TestHostileBundles attacks a bundle on its way. Each attack is refused when it
// is opened, or when what it is about is used; the stores stay as they were.
func TestHostileBundles(t *testing.T) {
	r := newBundleRig(t)
	file := r.build(t)
	good, err := os.ReadFile(file)
	check(t, err)
	// of finds an entry: where its header and its content are.
	of := func(name string) (header, content int) {
		i := bytes.Index(good, append([]byte(name), 0))
		if i < 0 || i%512 != 0 {
			t.Fatalf("no entry %s", name)
		}
		return i, i + 512
	}
	packName := "packs/" + r.base.Manifest.ArchiveName()
	change := func(at int, with string) func([]byte) []byte {
		return func(b []byte) []byte { copy(b[at:], with); return b }
	}
	head := func(name string) int { h, _ := of(name); return h }
	body := func(name string) int { _, c := of(name); return c }
	other := newBundleRig(t)
	otherFile, err := os.ReadFile(other.build(t))
	check(t, err)

	for _, tc := range []struct {
		name string
		harm func(b []byte) []byte
		kind []spec.Kind
		late bool // found when it is used, not when it is opened
	}{
		{"empty", func([]byte) []byte { return nil }, []spec.Kind{spec.KindNotAPack}, false},
		{"a page", func([]byte) []byte { return []byte("<!DOCTYPE html><title>404</title>") }, []spec.Kind{spec.KindNotAPack}, false},
		{"list changed", change(body("bundle.json")+40, "x"), []spec.Kind{spec.KindBadSignature, spec.KindForeignKey}, false},
		{"version in the list changed", func(b []byte) []byte {
			return bytes.Replace(b, []byte(`"version": "1.0.0"`), []byte(`"version": "9.0.0"`), 1)
		}, []spec.Kind{spec.KindBadSignature}, false},
		{"signature flipped", change(body("bundle.json.sig")+20, "AAAA"), []spec.Kind{spec.KindBadSignature}, false},
		{"no signature", func(b []byte) []byte {
			h := head("bundle.json.sig")
			return append(b[:h:h], b[body("app/piwork")-512:]...)
		}, []spec.Kind{spec.KindUnsafeEntry, spec.KindTooLarge}, false},
		{"of somebody else", func([]byte) []byte { return otherFile }, []spec.Kind{spec.KindForeignKey}, false},
		{"list that is said to be huge", change(head("bundle.json")+124, "77777777777"), []spec.Kind{spec.KindCorrupt, spec.KindTooLarge}, false},
		{"cut", func(b []byte) []byte { return b[:len(b)-1] }, []spec.Kind{spec.KindTruncated}, false},
		{"cut in the head", func(b []byte) []byte { return b[:700] }, []spec.Kind{spec.KindTruncated}, false},
		{"longer", func(b []byte) []byte { return append(b, 0) }, []spec.Kind{spec.KindTrailingData}, false},
		{"something after the end", change(len(good)-1, "x"), []spec.Kind{spec.KindUnsafeEntry}, false},
		{"something in the padding", change(body("app/piwork")+100, "x"), []spec.Kind{spec.KindUnsafeEntry}, false},
		{"the program renamed", change(head("app/piwork"), "app/evil"), []spec.Kind{spec.KindUnsafeEntry}, false},
		{"a way out", change(head("app/piwork"), "../../evil"), []spec.Kind{spec.KindUnsafeEntry}, false},
		{"an absolute name", change(head("app/piwork"), "/tmp/evil1"), []spec.Kind{spec.KindUnsafeEntry}, false},
		{"a link", change(head("app/piwork")+156, "2"), []spec.Kind{spec.KindUnsafeEntry}, false},
		{"a program that runs as root", change(head("app/piwork")+100, "0004755"), []spec.Kind{spec.KindUnsafeEntry}, false},
		{"an entry of another size", change(head("app/piwork")+124, "00000000001"), []spec.Kind{spec.KindUnsafeEntry}, false},
		{"an extended header", change(head("app/piwork")+156, "x"), []spec.Kind{spec.KindUnsafeEntry}, false},
		{"the program changed", change(body("app/piwork"), "THE"), []spec.Kind{spec.KindFlippedByte}, true},
		{"the channel changed", change(body("channel/metadata/1.root.json"), "ROOT"), []spec.Kind{spec.KindFlippedByte}, true},
		{"start of a pack changed", change(body(packName)+30, "evil"), []spec.Kind{spec.KindCorrupt, spec.KindBadSignature, spec.KindForeignKey, spec.KindTooLarge, spec.KindMissingManifest, spec.KindTruncated}, true},
		{"end of a pack changed", func(b []byte) []byte {
			b[body(packName)+int(fileSize(t, r.base.File))-40] ^= 1
			return b
		}, []spec.Kind{spec.KindCorrupt, spec.KindFlippedByte}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bad := filepath.Join(t.TempDir(), "bundle.tar")
			check(t, os.WriteFile(bad, tc.harm(bytes.Clone(good)), 0o600))
			refused := func(err error) {
				t.Helper()
				if !slices.Contains(tc.kind, spec.KindOf(err)) {
					t.Errorf("got %v, want %v", err, tc.kind)
				}
			}
			b, err := pack.OpenBundle(t.Context(), bad, r.base.Keys, pack.BundleOptions{})
			if !tc.late {
				refused(err)
				return
			}
			check(t, err)
			defer b.Close()
			refused(b.Verify(t.Context(), nil))
			s := stores{t.TempDir()}
			list, err := b.Install(t.Context(), pack.BundleInstallOptions{Runtime: s.runtime(t), AddOn: s.addOn})
			if strings.Contains(tc.name, "pack") {
				refused(err)
				if entries, err := os.ReadDir(filepath.Join(s.dir, "runtime")); err != nil || len(entries) > 1 || len(list) > 0 {
					t.Errorf("left %v, %v", entries, list)
				}
				return
			}
			check(t, err)
			_, err = b.Fetch(t.Context(), "metadata/1.root.json", 100)
			err = errors.Join(err, b.Extract(t.Context(), "app", t.TempDir()))
			refused(err)
		})
	}
}

func fileSize(t *testing.T, name string) int64 {
	t.Helper()
	info, err := os.Stat(name)
	check(t, err)
	return info.Size()
}

// TestBundleRefuses: packs that do not belong together make no bundle.
func TestBundleRefuses(t *testing.T) {
	r := newBundleRig(t)
	second := packtest.New(t, packtest.Options{Version: "1.1.0", Verity: true, Signer: r.base.Signer})
	old, err := os.ReadFile(r.base.File)
	check(t, err)
	broken := filepath.Join(t.TempDir(), "broken.tar.zst")
	old[len(old)-100] ^= 1
	check(t, os.WriteFile(broken, old, 0o600))
	for name, harm := range map[string]func(o *pack.BundleBuildOptions){
		"no pack":             func(o *pack.BundleBuildOptions) { o.Packs = nil },
		"no runtime":          func(o *pack.BundleBuildOptions) { o.Packs = []string{r.media.File} },
		"two runtimes":        func(o *pack.BundleBuildOptions) { o.Packs = append(o.Packs, second.File) },
		"add-on of another":   func(o *pack.BundleBuildOptions) { o.Packs = []string{r.media.File, second.File} },
		"a pack twice":        func(o *pack.BundleBuildOptions) { o.Packs = append(o.Packs, r.media.File) },
		"a broken pack":       func(o *pack.BundleBuildOptions) { o.Packs[1] = broken },
		"a pack of strangers": func(o *pack.BundleBuildOptions) { o.Packs[1] = packtest.New(t, packtest.Options{}).File },
		"a missing program":   func(o *pack.BundleBuildOptions) { o.App = []string{"/missing"} },
		"a link": func(o *pack.BundleBuildOptions) {
			link := filepath.Join(t.TempDir(), "link")
			check(t, os.Symlink(o.App[0], link))
			o.App = []string{link}
		},
		"a name for Windows": func(o *pack.BundleBuildOptions) { packtest.Write(t, o.Sources, "aux.dsc", "x") },
		"cancelled":          nil,
	} {
		t.Run(name, func(t *testing.T) {
			o := newBundleRig(t).options
			o.Packs, o.Keys = slices.Clone(r.options.Packs), r.options.Keys
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if harm == nil {
				cancel()
			} else {
				harm(&o)
			}
			if _, _, err := pack.BuildBundle(ctx, o); err == nil {
				t.Error("built")
			}
			if entries, err := os.ReadDir(o.Out); err != nil || len(entries) > 0 {
				t.Errorf("left %v, %v", entries, err)
			}
		})
	}
}

// TestBundleReaderIsStrict: the content of an entry ends with a refusal when it
// was another.
func TestBundleReaderIsStrict(t *testing.T) {
	r := newBundleRig(t)
	file := r.build(t)
	data, err := os.ReadFile(file)
	check(t, err)
	check(t, os.WriteFile(file, bytes.Replace(data, []byte("the program"), []byte("THE program"), 1), 0o600))
	b, err := pack.OpenBundle(t.Context(), file, r.base.Keys, pack.BundleOptions{})
	check(t, err)
	defer b.Close()
	in, _, err := b.Open("app/piwork")
	check(t, err)
	if _, err := io.ReadAll(in); spec.KindOf(err) != spec.KindFlippedByte {
		t.Errorf("got %v", err)
	}
	if _, _, err := b.Open("app/other"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
