// Package smalltree makes the tree of a system with a few programs of this computer, for
// tests of runtimes that work without a machine.
package smalltree

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// programs that are in the tree, with the libraries that they need.
var programs = []string{"sh", "cat", "sleep", "head", "wc", "stty", "ls", "mkdir", "rm", "mv", "chmod", "ln", "touch", "id", "true", "setsid", "grep", "gzip", "sha256sum", "mkfifo"}

// Make makes a tree in a directory.
func Make(tree string) error {
	for _, dir := range []string{"usr/bin", "etc", "work", "proc", "folders"} {
		if err := os.MkdirAll(filepath.Join(tree, dir), 0o755); err != nil {
			return err
		}
	}
	if err := os.Symlink("usr/bin", filepath.Join(tree, "bin")); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(tree, "etc/passwd"), []byte("piwork:x:1000:1000::/home/piwork:/bin/sh\n"), 0o644); err != nil {
		return err
	}
	for _, name := range programs {
		from, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if from, err = filepath.EvalSymlinks(from); err == nil {
			err = CopyFile(from, filepath.Join(tree, "usr/bin", name))
		}
		if err == nil {
			err = copyLibraries(tree, from)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// CopyFile copies a program to where there is none.
func CopyFile(from, to string) error {
	if _, err := os.Stat(to); err == nil {
		return nil
	}
	b, err := os.ReadFile(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o755)
	}
	if err == nil {
		err = os.WriteFile(to, b, 0o755)
	}
	return err
}

// copyLibraries copies what a program is linked with, and its interpreter.
func copyLibraries(tree, program string) error {
	f, err := elf.Open(program)
	if err != nil {
		return err
	}
	defer f.Close()
	if s := f.Section(".interp"); s != nil {
		b, err := s.Data()
		if err != nil {
			return err
		}
		name := strings.TrimRight(string(b), "\x00")
		if err := CopyFile(name, filepath.Join(tree, name)); err != nil {
			return err
		}
	}
	libraries, err := f.ImportedLibraries()
	if err != nil {
		return err
	}
	for _, l := range libraries {
		for _, dir := range []string{"/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/lib64", "/usr/lib"} {
			from := filepath.Join(dir, l)
			if _, err := os.Stat(from); err != nil {
				continue
			}
			err := CopyFile(from, filepath.Join(tree, dir, l))
			if err == nil {
				err = copyLibraries(tree, from)
			}
			if err != nil {
				return err
			}
			break
		}
	}
	return nil
}
