package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// allowed are the modules that the program which the guest boots from is made
// of: the boot reads and unpacks all of it.
var allowed = []string{
	"piwork", "golang.org/x/sys", "golang.org/x/net", "golang.org/x/sync", "github.com/creachadair/jrpc2", "github.com/creachadair/mds",
	"github.com/hashicorp/yamux",
}

// TestInitIsSmall: what operations need is in a program of its own. archive/tar is for the
// programs that a computer elsewhere is sent, and 22 KB.
func TestInitIsSmall(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}} {{.ImportPath}}", "piwork/pack/guest/cmd/piwork-guest")
	cmd.Env = append(os.Environ(), "GOOS=linux", "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		module, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		seen[name] = true
		if module != "" && !slices.Contains(allowed, module) {
			t.Errorf("the guest's init imports %s of %s", name, module)
		}
		for _, heavy := range []string{"piwork/pack/guest/operate", "image", "archive/zip", "encoding/xml", "text/template", "html/template"} {
			if name == heavy || strings.HasPrefix(name, heavy+"/") {
				t.Errorf("the guest's init imports %s", name)
			}
		}
	}
	if !seen["piwork/pack/guest/agent"] || !seen["piwork/pack/guest/order"] {
		t.Errorf("the list is not what it should be: %d packages", len(seen))
	}
}
