package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"piwork/pack"
	"piwork/pack/packtest"
	"piwork/pack/spec"
	"piwork/pack/trust"
	"piwork/pack/trust/channel"
	"piwork/pack/trust/channel/repo"
)

// developer is a person with a developer key and packs signed by it.
type developer struct {
	t      *testing.T
	dir    string // of the channel
	signer *packtest.Signer
}

func newDeveloper(t *testing.T) *developer {
	t.Helper()
	d := &developer{t: t, dir: filepath.Join(t.TempDir(), "channel"), signer: packtest.NewSigner(t)}
	t.Setenv("PIWORK_CONFIG_DIR", d.signer.ConfigDir)
	t.Setenv("SOURCE_DATE_EPOCH", "1772366400")
	return d
}

func (d *developer) try(args ...string) (string, error) {
	var out bytes.Buffer
	err := run(d.t.Context(), args, &out)
	return out.String(), err
}

func (d *developer) run(args ...string) string {
	d.t.Helper()
	out, err := d.try(args...)
	if err != nil {
		d.t.Fatalf("release %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func (d *developer) fails(part string, args ...string) {
	d.t.Helper()
	out, err := d.try(args...)
	if err == nil || !strings.Contains(err.Error(), part) {
		d.t.Errorf("release %s: %v, want %q\n%s", strings.Join(args, " "), err, part, out)
	}
}

func (d *developer) pack(version string, s *packtest.Signer) *packtest.Pack {
	return packtest.New(d.t, packtest.Options{Version: version, Signer: s, Header: spec.Manifest{HostOS: "linux", HostArch: "amd64"}})
}

// TestLifeOfAChannel: from nothing to a release, its successor, new keys and a
// revoked one.
func TestLifeOfAChannel(t *testing.T) {
	d := newDeveloper(t)
	d.run("init", d.dir, "--developer")
	root, err := os.ReadFile(filepath.Join(d.signer.ConfigDir, trust.ChannelRootFile))
	if err != nil {
		t.Fatal(err)
	}
	first, err := os.ReadFile(filepath.Join(d.dir, "metadata", "1.root.json"))
	if err != nil || !bytes.Equal(root, first) {
		t.Errorf("the developer trusts another root: %v", err)
	}
	d.fails("exist", "init", d.dir, "--developer")
	d.fails("not-offered", "check", d.dir, "linux-amd64")

	p := d.pack("1.0.0", d.signer)
	if out := d.run("add", d.dir, p.File); !strings.Contains(out, "stable 1.0.0 for linux-amd64") {
		t.Errorf("said %q", out)
	}
	if out := d.run("check", d.dir, "linux-amd64"); !strings.Contains(out, "1.0.0") {
		t.Errorf("said %q", out)
	}
	files, err := filepath.Glob(filepath.Join(d.dir, "targets", "packs", "*.piwork-runtime-linux-amd64-1.0.0.tar.zst"))
	if err != nil || len(files) != 1 {
		t.Errorf("archives: %v, %v", files, err)
	}

	// What is not newer is not offered: no client would take it.
	d.run("add", d.dir, p.File) // the same archive, with other notes or add-ons
	for _, version := range []string{"0.9.0", "1.0.0-rc.1"} {
		d.fails("not newer", "add", d.dir, d.pack(version, d.signer).File)
	}
	d.fails("not newer", "add", d.dir, packtest.New(t, packtest.Options{Version: "1.0.0", Verity: true, Signer: d.signer, Header: spec.Manifest{HostOS: "linux", HostArch: "amd64"}}).File)
	if files, _ := filepath.Glob(filepath.Join(d.dir, "targets", "packs", "*")); len(files) != 1 || strings.Contains(d.run("show", d.dir), "staged") {
		t.Errorf("a refusal left %v", files)
	}

	// A pack of somebody else is not offered, and nothing changes.
	stranger := packtest.NewSigner(t)
	foreign := d.pack("1.1.0", stranger)
	d.fails("foreign-key", "add", d.dir, foreign.File)
	d.run("trust", d.dir, stranger.KeyFile+".pub", "--name", "release-2027")
	d.run("add", d.dir, foreign.File)
	d.run("rotate", d.dir, "timestamp", "--key", "timestamp-2")
	d.run("rotate", d.dir, "root", "--key", "root", "--key", "root-2", "--threshold", "2")
	d.run("renew", d.dir, "targets", "stable")
	d.run("revoke", d.dir, d.signer.Key.ID, "--reason", "lost laptop")
	d.fails("revoked", "add", d.dir, p.File)
	d.run("sign", d.dir, "--discard")
	d.run("refresh", d.dir)
	out := d.run("show", d.dir)
	for _, want := range []string{"root       version 3", "2 of 2 keys", "release-2027", "lost laptop", "stable/linux-amd64.json"} {
		if !strings.Contains(out, want) {
			t.Errorf("show lacks %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, "EXPIRED") || strings.Contains(out, "staged") {
		t.Errorf("show says:\n%s", out)
	}
	if out := d.run("check", d.dir, "linux-amd64"); !strings.Contains(out, "1.1.0") {
		t.Errorf("said %q", out)
	}
}

// TestWithdraw: a version that was withdrawn is not offered again, and its last
// offer is refused by whoever follows the channel.
func TestWithdraw(t *testing.T) {
	d := newDeveloper(t)
	d.run("init", d.dir, "--developer")
	p := d.pack("1.0.0", d.signer)
	d.run("add", d.dir, p.File)
	if out := d.run("withdraw", d.dir, "1.0.0", "--reason", "it loses files"); !strings.Contains(out, "still offers 1.0.0 for linux-amd64") {
		t.Errorf("said %q", out)
	}
	d.fails("1.0.0 is withdrawn: it loses files", "add", d.dir, p.File)
	d.run("sign", d.dir, "--discard")
	d.run("minimum", d.dir, "1.2.0")
	d.fails("1.1.0 is withdrawn", "add", d.dir, d.pack("1.1.0", d.signer).File)
	d.run("sign", d.dir, "--discard")
	d.run("add", d.dir, d.pack("1.2.0", d.signer).File)
	out := d.run("show", d.dir)
	for _, want := range []string{"withdrawn  1.0.0 it loses files", "minimum    1.2.0"} {
		if !strings.Contains(out, want) {
			t.Errorf("show lacks %q:\n%s", want, out)
		}
	}
	d.run("withdraw", d.dir, "1.0.0", "--undo")
	d.fails("not withdrawn", "withdraw", d.dir, "1.0.0", "--undo")
	d.run("minimum", d.dir, "none")
	if out := d.run("show", d.dir); strings.Contains(out, "withdrawn") || strings.Contains(out, "minimum") {
		t.Errorf("show says:\n%s", out)
	}
}

// TestKeysApart: a step that another person must sign waits for them.
func TestKeysApart(t *testing.T) {
	d := newDeveloper(t)
	mine, theirs := filepath.Join(t.TempDir(), "mine"), filepath.Join(t.TempDir(), "theirs")
	if _, err := trust.GenerateDeveloperKey(filepath.Join(theirs, "b.key"), "b"); err != nil {
		t.Fatal(err)
	}
	d.fails("signatures are missing", "init", d.dir, "--keys", mine, "--targets", "a", "--targets", filepath.Join(theirs, "b.key.pub"), "--targets-threshold", "2")
	if out := d.run("show", d.dir); !strings.Contains(out, "nothing is published") || !strings.Contains(out, "staged: targets version 1, 1 signatures") {
		t.Errorf("show says:\n%s", out)
	}
	d.fails("nothing is published", "refresh", d.dir, "--keys", mine)
	// They sign; the keys of snapshot and timestamp are not theirs.
	d.fails("sign snapshot", "sign", d.dir, "--keys", theirs)
	d.run("sign", d.dir, "--keys", mine)
	d.run("refresh", d.dir, "--keys", mine)
	if runtime.GOOS != "windows" {
		files, err := filepath.Glob(filepath.Join(mine, "*.key"))
		if err != nil || len(files) != 5 {
			t.Errorf("keys: %v, %v", files, err)
		}
		for _, f := range files {
			if info, err := os.Stat(f); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v, %v", f, info.Mode(), err)
			}
		}
	}
}

// TestAddOns: add-ons go with the runtime that they were made over, and an archive
// is named in the channel as its manifest says, whatever its file is called.
func TestAddOns(t *testing.T) {
	d := newDeveloper(t)
	d.run("init", d.dir, "--developer")
	header := spec.Manifest{HostOS: "linux", HostArch: "amd64"}
	base := packtest.New(t, packtest.Options{Verity: true, Signer: d.signer, Header: header})
	other := packtest.New(t, packtest.Options{Version: "2.0.0", Verity: true, Signer: d.signer, Header: header})
	media, lost := packtest.NewAddOn(t, "media", base), packtest.NewAddOn(t, "office", other)
	d.fails("none of these runtimes", "add", d.dir, base.File, lost.File)
	d.fails("no runtime", "add", d.dir, media.File)
	if files, _ := filepath.Glob(filepath.Join(d.dir, "targets", "packs", "*")); len(files) > 0 || strings.Contains(d.run("show", d.dir), "staged") {
		t.Errorf("a refusal left %v", files)
	}
	renamed := filepath.Join(t.TempDir(), "download (1)")
	if err := os.Rename(base.File, renamed); err != nil {
		t.Fatal(err)
	}
	if out := d.run("add", d.dir, renamed, media.File); !strings.Contains(out, "add-ons [media]") {
		t.Errorf("said %q", out)
	}
	root, err := os.ReadFile(filepath.Join(d.dir, "metadata", "1.root.json"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := repo.Open(d.dir, repo.Options{Now: time.Unix(1772366400, 0)})
	if err != nil {
		t.Fatal(err)
	}
	rel, err := r.Check(t.Context(), root, "stable", "linux-amd64")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []channel.Target{rel.Archive, rel.AddOns["media"]} {
		file := filepath.Join(d.dir, filepath.FromSlash(a.Path))
		if info, err := os.Stat(file); err != nil || info.Size() != a.Length || a.Head == 0 {
			t.Errorf("%+v: %v, %v", a, info, err)
		}
		if _, err := pack.VerifyFile(t.Context(), file, base.Keys, pack.VerifyOptions{Policy: spec.Policy{AnyPlatform: true}}); err != nil {
			t.Errorf("%s: %v", a.Name, err)
		}
	}
}

// TestBundle: what the channel offers, with the program, in one file that is
// signed as packs are.
func TestBundle(t *testing.T) {
	d := newDeveloper(t)
	d.run("init", d.dir, "--developer")
	header := spec.Manifest{HostOS: "linux", HostArch: "amd64"}
	base := packtest.New(t, packtest.Options{Verity: true, Signer: d.signer, Header: header})
	media := packtest.NewAddOn(t, "media", base)
	d.run("add", d.dir, base.File, media.File)
	app := filepath.Join(t.TempDir(), "piwork")
	if err := os.WriteFile(app, []byte("the program"), 0o755); err != nil {
		t.Fatal(err)
	}
	stranger := packtest.NewSigner(t)
	out := filepath.Join(t.TempDir(), "bundle.tar")
	args := func(more ...string) []string {
		return append([]string{"bundle", d.dir, "linux-amd64", "--app", app, "--out", out, "--key", d.signer.KeyFile}, more...)
	}
	d.fails("may not sign", args("--key", stranger.KeyFile)...)
	d.fails("no add-on office", args("--addon", "office")...)
	d.fails("not-offered", "bundle", d.dir, "darwin-arm64", "--app", app, "--out", out, "--key", d.signer.KeyFile)
	d.fails("app", "bundle", d.dir, "linux-amd64")
	if _, err := os.Stat(out); err == nil {
		t.Fatal("a refusal left a bundle")
	}
	d.run(args()...)
	first, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	look := func(look func(*pack.Bundle)) {
		t.Helper()
		b, err := pack.OpenBundle(t.Context(), out, base.Keys, pack.BundleOptions{Policy: spec.Policy{AnyPlatform: true}})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		look(b)
	}
	names := map[string]bool{}
	look(func(b *pack.Bundle) {
		if err := b.Verify(t.Context(), nil); err != nil || !b.Signed || b.Key.ID != d.signer.Key.ID {
			t.Errorf("%+v, %v", b.Key, err)
		}
		for _, f := range b.Manifest.Files {
			names[f.Path] = true
		}
	})
	for _, want := range []string{
		"app/piwork", "packs/" + base.Manifest.ArchiveName(), "packs/" + media.Manifest.ArchiveName(), "channel/metadata/timestamp.json",
		"licenses/piwork-runtime/SOURCES.json", "licenses/piwork-runtime/qemu/copyright", "licenses/piwork-addon-media/media/copyright",
	} {
		if !names[want] {
			t.Errorf("lacks %s: %v", want, names)
		}
	}
	d.run(args("--no-addons")...)
	look(func(b *pack.Bundle) {
		if packs, err := b.Packs(t.Context()); err != nil || len(packs) != 1 {
			t.Errorf("%v, %v", packs, err)
		}
	})
	d.run(args("--addon", "media")...)
	if again, err := os.ReadFile(out); err != nil || !bytes.Equal(again, first) {
		t.Errorf("another bundle of the same: %v", err)
	}
}
