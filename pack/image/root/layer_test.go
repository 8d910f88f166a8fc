package root

import (
	"archive/tar"
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"
)

// treeOf is the tree of a root made of items, as it is after it was stored.
func treeOf(t *testing.T, items ...item) *Tree {
	t.Helper()
	src := archiveOf(t, items...)
	var out bytes.Buffer
	stats, err := Rewrite(&out, src, src.Size(), Options{Time: now})
	if err != nil {
		t.Fatal(err)
	}
	var stored bytes.Buffer
	if err := stats.Tree.Encode(&stored); err != nil {
		t.Fatal(err)
	}
	tree, err := DecodeTree(&stored)
	if err != nil || !maps.Equal(tree, stats.Tree) {
		t.Fatalf("stored %v, read %v: %v", stats.Tree, tree, err)
	}
	return &tree
}

func TestLayer(t *testing.T) {
	dir := func(name string) item { return item{name, tar.TypeDir, 0o755, 0, "", 0} }
	link := func(name, to string) item { return item{name, tar.TypeSymlink, 0o777, 0, to, 0} }
	hard := func(name, to string) item { return item{name, tar.TypeLink, 0o644, 0, to, 0} }
	base := []item{
		dir("etc"), file644("etc/passwd", "a"), file644("etc/same", "x"), dir("usr"), dir("usr/lib"), dir("usr/share"),
		file644("usr/lib/a", "1"), hard("usr/lib/b", "./usr/lib/a"), link("lib", "usr/lib"), file644("var/lib/dpkg/status", "one"),
	}
	keep := func(name string) bool { return name == "var/lib/dpkg/status" || strings.HasPrefix(name, "var/cache/") }
	later := file644("etc/same", "x")
	later.time = 5 // times do not count
	for name, c := range map[string]struct {
		items []item
		want  []string
		fails string
	}{
		"nothing new": {items: base},
		"new files with their directories": {
			items: append(slices.Clone(base), file644("usr/lib/new/c", "2"), link("usr/lib/new/d", "c"), later),
			want:  []string{"usr", "usr/lib", "usr/lib/new", "usr/lib/new/c", "usr/lib/new/d"},
		},
		"new hard links": {
			items: append(slices.Clone(base), file644("opt/x", "2"), hard("opt/y", "./opt/x")),
			want:  []string{"opt", "opt/x", "opt/y"},
		},
		"the base's list of packages stays": {
			items: append(slices.Clone(base[:9]), file644("var/lib/dpkg/status", "two"), file644("var/cache/x", "")),
		},
		"less than the base":        {items: base[:3]},
		"other content":             {items: []item{file644("etc/same", "y")}, fails: "changes 1 files of its base: etc/same"},
		"other size":                {items: []item{file644("etc/same", "xx")}, fails: "etc/same"},
		"other mode":                {items: []item{{"etc/same", tar.TypeReg, 0o600, 0, "x", 0}}, fails: "etc/same"},
		"other owner":               {items: []item{{"etc/same", tar.TypeReg, 0o644, 7, "x", 0}}, fails: "etc/same"},
		"other target":              {items: []item{link("lib", "usr/lib64")}, fails: "lib"},
		"a file is now a directory": {items: []item{dir("etc/same")}, fails: "etc/same"},
		"mode of a directory":       {items: []item{{"usr", tar.TypeDir, 0o700, 0, "", 0}}, fails: "usr"},
		"a hard link into the base": {items: append(slices.Clone(base), hard("usr/lib/z", "./usr/lib/a")), fails: "of the base"},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{Base: treeOf(t, base...), Keep: keep}
			_, got, err := rewrite(t, o, c.items...)
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Fatalf("error %v, want one with %q", err, c.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			delete(got, ".")
			if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, c.want) {
				t.Errorf("%q, want %q", names, c.want)
			}
		})
	}
}
