package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTargets: what could not be fuzzed, and what starts from nothing, is named.
func TestTargets(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"a/a_test.go":                  "package a\nfunc FuzzAdds(f *testing.F) { f.Add(1); f.Fuzz(g) }\nfunc FuzzHelped(f *testing.F) { seeds(f) }\nfunc FuzzKept(f *testing.F) {}\nfunc FuzzEmpty(f *testing.F) { f.Fuzz(g) }\nfunc (x) FuzzMethod(f *testing.F) {}\n",
		"a/testdata/fuzz/FuzzKept/1":   "go test fuzz v1\n",
		"b/b_test.go":                  "//go:build vm\n\npackage b\nfunc FuzzTagged(f *testing.F) { f.Add(1) }\n",
		"b/c_windows_test.go":          "package b\nfunc FuzzElsewhere(f *testing.F) { f.Add(1) }\n",
		"c/d.go":                       "package c\nfunc FuzzNoTest(f *testing.F) {}\n",
		"node_modules/e/e_test.go":     "package e\nfunc FuzzOthers(f *testing.F) {}\n",
		"a/testdata/src/other_test.go": "package o\nfunc FuzzData(f *testing.F) {}\n",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	list, err := targets(root)
	var names []string
	for _, f := range list {
		names = append(names, f.dir+" "+f.name)
	}
	want := "./a FuzzAdds,./a FuzzHelped,./a FuzzKept,./a FuzzEmpty,./b FuzzTagged,./b FuzzElsewhere"
	if got := strings.Join(names, ","); got != want {
		t.Errorf("found %s\nwant %s", got, want)
	}
	for _, name := range []string{"FuzzEmpty", "FuzzTagged", "FuzzElsewhere"} {
		if err == nil || !strings.Contains(err.Error(), name+" of ") {
			t.Errorf("%s is not named: %v", name, err)
		}
	}
	if n := strings.Count(err.Error(), " of "); n != 3 {
		t.Errorf("%d are named: %v", n, err)
	}
	if _, err := targets(t.TempDir()); err == nil {
		t.Error("a tree without targets is fine")
	}
}

// TestEveryTargetRuns holds the tree to it: ./scripts/test all fuzzes this list.
func TestEveryTargetRuns(t *testing.T) {
	list, err := targets(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Error(err)
	}
	if len(list) < 80 {
		t.Errorf("only %d targets", len(list))
	}
}
