package agentkit

import (
	"os"
	"path/filepath"
	"testing"
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
