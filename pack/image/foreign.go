package image

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
)

// interpreters has a file for each kind of program that Linux runs through
// another one (Linux, Documentation/admin-guide/binfmt-misc.rst).
const interpreters = "/proc/sys/fs/binfmt_misc"

// checkRuns returns an error when packages of an architecture of Debian cannot be
// installed here: their maintainer scripts run programs of it. For those of
// another processor the system needs QEMU's user mode, as Debian's package
// qemu-user-static registers it.
func checkRuns(architecture string) error {
	p := platforms[architecture]
	if p.goarch == runtime.GOARCH {
		return nil
	}
	state, err := os.ReadFile(interpreters + "/qemu-" + p.qemu)
	if err == nil {
		err = checkInterpreter(string(state))
	} else if errors.Is(err, fs.ErrNotExist) {
		err = errors.New("nothing is registered for them")
	}
	if err != nil {
		return fmt.Errorf("programs for %s do not run on this system (./scripts/setup --long arranges it): %w", architecture, err)
	}
	return nil
}

// checkInterpreter reads a file of interpreters: the registration must be in
// force, and hold for every root (flag F), because the program that it names is
// not in the root that is made.
func checkInterpreter(state string) error {
	lines := strings.Split(state, "\n")
	if lines[0] != "enabled" {
		return fmt.Errorf("what is registered for them is %q", lines[0])
	}
	for _, l := range lines {
		if flags, ok := strings.CutPrefix(l, "flags:"); ok && strings.Contains(flags, "F") {
			return nil
		}
	}
	return errors.New("what is registered for them is not for other roots (flag F)")
}
