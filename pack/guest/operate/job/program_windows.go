package job

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

func ownGroup(*exec.Cmd) {}

func endGroup(int) {}

func exitCode(cmd *exec.Cmd) int {
	if cmd.ProcessState == nil {
		return -1
	}
	return cmd.ProcessState.ExitCode()
}

// lookUp finds a program in a list of absolute directories.
func lookUp(name, path string) (string, error) {
	for _, dir := range filepath.SplitList(path) {
		file := filepath.Join(dir, name+".exe")
		if st, err := os.Stat(file); err == nil && filepath.IsAbs(dir) && st.Mode().IsRegular() {
			return file, nil
		}
	}
	return "", fmt.Errorf("%s: %w", name, exec.ErrNotFound)
}
