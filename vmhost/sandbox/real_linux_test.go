//go:build vm

package sandbox

import (
	"context"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/pack/packtest"
	"piwork/pack/spec"
	"piwork/vmhost"
	"piwork/vmhost/hosted/hostedtest"
	"piwork/vmhost/runtimetest/parity"
	"piwork/vmhost/runtimetest/person"
	"piwork/vmhost/sandbox/tree"
	"piwork/vmhost/wire"
)

// real is a sandbox over the pack that PIWORK_RUNTIME_DIR names, with the agent of this
// source tree.
func real(t *testing.T) Config {
	t.Helper()
	c := config(t)
	in := packtest.Unpacked(t)
	initrd, err := in.Path(spec.RoleInitrd)
	if err != nil {
		t.Fatal(err)
	}
	c.Root = hostedtest.Tree(t, in, "trees", in.ManifestSHA256)
	if agent, err := tree.Agent(filepath.Dir(c.Root), initrd, in.ManifestSHA256); err != nil {
		t.Errorf("%s %v", agent, err)
	}
	return c
}

// installs installs a package of Python's and one of JavaScript's, as AI programs do.
const installs = `cd $(mktemp -d) && python3 - <<'P'
import zipfile
with zipfile.ZipFile("greet-1.0-py3-none-any.whl", "w") as z:
    z.writestr("greet.py", "def main(): print('from a wheel')\n")
    z.writestr("greet-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: greet\nVersion: 1.0\n")
    z.writestr("greet-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    z.writestr("greet-1.0.dist-info/entry_points.txt", "[console_scripts]\ngreet = greet:main\n")
    z.writestr("greet-1.0.dist-info/RECORD", "")
P
pip install -q --no-index ./greet-1.0-py3-none-any.whl && greet
mkdir p && echo '{"name": "hello", "version": "1.0.0", "bin": "hello.js"}' > p/package.json && printf '#!/usr/bin/env node\nconsole.log("from a package")\n' > p/hello.js &&
	npm pack --silent ./p >/dev/null && npm install -g --offline --silent ./hello-1.0.0.tgz && hello`

// What a pack brings for a machine works without one: its programs and its operations.
func TestPackForReal(t *testing.T) {
	base := real(t)
	conform(t, base, 2*time.Minute, false)

	c, dir, _ := shared(t, base)
	f, err := os.Create(filepath.Join(dir, "rw/picture.png"))
	if err == nil {
		err = png.Encode(f, image.NewGray(image.Rect(0, 0, 40, 30)))
	}
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	r := connected(t, c)
	if !slices.Contains(r.Hello().Capabilities, wire.CanTool) {
		t.Errorf("%+v", r.Hello())
	}
	if got := run(t, r, "python3 -c 'print(6*7)' && node -e 'console.log(6*8)' && git init -q g && ls g/.git/HEAD"); string(got.Stdout) != "42\n48\ng/.git/HEAD\n" {
		t.Errorf("%s %s", got.Stdout, got.Stderr)
	}
	if got := run(t, r, installs); string(got.Stdout) != "from a wheel\nfrom a package\n" {
		t.Errorf("%s %s", got.Stdout, got.Stderr)
	}
	for _, p := range []wire.ToolParams{
		{Op: "file.hash", In: []string{"/folders/rw/a.txt"}},
		{Op: "image.info", In: []string{"/folders/rw/picture.png"}},
		{Op: "image.convert", In: []string{"/folders/rw/picture.png"}, Out: "/folders/rw/picture.pdf", Params: map[string]any{"format": "pdf"}},
		{Op: "image.resize", In: []string{"/folders/rw/picture.png"}, Out: wire.OutDir + "/small.png", Params: map[string]any{"width": 10}},
		{Op: "pdf.info", In: []string{"/folders/rw/picture.pdf"}},
		{Op: "text.extract", In: []string{"/folders/rw/a.txt"}, Out: wire.OutDir + "/text.txt"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		obs, err := r.Execute(ctx, vmhost.Action{Tool: &p})
		cancel()
		if err != nil || len(obs.Tool.Problems) > 0 || len(obs.Tool.Out)+len(obs.Tool.Info) == 0 {
			t.Errorf("%s: %+v %v", p.Op, obs.Tool, err)
		}
	}
	if b, err := os.ReadFile(filepath.Join(dir, "rw/picture.pdf")); err != nil || !strings.HasPrefix(string(b), "%PDF") {
		t.Errorf("%.20q %v", b, err)
	}
}

// What scripts and tool calls give in a machine, they give in a sandbox.
func TestParityForReal(t *testing.T) {
	t.Setenv("TZ", "UTC")
	parity.Run(t, vmhost.KindSandbox, connected(t, real(t)))
}

// A folder of a person is a file system of its own, which this computer's kernel mounts, and
// gives the same. What only a person is refused is tried as one.
func TestParityInFoldersForReal(t *testing.T) {
	tree, _ := parts(t)
	dir := filepath.Dir(tree)
	if os.Getuid() == 0 {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if !person.Again(t, person.Options{Env: []string{madeParts + "=" + dir}}.Pack()) {
		return
	}
	t.Setenv("TZ", "UTC")
	c, _, _ := shared(t, real(t))
	parity.Run(t, parity.Folders+":"+vmhost.KindSandbox, connected(t, c))
}
