package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// copyTree copies the files that git tracks, as they are in the working tree, and
// new ones that it does not ignore. Faults are planted in the copy only.
func copyTree(ctx context.Context, root, to string) error {
	cmd := exec.CommandContext(ctx, "git", "ls-files", "-z", "-c", "-o", "--exclude-standard")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("list the files of the tree: %w", err)
	}
	for _, name := range strings.Split(string(bytes.TrimSuffix(out, []byte{0})), "\x00") {
		err := copyFile(filepath.Join(root, name), filepath.Join(to, name))
		if errors.Is(err, fs.ErrNotExist) { // deleted, and not committed yet
			continue
		}
		if err != nil {
			return fmt.Errorf("copy the tree: %w", err)
		}
	}
	return nil
}

func copyFile(from, to string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// asRepository makes the copy a git repository of one commit: ./scripts/pack asks
// git which files there are.
func asRepository(ctx context.Context, dir string) error {
	for _, args := range [][]string{
		{"init", "-q"},
		{"add", "-A"},
		{"-c", "user.name=mutants", "-c", "user.email=mutants@localhost", "commit", "-q", "-m", "copy"},
	} {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s in the copy: %w: %s", args[0], err, bytes.TrimSpace(out))
		}
	}
	return nil
}
