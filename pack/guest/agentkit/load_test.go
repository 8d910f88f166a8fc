package agentkit

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// counting loads pi as a Node that waits does, and counts what it draws and leaves
// going on meanwhile.
const counting = `
const drawn = {}, crypto = require("node:crypto"), load = process.argv[1];
for (const [of, names] of [[Math, ["random"]], [crypto, ["randomUUID", "randomBytes", "randomFillSync", "randomInt"]], [globalThis.crypto, ["randomUUID", "getRandomValues"]]])
  for (const name of names) { const real = of[name]; of[name] = function (...args) { drawn[name] = (drawn[name] ?? 0) + 1; return real.apply(this, args); }; }
require("node:module").syncBuiltinESMExports();
process.argv = [process.argv[0], process.argv[2]];
const before = process.getActiveResourcesInfo().length;
require(load);
const modules = Object.keys(require.cache).map((file) => require("node:path").basename(file).replace(/-[A-Z0-9]+\.js$/, ""));
console.log(JSON.stringify({ drawn, going: process.getActiveResourcesInfo().slice(before), modules }));
`

// What pi draws while it is loaded is the same in all machines of a template: it
// must be nothing that is to be their own. A new version of pi that draws more has
// to be looked at (load.cjs).
func TestRealPiLoads(t *testing.T) {
	dir, node := os.Getenv("PIWORK_PI"), os.Getenv("PIWORK_NODE")
	if dir == "" || node == "" {
		t.Skip("PIWORK_PI and PIWORK_NODE name no unpacked pi: ./scripts/test vm plays it with that of the pack")
	}
	load := filepath.Join(t.TempDir(), "load.cjs")
	write(t, load, Load)
	cmd := exec.CommandContext(t.Context(), node, "-e", counting, load, filepath.Join(dir, "dist", "bundle", "cli.js"))
	cmd.Env = append(Env(t.TempDir()), "PATH="+os.Getenv("PATH"), "HOME="+t.TempDir())
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var got struct {
		Drawn   map[string]int
		Going   []string
		Modules []string
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, n := range got.Drawn {
		if name != "random" || n > 5 { // the marks of escaped signs in patterns
			t.Errorf("%d draws of %s", n, name)
		}
	}
	got.Going = slices.DeleteFunc(got.Going, func(s string) bool { return s == "PipeWrap" || s == "TTYWrap" }) // its own streams
	if len(got.Going) > 0 {
		t.Errorf("it leaves %v going on", got.Going)
	}
	for _, name := range []string{"index.js", "virtual-modules", "jiti-static-loader", "jiti.cjs", "anthropic-messages", "openai-completions", "openai-responses"} {
		if !slices.Contains(got.Modules, name) {
			t.Errorf("%s is not loaded ahead: %q", name, got.Modules)
		}
	}
}
