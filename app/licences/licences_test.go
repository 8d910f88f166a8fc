package licences

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const again = "run ./scripts/licences"

// Every module that the program links is in the list, in the version of go.mod,
// and none that is not.
func TestModules(t *testing.T) {
	listed := map[string]string{}
	parts, err := Program()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range parts {
		if p.Of == OfProgram {
			listed[p.Name] = p.Version
		}
		if p.Name == "" || len(p.Text) < 10 || p.Licence == "" {
			t.Errorf("%s: licence %q, %d bytes of text", p.Name, p.Licence, len(p.Text))
		}
	}
	mod, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	required := map[string]string{"Go": ""}
	for line := range strings.Lines(string(mod)) {
		if f := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require ")); len(f) >= 2 && strings.HasPrefix(f[1], "v") {
			required[f[0]] = f[1]
		}
	}
	for name, version := range listed {
		if v, there := required[name]; !there || v != version {
			t.Errorf("%s %s is listed, go.mod has %q: %s", name, version, v, again)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-tags", "desktop,production", "-f", "{{with .Module}}{{.Path}}{{end}}", ".")
	cmd.Dir = filepath.Join("..", "..")
	linked, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	n := 0
	for name := range strings.FieldsSeq(string(linked)) {
		if _, there := listed[name]; !there && name != "piwork" {
			t.Errorf("%s is linked and not listed: %s", name, again)
		}
		n++
	}
	if n < 100 {
		t.Errorf("only %d packages were looked at", n)
	}
}

// Every package that the pages are made of is in the list.
func TestPages(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "frontend", "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	var lock struct {
		Packages map[string]struct {
			Version      string
			Dependencies map[string]string
		}
	}
	if err := json.Unmarshal(data, &lock); err != nil {
		t.Fatal(err)
	}
	parts, err := Program()
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, p := range parts {
		if p.Of == OfWindow {
			listed[p.Name] = true
			found := false
			for path, q := range lock.Packages {
				found = found || strings.HasSuffix(path, "node_modules/"+p.Name) && q.Version == p.Version
			}
			if !found {
				t.Errorf("%s %s is listed, and not in the lock: %s", p.Name, p.Version, again)
			}
		}
	}
	for _, name := range []string{"svelte", "tailwindcss"} {
		lock.Packages[""].Dependencies[name] = ""
	}
	for name := range lock.Packages[""].Dependencies {
		if !listed[name] {
			t.Errorf("%s is not listed: %s", name, again)
		}
	}
}
