// Package gobuild builds programs of this source tree for tests that run them in a
// machine.
package gobuild

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// patience is how long a build may take on a busy machine.
const patience = 10 * time.Minute

// Program builds pkg as a static program for Linux on goarch, and writes it to out. It calls
// os.Stat on every source file, so that `go test` repeats the test when one has changed.
func Program(out, pkg, goarch string, flags ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	run := func(args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+goarch)
		b, err := cmd.CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, b)
		}
		return b, nil
	}
	if _, err := run(append(append([]string{"build", "-trimpath", "-o", out}, flags...), pkg)...); err != nil {
		return err
	}
	const files = `{{if and .Module .Module.Main}}{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}{{range .EmbedFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}{{end}}`
	list, err := run(append(append([]string{"list", "-deps", "-f", files}, flags...), pkg)...)
	if err != nil {
		return err
	}
	for name := range strings.Lines(string(list)) {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if _, err := os.Stat(name); err != nil { // go test notes it
			return fmt.Errorf("a source of %s: %w", pkg, err)
		}
	}
	return nil
}
