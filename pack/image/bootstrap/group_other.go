//go:build !unix

package bootstrap

import (
	"os"
	"os/exec"
)

// There is no mmdebstrap here, so there is nothing to end.
func ownGroup(*exec.Cmd) {}

func endGroup(p *os.Process) error { return p.Kill() }
