package tasks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piwork/app/problem"
)

// What a guest calls a file is a name of an ordinary file here.
func TestResultName(t *testing.T) {
	for name, want := range map[string]string{"a b.pdf": "a b.pdf", "..": "result", ".x": "result", "": "result", "a/b": "a_b", "x\n": "x_", strings.Repeat("x", 300): "result", "CON?.": "CON_", "\xff": "_"} {
		if got := resultName(name, 0); got != want {
			t.Errorf("%q becomes %q", name, got)
		}
	}
	if got := resultName("x", 2); got != "3 x" {
		t.Error(got)
	}
}

// A result takes no name that there is, also where the disk has no second names.
func TestMove(t *testing.T) {
	for how, move := range map[string]func(file, name string) error{"by a link": moveByLink, "over an empty file": moveOver} {
		dir := t.TempDir()
		at := func(name string) string { return filepath.Join(dir, name) }
		for _, name := range []string{"one", "two"} {
			if err := os.WriteFile(at(name), []byte(name), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := move(at("one"), at("two")); !os.IsExist(err) {
			t.Errorf("%s, over another: %v", how, err)
		}
		if err := move(at("one"), at("three")); err != nil {
			t.Errorf("%s: %v", how, err)
		}
		for name, want := range map[string]string{"two": "two", "three": "one"} {
			if got, err := os.ReadFile(at(name)); err != nil || string(got) != want {
				t.Errorf("%s: %s has %q, %v", how, name, got, err)
			}
		}
		if _, err := os.Stat(at("one")); !os.IsNotExist(err) {
			t.Errorf("%s: it has its old name, too: %v", how, err)
		}
		if err := move(at("gone"), at("four")); err == nil {
			t.Errorf("%s: what is not there was moved", how)
		}
		if _, err := os.Stat(at("four")); !os.IsNotExist(err) {
			t.Errorf("%s: left: %v", how, err)
		}
	}
}

// A result for which no name is left says so.
func TestNoNameIsLeft(t *testing.T) {
	defer func(before int) { maxNames = before }(maxNames)
	maxNames = 3
	dir := t.TempDir()
	for n := range maxNames + 1 {
		if err := os.WriteFile(filepath.Join(dir, resultName("a", n)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "made")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := nameResult(file, dir, "a", 0); problem.From(err).Code != problem.CodeOutputExists {
		t.Error(err)
	}
}
