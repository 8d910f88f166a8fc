package image

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestTrimELF: a program without what it does not need to run still runs, and is
// smaller.
func TestTrimELF(t *testing.T) {
	dir := t.TempDir()
	source := filepath.Join(dir, "main.go")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() { println(\"it runs\") }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "program")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	before, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	r, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for range 2 { // a second time changes nothing
		if err := trimELF(r, "program"); err != nil {
			t.Fatal(err)
		}
	}
	after, err := os.Stat(program)
	if err != nil || after.Size() >= before.Size()*9/10 {
		t.Errorf("%d bytes of %d are left (%v)", after.Size(), before.Size(), err)
	}
	if out, err := exec.CommandContext(t.Context(), program).CombinedOutput(); err != nil || string(out) != "it runs\n" {
		t.Errorf("%v: %q", err, out)
	}
	f, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if len(f.Sections) != 0 {
		t.Errorf("%d sections are left", len(f.Sections))
	}
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := trimELF(r, "program"); err == nil {
		t.Error("a script was accepted")
	}
}
