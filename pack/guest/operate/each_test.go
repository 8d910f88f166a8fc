package operate

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// Several inputs go into a folder, one by one.
func TestEachIntoFolder(t *testing.T) {
	b := newBench(t)
	j := jpegBytes(t)
	if err := os.Mkdir(filepath.Join(b.dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	in := []string{b.file("a.jpg", j), b.file("sub/A.JPG", j), b.file("cut.jpg", j[:50]), b.file("-rf.jpg", j)}
	out := filepath.Join(b.dir, "out")
	p := wire.ToolParams{Op: "image.convert", In: in, Out: out, Params: map[string]any{"format": "png"}}
	r := b.run(t.Context(), p)
	wantProblems(t, r, map[string]string{"cut.jpg": tools.InputBroken})
	names := func() (names []string) {
		entries, err := os.ReadDir(out)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	if fmt.Sprint(names()) != "[-rf.png A (2).png a.png]" || len(r.Out) != 3 || len(r.Info) != 3 {
		t.Errorf("%q, %+v", names(), r)
	}
	if info, ok := r.Info[1].(tools.ImageInfo); !ok || info.Path != in[1] || info.Out != filepath.Join(out, "A (2).png") {
		t.Errorf("%+v", r.Info[1])
	}
	// Again: everything is there already, and stays.
	r = b.run(t.Context(), p)
	if len(r.Out) != 0 || len(r.Problems) != 4 || problems(r)["a.jpg"] != tools.OutputExists {
		t.Errorf("%+v", r)
	}
	p.Params["replace"] = true
	if r = b.run(t.Context(), p); len(r.Out) != 3 {
		t.Errorf("%+v", r)
	}
	p.Params = map[string]any{"format": "png", "names": []any{"1.png", "2.png", "3.png", "4.png"}}
	if r = b.run(t.Context(), p); len(r.Out) != 3 || filepath.Base(r.Out[2].Path) != "4.png" {
		t.Errorf("%+v", r)
	}
	if left, err := os.ReadDir(b.scratch); err != nil || len(left) != 0 {
		t.Errorf("left in scratch: %v, %v", left, err)
	}
	b.noneLeft()
}

// A folder that was made for nothing goes away again.
func TestEachFolderForNothing(t *testing.T) {
	b := newBench(t)
	out := filepath.Join(b.dir, "out")
	r := b.run(t.Context(), wire.ToolParams{
		Op: "image.convert", In: []string{b.file("a", []byte("no")), b.file("b", nil)}, Out: out, Params: map[string]any{"format": "png"},
	})
	if _, err := os.Stat(out); len(r.Problems) != 2 || !os.IsNotExist(err) {
		t.Errorf("%+v, %v", r, err)
	}
	r = b.run(t.Context(), wire.ToolParams{
		Op: "image.convert", In: []string{b.file("a", []byte("no")), b.file("b", nil)}, Out: b.file("taken", nil), Params: map[string]any{"format": "png"},
	})
	wantProblems(t, r, map[string]string{".": tools.OutputExists})
}

// A link in the folder of results leads nowhere.
func TestFolderWithLink(t *testing.T) {
	b := newBench(t)
	out, elsewhere := filepath.Join(b.dir, "out"), t.TempDir()
	if err := os.Mkdir(out, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(out, "d")); err != nil {
		t.Fatal(err)
	}
	in := b.file("a.zip", zipOf(t, packed{name: "d/evil", body: "x"}, packed{name: "ok", body: "y"}))
	r := b.run(t.Context(), wire.ToolParams{Op: "archive.extract", In: []string{in}, Out: out})
	if got := tree(t, out); got != "d@ ok=y" || tree(t, elsewhere) != "" || len(r.Problems) != 1 || r.Problems[0].Cause != tools.EntryTaken {
		t.Errorf("%s, elsewhere %s, %v", got, tree(t, elsewhere), r.Problems)
	}
}
