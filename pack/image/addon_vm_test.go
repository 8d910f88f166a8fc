//go:build vm && linux

package image_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/pack"
	"piwork/pack/guest/guestvm"
	"piwork/pack/image"
	"piwork/pack/packtest"
	"piwork/pack/spec"
	"piwork/pack/trust"
	"piwork/scripts/lib/tier"
	"piwork/vmhost/wire"
)

// allOfAddOns reports whether add-ons are named, and all of their work is done.
func allOfAddOns() bool { return os.Getenv("PIWORK_TEST_ADDONS") != "" }

// slowPrograms are operations that take minutes in slow mode, each time: they are run
// when their add-on is named, as ./scripts/test all does.
var slowPrograms = map[string]bool{"lilypond.render": true}

// slowWork is what of addOnWork has such a program at work.
var slowWork = map[string]bool{"notes": true}

// TestAddOns makes add-ons as ./scripts/pack does, installs their packs over that
// of the runtime, and works with them in a guest: by default the smallest, but for its
// slow programs, or those that PIWORK_TEST_ADDONS names ("all" is every one).
func TestAddOns(t *testing.T) {
	tier.Rest(t, "TestOperations of pack/guest/guestvm, of the base")
	names := strings.Split(cmp.Or(os.Getenv("PIWORK_TEST_ADDONS"), image.AddOns()[0]), ",")
	if slices.Contains(names, "all") {
		names = image.AddOns()
	}
	r, err := image.Build(t.Context(), image.Options{SourceDir: "../..", AddOns: names, Log: func(line string) { t.Log(line) }})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range r.AddOns {
		name, ok := a.Header.AddOn()
		if !ok || a.Header.Layers[0].Base != r.Header.BaseRoot() || a.Header.Version != r.Header.Version {
			t.Errorf("%+v is no add-on of %s", a.Header.Layers, r.Header.Version)
		}
		t.Run(name, func(t *testing.T) {
			in := installAddOn(t, a)
			if !in.Manifest.FitsOver(&r.Header) {
				t.Error("does not fit over the runtime that it was built with")
			}
			useAddOn(t, in, name)
		})
	}
}

// installAddOn packs, signs and installs an add-on, and checks every file of it.
func installAddOn(t *testing.T, a image.Result) *pack.Installed {
	t.Helper()
	signer := packtest.NewSigner(t)
	p := packtest.Pack{File: filepath.Join(t.TempDir(), a.Header.ArchiveName()), Signer: signer}
	if _, err := pack.Build(t.Context(), pack.BuildOptions{Dir: a.Dir, Header: a.Header, Signer: signer.Sign, Out: p.File, Level: 1}); err != nil {
		t.Fatal(err)
	}
	var err error
	if p.Keys, err = trust.NewKeyRing(signer.Key); err != nil {
		t.Fatal(err)
	}
	_, in := p.Install(t)
	if err := in.Verify(t.Context(), pack.LevelFull); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(p.File)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d MB, %d MB packed in a hurry", in.Manifest.Bytes()/1e6, info.Size()/1e6)
	return in
}

// machineMB is the memory of the machines that tasks get, in MiB: an add-on that
// needs more would be of no use.
const machineMB = 1024

// guest is a guest with an add-on.
type guest struct{ *guestvm.Machine }

// run runs a script as the guest's user, in a directory of its own, and returns
// what it prints, each line behind a line feed. Slow mode takes its time, a first
// start in particular.
func (g guest) run(name, script string) string {
	g.T.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	defer cancel()
	began := time.Now()
	var r wire.ExecResult
	err := g.Client.CallResult(ctx, wire.MethodExecRun, wire.ExecParams{
		ID:     strings.ReplaceAll(name, " ", "-"),
		Argv:   []string{"bash", "-c", "cd $(mktemp -d /work/XXXXXX) || exit; (" + script + "\n); code=$?; " + memoryUsed + "; exit $code"},
		Limits: wire.Limits{WallMS: 1_200_000, CPUMS: 1_200_000, OutputBytes: 1 << 20},
	}, &r)
	if err != nil {
		g.T.Fatalf("%s: %v", name, err)
	}
	out, used, _ := strings.Cut(string(r.Stdout), "memory: ")
	g.T.Logf("%s: %.0f s, at most %s MiB of memory with what was cached", name, time.Since(began).Seconds(), strings.TrimSpace(used))
	if r.ExitCode != 0 || len(r.Stderr) > 0 {
		g.T.Errorf("%s: exit code %d: %s%s", name, r.ExitCode, out, r.Stderr)
	}
	return "\n" + out
}

// memoryUsed prints the most memory that a script and its programs had (Linux,
// Documentation/admin-guide/cgroup-v2.rst, memory.peak).
const memoryUsed = `echo "memory: $(( $(cat /sys/fs/cgroup$(cut -d: -f3- /proc/self/cgroup)/memory.peak) >> 20 ))"`

// useAddOn works with an add-on over the runtime that is installed.
func useAddOn(t *testing.T, addOn *pack.Installed, name string) {
	base := packtest.Unpacked(t).Manifest
	if !addOn.Manifest.FitsOver(&base) {
		t.Fatalf("version %s is installed: it is not of this source tree", base.Version)
	}
	v := base.Layers[0].Verity
	layer := addOn.Manifest.Layers[0]
	g := guest{guestvm.Boot(t, guestvm.Options{
		MemoryMB:    machineMB,
		CommandLine: fmt.Sprintf("piwork.verity=%s:%s:%d", v.RootHash, v.Salt, v.DataBlocks),
		Disks:       []guestvm.Disk{{Serial: "layer-0", File: filepath.Join(addOn.Dir, filepath.FromSlash(layer.Path))}},
	})}
	guestvm.Call[wire.Hello](g.Machine, wire.MethodHello, wire.HelloParams{Version: wire.Version, App: "test"})
	guestvm.Call[wire.Empty](g.Machine, wire.MethodPrepare, wire.PrepareParams{
		UnixNano: time.Now().UnixNano(), Entropy: bytes.Repeat([]byte{7}, 64), Hostname: "workroom", TimeZone: "UTC",
		Layers: []wire.Layer{wireLayer(layer)},
	})
	for _, c := range addOnWork[name] {
		if slowWork[c.name] && !allOfAddOns() {
			continue
		}
		out := g.run(c.name, c.script)
		for _, line := range c.want {
			if !strings.Contains(out, "\n"+line) {
				t.Errorf("%s: no line that starts with %q in %s", c.name, line, out)
			}
		}
	}
	operateAddOn(t, g.Machine, name)
	if out := g.run("libraries", missingLibraries); strings.TrimSpace(out) != "" {
		t.Errorf("libraries are missing: %s", out)
	}
	if out := g.run("base", `magick -version | head -c 20; node -p 1+1; dpkg-query -W -f '${Status}' imagemagick`); !strings.Contains(out, "Version: ImageMagick") || !strings.Contains(out, "install ok installed") {
		t.Errorf("the base under it: %s", out)
	}
	checkTerms(t, addOn, strings.Fields(g.run("packages", "! cd /var/lib/dpkg/status.d 2>/dev/null || ls")))
	guestvm.Call[wire.Empty](g.Machine, wire.MethodShutdown, nil)
	g.AwaitExit()
}

// checkTerms: the pack has the terms of every package of Debian in its image, and offers the
// source of each, and of what else it holds.
func checkTerms(t *testing.T, in *pack.Installed, packages []string) {
	t.Helper()
	offers, err := os.ReadFile(filepath.Join(in.Dir, "licenses", "SOURCES.json"))
	if err != nil {
		t.Fatal(err)
	}
	terms := map[string]bool{}
	for _, l := range in.Manifest.Licences {
		info, err := os.Stat(filepath.Join(in.Dir, filepath.FromSlash(l.File)))
		if err != nil || info.Size() == 0 {
			t.Errorf("terms of %s: %v", l.Package, err)
		}
		source, debian := strings.CutPrefix(l.Source, "debian:")
		if !debian {
			if named := fmt.Sprintf(`"name": "%s",\s+"version": "%s"`, regexp.QuoteMeta(l.Package), regexp.QuoteMeta(l.Version)); !regexp.MustCompile(named).Match(offers) {
				t.Errorf("no offer of the source of %s %s: %s", l.Package, l.Version, l.Source)
			}
			continue
		}
		terms[l.Package] = true
		source, _, _ = strings.Cut(source, " ")
		if !strings.Contains(string(offers), fmt.Sprintf("%q: %q", "name", source)) || !strings.Contains(string(offers), l.Package+" "+l.Version) {
			t.Errorf("no offer of the source of %s: %s", l.Package, l.Source)
		}
	}
	if have := slices.Sorted(maps.Keys(terms)); len(in.Manifest.Licences) == 0 || !slices.Equal(have, slices.Sorted(slices.Values(packages))) {
		t.Errorf("terms of %q, packages %q", have, packages)
	}
}

// wireLayer is what the guest is told about a layer on the first further disk.
func wireLayer(l spec.Layer) wire.Layer {
	return wire.Layer{Name: l.Name, Disk: "layer-0", RootHash: l.Verity.RootHash, Salt: l.Verity.Salt, DataBlocks: l.Verity.DataBlocks}
}
