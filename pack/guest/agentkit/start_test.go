package agentkit

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What the host lays down is found in pi's own directory, whenever it comes; what
// pi makes there stays there.
func TestMakeDir(t *testing.T) {
	state, dir := t.TempDir(), filepath.Join(t.TempDir(), "run", "pi")
	if err := MakeDir(dir, state, os.Getuid(), os.Getgid()); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(dir); err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", st, err)
	}
	for _, name := range laid {
		if err := os.WriteFile(filepath.Join(state, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(data) != name {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "auth.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(state, "auth.json")); err == nil {
		t.Error("it lies in the state")
	}
	if MakeDir(filepath.Join(state, "settings.json"), state, os.Getuid(), os.Getgid()) == nil {
		t.Error("a file is taken for a directory")
	}
}

// Node keeps pi's compiled code where Warm ran, and uses it: code that does not fit is
// written again. PIWORK_PI names a directory as the runtime pack has it at /opt/piwork/pi.
func TestRealPiWarms(t *testing.T) {
	pi, node := os.Getenv("PIWORK_PI"), os.Getenv("PIWORK_NODE")
	if pi == "" || node == "" {
		t.Skip("PIWORK_PI and PIWORK_NODE name no unpacked pi: ./scripts/test vm plays it with that of the pack")
	}
	bin, dir, tmp := t.TempDir(), t.TempDir(), t.TempDir()
	if err := os.Symlink(node, filepath.Join(bin, "node")); err != nil {
		t.Fatal(err)
	}
	warm := func() map[string]time.Time {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", strings.ReplaceAll(Warm, Program, filepath.Join(pi, "dist", "bundle", "cli.js")))
		cmd.Env = append(Env(dir), "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+tmp, "TMPDIR="+tmp)
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), `"command":"get_state","success":true`) {
			t.Fatalf("%v\n%s", err, out)
		}
		kept := map[string]time.Time{}
		if err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			st, err := e.Info()
			if err == nil {
				kept[path] = st.ModTime()
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return kept
	}
	first := warm()
	second := warm()
	maps.DeleteFunc(second, func(path string, _ time.Time) bool { return first[path].IsZero() }) // of its own small script
	if len(first) < 20 || !maps.Equal(first, second) {
		t.Errorf("%d files, then %d the same", len(first), len(second))
	}
	for path := range first {
		if !strings.HasPrefix(path, filepath.Join(dir, cacheName)) {
			t.Errorf("it leaves %s", path)
		}
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("it leaves %v, %v", left, err)
	}
}
