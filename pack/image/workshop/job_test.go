package workshop

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestOptions(t *testing.T) {
	got := options("/x/in.tar", "/x/it's.tar")
	for _, want := range []string{"--customize-hook=tar-in '/x/in.tar' /in", `--customize-hook=tar-out /out '/x/it'\''s.tar'`} {
		if !slices.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
}

// The input is the same for everybody: no owner, no time of this machine.
func TestInput(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte("file"), 0o600); err != nil {
		t.Fatal(err)
	}
	j := Job{
		Time: time.Unix(1700000000, 0), Files: map[string]string{"source/f": filepath.Join(dir, "f")},
		Texts: map[string][]byte{"recipe/run.sh": []byte("true\n")}, Script: "recipe/run.sh", Env: map[string]string{"WHO": "it's me"},
	}
	if err := j.writeInput(filepath.Join(dir, "in.tar")); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(dir, "in.tar"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got := map[string]string{}
	for r := tar.NewReader(f); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil || h.Mode != 0o644 || h.Uid != 0 || h.Uname != "" || h.ModTime.Unix() != 1700000000 {
			t.Errorf("%+v %v", h, err)
		}
		got[h.Name] = string(data)
	}
	want := map[string]string{
		".run": "export WHO='it'\\''s me'\nexec sh '/in/recipe/run.sh'\n", "source/f": "file", "recipe/run.sh": "true\n",
	}
	if len(got) != len(want) {
		t.Errorf("%q", got)
	}
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s: %q", name, got[name])
		}
	}
	j.Files["source/d"] = dir
	if err := j.writeInput(filepath.Join(dir, "in2.tar")); err == nil {
		t.Error("a directory as a file: accepted")
	}
}
