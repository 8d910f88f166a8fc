package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// nativePrograms has the programs of a pack run on this computer without a machine, in
// the pack's root file system, so that the same program is on both sides. It returns a
// directory with a script for each, which starts it there (bwrap(1)) with the current
// directory to write to; "", where that cannot be done here: then this computer's own
// programs are compared with.
func nativePrograms(ctx context.Context, rootfs, dir string) (string, error) {
	for _, need := range []string{"fsck.erofs", "bwrap"} {
		if _, err := exec.LookPath(need); err != nil {
			fmt.Fprintf(os.Stderr, "bench: this computer's own programs are compared with, as far as it has them: for those of the pack there is no %s\n", need)
			return "", nil
		}
	}
	root, bin := filepath.Join(dir, "root"), filepath.Join(dir, "bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		return "", err
	}
	if err := extract(ctx, rootfs, root); err != nil {
		return "", err
	}
	line := []string{"exec", "bwrap"}
	for _, d := range []string{"usr", "etc", "var", "opt"} {
		line = append(line, "--ro-bind", "'"+filepath.Join(root, d)+"'", "/"+d)
	}
	for _, l := range []string{"bin", "lib", "lib64"} {
		line = append(line, "--symlink", "usr/"+l, "/"+l)
	}
	line = append(line, "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--bind", `"$PWD"`, `"$PWD"`, "--chdir", `"$PWD"`,
		"--setenv", "PATH", "/usr/bin", "--", `"${0##*/}"`, `"$@"`)
	script := filepath.Join(dir, "run")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nPATH='"+os.Getenv("PATH")+"' "+strings.Join(line, " ")+"\n"), 0o700); err != nil {
		return "", err
	}
	names, err := os.ReadDir(filepath.Join(root, "usr", "bin"))
	if err != nil {
		return "", err
	}
	for _, n := range names {
		if err := os.Symlink(script, filepath.Join(bin, n.Name())); err != nil {
			return "", err
		}
	}
	return bin, nil
}
