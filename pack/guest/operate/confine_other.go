//go:build !linux

package operate

import (
	"errors"
	"os/exec"
)

// startConfined exists in the guest only.
func startConfined(*exec.Cmd, string) error { return errors.ErrUnsupported }
