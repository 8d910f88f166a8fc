package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"piwork/pack/packtest"
	"piwork/pack/spec"
	"piwork/pack/trust"
)

// ceremony is the outcome of one: what everybody has afterwards.
type ceremony struct {
	*developer
	safe, into string
}

func newCeremony(t *testing.T) *ceremony {
	t.Helper()
	c := &ceremony{newDeveloper(t), filepath.Join(t.TempDir(), "safe"), t.TempDir()}
	c.run("ceremony", c.dir, "--out", c.safe, "--into", c.into, "--url", "https://updates.example.org/piwork", "--url", "https://mirror.example.org")
	return c
}

// keysOf is the --keys of holders who are together.
func (c *ceremony) keysOf(names ...string) string {
	for i, n := range names {
		names[i] = filepath.Join(c.safe, n)
	}
	return strings.Join(names, string(filepath.ListSeparator))
}

// TestCeremony: what it makes is ready to be compiled in, makes releases, and no
// holder alone changes what programs trust.
func TestCeremony(t *testing.T) {
	c := newCeremony(t)
	c.run("ready", c.into)
	if urls := trust.ChannelURLs(trust.Options{Built: underKeys{os.DirFS(c.into)}}); len(urls) != 2 || urls[0] != "https://updates.example.org/piwork" {
		t.Errorf("addresses: %q", urls)
	}
	c.fails("is there already", "ceremony", filepath.Join(t.TempDir(), "x"), "--out", filepath.Join(t.TempDir(), "y"), "--into", c.into, "--url", "https://example.org")
	c.fails("no address", "ceremony", filepath.Join(t.TempDir(), "x"), "--out", filepath.Join(t.TempDir(), "y"), "--into", t.TempDir(), "--url", "updates.example.org")

	book, err := os.ReadFile(filepath.Join(c.safe, "RUNBOOK.md"))
	if err != nil {
		t.Fatal(err)
	}
	private := 0
	for _, h := range holders {
		for _, name := range h.keys {
			file := filepath.Join(c.safe, h.dir, name+".key")
			info, err := os.Stat(file)
			if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v, %v", file, info, err)
			}
			k, err := packKey(file+".pub", name)
			if err != nil || !strings.Contains(string(book), k.ID) {
				t.Errorf("the run-book lacks the id of %s: %v", name, err)
			}
			private++
		}
	}
	if private != 8 || strings.Contains(string(book), "PRIVATE") || strings.Contains(string(book), "{{") {
		t.Errorf("%d keys, run-book:\n%s", private, book)
	}

	// A release needs no offline key.
	signer, err := trust.LoadSigner(filepath.Join(c.safe, "maker", "pack.key"), nil)
	if err != nil {
		t.Fatal(err)
	}
	p := packtest.New(t, packtest.Options{Signer: &packtest.Signer{Sign: signer, Key: c.signer.Key, ConfigDir: c.signer.ConfigDir},
		Header: spec.Manifest{HostOS: "linux", HostArch: "amd64"}})
	c.run("add", c.dir, p.File, "--keys", c.keysOf("maker", "online"))
	c.run("refresh", c.dir, "--keys", c.keysOf("online"))
	if out := c.run("check", c.dir, "linux-amd64", "--root", filepath.Join(c.into, "root.json")); !strings.Contains(out, "1.0.0") {
		t.Errorf("said %q", out)
	}
	c.fails("foreign-key", "add", c.dir, c.pack("1.1.0", c.signer).File, "--keys", c.keysOf("maker", "online"))

	// Who holds what can do what.
	for _, alone := range []string{"holder-1", "holder-2", "holder-3", "maker", "online"} {
		c.fails("signatures are missing", "withdraw", c.dir, "1.0.0", "--keys", c.keysOf(alone))
		c.run("sign", c.dir, "--discard")
		c.fails("signatures are missing", "renew", c.dir, "root", "--keys", c.keysOf(alone, "online"))
		c.run("sign", c.dir, "--discard")
	}
	c.run("withdraw", c.dir, "1.0.0", "--keys", c.keysOf("holder-1", "holder-2", "online"))
	c.run("renew", c.dir, "root", "--keys", c.keysOf("holder-3", "holder-1", "online")) // one is lost

	// The row of the run-book for a lost key of targets: it still takes both.
	lost := filepath.Join(c.safe, "new")
	if err := os.Mkdir(lost, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := trust.GenerateDeveloperKey(filepath.Join(lost, "targets-3.key"), "targets-3"); err != nil {
		t.Fatal(err)
	}
	c.run("rotate", c.dir, "targets", "--key", filepath.Join(c.safe, "holder-1", "targets-1.key.pub"), "--key", filepath.Join(lost, "targets-3.key.pub"),
		"--keys", c.keysOf("new", "holder-1", "holder-2", "online"))
	for _, alone := range []string{"holder-1", "new"} {
		c.fails("signatures are missing", "minimum", c.dir, "0.9.0", "--keys", c.keysOf(alone, "online"))
		c.run("sign", c.dir, "--discard")
	}
	c.run("minimum", c.dir, "0.9.0", "--keys", c.keysOf("holder-1", "new", "online"))
	c.run("check", c.dir, "linux-amd64", "--root", filepath.Join(c.into, "root.json"))
}

// TestReady: what no release can be built with, in words that say what is missing.
func TestReady(t *testing.T) {
	c := newCeremony(t)
	root, channel := filepath.Join(c.into, "root.json"), filepath.Join(c.into, trust.ChannelAddressFile)
	change := func(file, text, want string) {
		t.Helper()
		was, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if text == "" {
			err = os.Remove(file)
		} else {
			err = os.WriteFile(file, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		c.fails(want, "ready", c.into)
		if err := os.WriteFile(file, was, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	change(root, "", "release ceremony makes it")
	change(root, "{}", "root.json")
	change(channel, "", "no address")
	change(channel, "# none yet\n", "no address")
	change(channel, "ftp://example.org\n", "no address")
	c.run("ready", c.into)
	own := filepath.Join(t.TempDir(), "own")
	c.run("init", own, "--developer", "--keys", t.TempDir())
	data, err := os.ReadFile(filepath.Join(own, "metadata", "1.root.json"))
	if err != nil {
		t.Fatal(err)
	}
	change(root, string(data), "at least two")
}

// TestReleaseBuild: a release does not compile without root and address, and with
// them it trusts them and no developer.
func TestReleaseBuild(t *testing.T) {
	c := newCeremony(t)
	keys, err := filepath.Abs(filepath.Join("..", "..", "..", "pack", "trust", "keys"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	compile := func(replace map[string]string) (string, error) {
		t.Helper()
		data, err := json.Marshal(map[string]any{"Replace": replace})
		if err != nil {
			t.Fatal(err)
		}
		overlay := filepath.Join(dir, "overlay.json")
		if err := os.WriteFile(overlay, data, 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), "go", "build", "-tags", "release", "-overlay", overlay, "-o", filepath.Join(dir, "release"), ".")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	root, address := filepath.Join(keys, "root.json"), filepath.Join(keys, trust.ChannelAddressFile)
	ours, theirs := filepath.Join(c.into, "root.json"), filepath.Join(c.into, trust.ChannelAddressFile)
	for lacks, replace := range map[string]map[string]string{
		"keys/root.json": {root: "", address: theirs},
		"keys/channel":   {root: ours, address: ""},
	} {
		if out, err := compile(replace); err == nil || !strings.Contains(out, lacks) {
			t.Errorf("compiled without %s: %v\n%s", lacks, err, out)
		}
	}
	if out, err := compile(map[string]string{root: ours, address: theirs}); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), filepath.Join(dir, "release"), "built").CombinedOutput()
	if want := "release, https://updates.example.org/piwork https://mirror.example.org, root "; err != nil || !strings.HasPrefix(string(out), want) {
		t.Errorf("%v: %s, want %s…", err, out, want)
	}
}
