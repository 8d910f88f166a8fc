package image

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piwork/pack/image/npm"
)

func TestChooseNode(t *testing.T) {
	for asked, want := range map[string]string{
		"": nodeVersion, "22.20.0": "22.20.0", "v24.1.0": "24.1.0",
		"22.18.9": "", "20.20.2": "", "latest": "", "22": "", "../x": "", "22.20.0; rm": "",
	} {
		got, err := chooseNode(asked)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q %v", asked, got, err)
		}
	}
}

// TestNPMLock: the lock file is what the recipe asks for, names no host, and has
// a name of its own for another Node.
func TestNPMLock(t *testing.T) {
	p := platforms["amd64"]
	file := npmLockFile("../..", p, nodeVersion)
	l, err := npm.ReadLock(file)
	if err != nil {
		t.Fatal(err)
	}
	if !l.For(programs(p, nodeVersion)) {
		t.Error("made for another recipe: run ./scripts/pack --lock")
	}
	raw, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(raw), "://") {
		t.Errorf("names a host (%v)", err)
	}
	if other := npmLockFile("../..", p, "24.0.0"); other == file || filepath.Dir(other) != filepath.Dir(file) {
		t.Errorf("%s", other)
	}
}

func TestFilesOfTheAIProgram(t *testing.T) {
	for name, want := range map[string]bool{
		"package.json": true, "dist/bundle/cli.js": true, "dist/bundle/chunks/x.js": true, "dist/modes/interactive/theme/dark.json": true,
		"dist/bundle/cli.js.map": false, "dist/core/agent.js": false, "docs/x.md": false, "examples/x.ts": false, "dist/modes/interactive/theme/theme.js": false,
	} {
		if piFile(name) != want {
			t.Errorf("%s: %t", name, !want)
		}
	}
}
