package job

import (
	"path/filepath"
	"testing"

	"piwork/vmhost/wire"
)

func TestGround(t *testing.T) {
	for dir, want := range map[string][2]string{
		"/folders/A":           {"/folders/A", "."},
		"/folders/A/b/c":       {"/folders/A", "b/c"},
		"/folders/A/../B/c":    {"/folders/B", "c"},
		"/folders":             {"/folders", "."},
		"/foldersX/A":          {"/foldersX/A", "."},
		"/work/in/x":           {"/work/in", "x"},
		wire.StateDir + "/a/b": {wire.StateDir + "/a", "b"},
		"/usr/lib":             {"/usr/lib", "."},
	} {
		top, way := ground(filepath.FromSlash(dir))
		if got := [2]string{filepath.ToSlash(top), filepath.ToSlash(way)}; got != want {
			t.Errorf("%s: %v, want %v", dir, got, want)
		}
	}
}
