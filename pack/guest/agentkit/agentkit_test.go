package agentkit

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piwork/vmhost/wire"
)

// TestExtensions runs the tests of the extensions with Node, where there is one.
func TestExtensions(t *testing.T) {
	node := os.Getenv("PIWORK_NODE")
	if node == "" {
		var err error
		if node, err = exec.LookPath("node"); err != nil {
			t.Skip("no Node on this computer: ./scripts/test brings its own, which runs this")
		}
	}
	dir := t.TempDir()
	for _, f := range append(Files(), File{"shell.cjs", shell}, File{MCP, mcp}) {
		write(t, filepath.Join(dir, f.Name), f.Data)
	}
	if err := os.CopyFS(filepath.Join(dir, "testdata"), os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, "--test", filepath.Join(dir, "testdata", "commands.test.mjs"), filepath.Join(dir, "testdata", "web.test.mjs"), filepath.Join(dir, "testdata", "folder.test.mjs"), filepath.Join(dir, "testdata", "servers.test.mjs"), filepath.Join(dir, "testdata", "mcp.test.mjs"), filepath.Join(dir, "testdata", "shell.test.mjs"))
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "fail 0") {
		t.Fatalf("no tests were run:\n%s", out)
	}
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Both languages name the same things.
func TestNames(t *testing.T) {
	for _, name := range []string{`"http://` + wire.GatewayAddr + `"`, `"` + PathCommand + `"`, `"` + wire.EndedTimeout + `"`} {
		if !strings.Contains(string(commands), name) {
			t.Errorf("the extension for commands does not know %s", name)
		}
	}
	for _, name := range []string{`"http://` + wire.GatewayAddr + `"`, `name: "` + ToolFetch + `"`, `name: "` + ToolSearch + `"`} {
		if !strings.Contains(string(web), name) {
			t.Errorf("the extension for the web does not know %s", name)
		}
	}
	for _, name := range []string{`"http://` + wire.GatewayAddr + `"`, `name: "` + ToolFolder + `"`, `"` + PathFolder + `"`} {
		if !strings.Contains(string(folder), name) {
			t.Errorf("the extension for folders does not know %s", name)
		}
	}
	for _, name := range []string{`"http://` + wire.GatewayAddr + `"`, `"` + PathServer + `"`, `"` + ServersList + `"`} {
		if !strings.Contains(string(servers), name) {
			t.Errorf("the extension for servers does not know %s", name)
		}
	}
	for _, place := range []string{"/folders", "/work", "/state/results", "/state/uploads"} {
		if !strings.Contains(Prompt, place) {
			t.Errorf("the prompt does not say what %s is", place)
		}
	}
}
