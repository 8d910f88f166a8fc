package image

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"piwork/pack/spec"
)

func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func readFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		files[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestUpdate(t *testing.T) {
	parts, dir := t.TempDir(), t.TempDir()
	writeFiles(t, parts, map[string]string{"k": "kernel", "i": "initramfs 2", "r": "root"})
	writeFiles(t, dir, map[string]string{
		"guest/kernel": "kernel", "guest/init": "initramfs 1", "guest/old": "x",
		spec.ManifestName: "{}", spec.SignatureName: "sig",
	})
	files := map[string]string{
		"guest/kernel": filepath.Join(parts, "k"), "guest/init": filepath.Join(parts, "i"), "new/root": filepath.Join(parts, "r"),
	}
	held, err := os.Open(filepath.Join(dir, "guest/init"))
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	before, err := os.Stat(filepath.Join(dir, "guest/kernel"))
	if err != nil {
		t.Fatal(err)
	}
	b := &builder{}
	if err := b.update(t.Context(), dir, files); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"guest/kernel": "kernel", "guest/init": "initramfs 2", "new/root": "root",
		spec.ManifestName: "{}", spec.SignatureName: "sig",
	}
	if got := readFiles(t, dir); !maps.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	after, err := os.Stat(filepath.Join(dir, "guest/kernel"))
	if err != nil || !os.SameFile(before, after) {
		t.Errorf("a file that is the same was replaced (%v)", err)
	}
	old := make([]byte, 20)
	if n, _ := held.Read(old); string(old[:n]) != "initramfs 1" {
		t.Errorf("whoever had the file open now reads %q", old[:n])
	}
	if err := os.Chmod(filepath.Join(dir, "guest/kernel"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := b.update(t.Context(), dir, files); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "guest/kernel")); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("the mode is not mended: %v %v", info.Mode(), err)
	}
}

func TestListInto(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"bin/q": "", "lib/x/y.so": "", usedFile: "", licencesFile: ""})
	files := map[string]string{}
	if err := listInto(files, dir, "qemu"); err != nil {
		t.Fatal(err)
	}
	if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, []string{"qemu/bin/q", "qemu/lib/x/y.so"}) {
		t.Errorf("%q", got)
	}
}

func TestTreeHash(t *testing.T) {
	base := fstest.MapFS{"a/b": {Data: []byte("1"), Mode: 0o644}}
	hashes := map[string]string{}
	for name, tree := range map[string]fs.FS{
		"base":       base,
		"content":    fstest.MapFS{"a/b": {Data: []byte("2"), Mode: 0o644}},
		"name":       fstest.MapFS{"a/c": {Data: []byte("1"), Mode: 0o644}},
		"executable": fstest.MapFS{"a/b": {Data: []byte("1"), Mode: 0o755}},
		"more":       fstest.MapFS{"a/b": {Data: []byte("1"), Mode: 0o644}, "c": {}},
	} {
		h, err := treeHash(tree)
		if err != nil || h == "" {
			t.Fatal(name, err)
		}
		for other, o := range hashes {
			if o == h {
				t.Errorf("%s and %s have the same hash", name, other)
			}
		}
		hashes[name] = h
	}
	for name, tree := range map[string]fs.FS{"missing": os.DirFS(filepath.Join(t.TempDir(), "absent")), "empty": fstest.MapFS{}} {
		if h, err := treeHash(tree); h != "" || err != nil {
			t.Errorf("%s: %q %v", name, h, err)
		}
	}
}
