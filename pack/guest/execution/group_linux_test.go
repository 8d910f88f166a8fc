package execution

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// groupFiles is a directory with the files of a cgroup.
func groupFiles(t *testing.T, names ...string) *Group {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return &Group{dir: dir}
}

func TestDisks(t *testing.T) {
	dir := t.TempDir()
	for name, number := range map[string]string{"vda": "254:0\n", "vdb": "254:16\n", "loop0": "7:0\n", "ram1": "1:1\n", "zram0": "252:0\n", "gone": ""} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if number == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name, "dev"), []byte(number), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := disks(dir)
	if err != nil || !slices.Equal(got, []string{"254:0", "254:16"}) {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := disks(filepath.Join(dir, "none")); err != nil || len(got) != 0 {
		t.Errorf("%q, %v", got, err)
	}
}

// A kernel that bounds no disks bounds the rest.
func TestBound(t *testing.T) {
	g := groupFiles(t, "memory.max", "pids.max", "cpu.max")
	if err := g.Bound(GroupLimits{Memory: 1 << 20, Pids: 7, Processors: 3, IO: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{"memory.max": "1048576", "pids.max": "7", "cpu.max": "300000 100000"} {
		if b, err := os.ReadFile(filepath.Join(g.dir, file)); err != nil || string(b) != want {
			t.Errorf("%s is %q, %v", file, b, err)
		}
	}
	if _, err := os.Stat(filepath.Join(g.dir, "io.max")); err == nil {
		t.Error("io.max was made up")
	}
}
