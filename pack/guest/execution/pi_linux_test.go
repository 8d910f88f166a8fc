package execution

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piwork/pack/guest/agentkit"
	"piwork/vmhost/wire"
)

// The real pi loads ahead of its start, and starts then. PIWORK_PI names a
// directory as the runtime pack has it at /opt/piwork/pi.
func TestRealPiWaits(t *testing.T) {
	dir := os.Getenv("PIWORK_PI")
	if dir == "" {
		t.Skip("PIWORK_PI names no unpacked pi: ./scripts/test vm plays it in a machine")
	}
	node := os.Getenv("PIWORK_NODE")
	if node == "" {
		node = nodePath(t)
	}
	bin, home := t.TempDir(), t.TempDir()
	if err := os.Symlink(node, filepath.Join(bin, "node")); err != nil {
		t.Fatal(err)
	}
	e := newTestEngine(t, nil)
	e.cfg.Env = func() []string { return []string{"HOME=" + home, "LANG=C.UTF-8", "PATH=" + bin + ":/usr/bin:/bin"} }
	spares := withSpare(t, e, nil)
	main := filepath.Join(dir, "dist", "bundle", "cli.js")
	env := agentkit.Env(filepath.Join(home, "pi"))
	spares.Kit = &Kit{Main: main, Load: agentkit.Load, Env: env}
	p := wire.ExecParams{Argv: []string{"node", main, "--mode", "rpc", "--no-session", "--offline", "--no-extensions"}, Env: map[string]string{}}
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		p.Env[name] = value
	}
	p.Stdin = []byte(`{"id":"1","type":"get_state"}` + "\n")
	spares.ready(t)
	for _, id := range []string{"waited", "plain"} {
		p.ID = id
		r, err := e.Run(t.Context(), p)
		if err != nil || r.ExitCode != 0 || !strings.Contains(string(r.Stdout), `"command":"get_state","success":true`) {
			t.Errorf("%s: %+v, %v\n%s\n%s", id, r.ExitCode, err, r.Stdout, r.Stderr)
		}
		t.Logf("%s: %d ms, processor %d ms", id, r.WallMS, r.CPUMS)
		if spares.PID() != 0 {
			t.Error("the waiting node was not used")
		}
	}
}
