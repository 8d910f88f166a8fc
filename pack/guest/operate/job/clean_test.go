package job

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestClean(t *testing.T) {
	home := t.TempDir()
	noneLeft := func() {
		t.Helper()
		if left, err := filepath.Glob(filepath.Join(home, ".piwork-*")); err != nil || len(left) > 0 {
			t.Errorf("left: %q, %v", left, err)
		}
	}
	pl := Placer{target: filepath.Join(home, "x"), placing: func(string) {}}
	f, part, err := pl.create()
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if err := Clean(part); err != nil {
		t.Error(err)
	}
	noneLeft()
	if err := Clean(part); err != nil {
		t.Errorf("a second time: %v", err)
	}
	dir := filepath.Join(home, filepath.Base(part))
	if err := os.MkdirAll(filepath.Join(dir, "in", "it"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Clean(dir); err != nil {
		t.Error(err)
	}
	noneLeft()
	mine := filepath.Join(home, "mine")
	if err := os.WriteFile(mine, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{mine, home, "/etc/passwd", part + "/../mine", home + "/.piwork-x.part", home + "/.piwork-" + strings.Repeat("a", 26) + ".part", ""} {
		if err := Clean(path); err == nil {
			t.Errorf("%q is cleaned away", path)
		}
	}
	if _, err := os.Stat(mine); err != nil {
		t.Error(err)
	}
}
