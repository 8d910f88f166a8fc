package qemu

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheckBuiltRefuses: a program that is not what it should be ends the build.
func TestCheckBuiltRefuses(t *testing.T) {
	self, err := os.Executable() // a program for this system, and no QEMU
	if err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	linux, windows := Target{"linux", "amd64", "x86_64"}, Target{"windows", "amd64", "x86_64"}
	for name, c := range map[string]struct {
		file   string
		target Target
	}{
		"a script for Linux":                  {text, linux},
		"a script for Windows":                {text, windows},
		"not position independent or no QEMU": {self, linux},
		"of another system":                   {self, windows},
		"of another processor":                {self, Target{"linux", "arm64", "aarch64"}},
		"missing":                             {text + "x", linux},
	} {
		if err := checkBuilt(c.file, c.target); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if file := os.Getenv("PIWORK_RUNTIME_DIR"); file != "" {
		err := checkBuilt(filepath.Join(file, "qemu", "bin", linux.Program()), linux)
		if err != nil && !strings.Contains(err.Error(), "no such file") {
			t.Error(err)
		}
	}
}
