package operate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// Many files from many folders are moved without anything that stays open, and a
// link on the way of one is found although the way of another was free.
func TestMovesFromManyFolders(t *testing.T) {
	const manyFolders = 266 // more than are kept open at a time
	b := newBench(t)
	p := wire.ToolParams{Op: "file.move"}
	var to []string
	for i := range manyFolders {
		p.In = append(p.In, b.at(fmt.Sprintf("from %d/a.txt", i), "2024-01-02", fmt.Sprint(i)))
		to = append(to, filepath.Join(b.dir, "to", fmt.Sprint(i%7), fmt.Sprintf("%d.txt", i)))
	}
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(b.dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(outside, "in it"), 0o755); err != nil {
		t.Fatal(err)
	}
	inside, other := filepath.Join(b.dir, "link", "b.txt"), b.at("c.txt", "2024-01-02", "c")
	if err := os.WriteFile(inside, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p.In = append(p.In, inside, other)
	to = append(to, filepath.Join(b.dir, "link", "in it", "b.txt"), filepath.Join(b.dir, "link", "in it", "c.txt"))
	p.Params = map[string]any{"to": to}
	r := b.run(t.Context(), p)
	if len(r.Info) != len(p.In)-1 || len(r.Problems) != 1 || r.Problems[0].Path != other || r.Problems[0].Code != tools.OutputDenied {
		t.Errorf("%d moved, %+v", len(r.Info), r.Problems)
	}
	for i, in := range p.In[:manyFolders] {
		if got, err := os.ReadFile(to[i]); err != nil || string(got) != fmt.Sprint(i) {
			t.Errorf("%s: %q, %v", in, got, err)
		}
	}
	if n := openUnder(t, b.dir); n != 0 {
		t.Errorf("%d are open in the end", n)
	}
}

// openUnder counts descriptors of this process that lead below a directory.
func openUnder(t *testing.T, dir string) (n int) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if to, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && strings.HasPrefix(to, dir) {
			n++
		}
	}
	return n
}
