package main

import (
	"fmt"
	"os"
	"slices"

	"piwork/pack/guest/bridge"
	"piwork/pack/guest/copied"
	"piwork/pack/guest/execution"
	"piwork/pack/guest/remote"
	"piwork/vmhost/wire"
)

// version of the agent, set by the linker (-X main.version=…).
var version = "development"

// Parts of the program besides PID 1, as their first argument.
const (
	partLaunch = "launch"
	partBridge = "bridge"

	partHosted  = "serve"   // the agent without a machine; [elsewhere] reads what follows
	partKept    = "kept"    // runs a program, which follows, and ends with it what it started
	partApart   = "apart"   // tells whether there is a network; [runApart] reads what follows
	partMounted = "mounted" // mounts what somebody serves; the directory and a program follow
)

// self is this program wherever the root is.
const self = "/proc/self/exe"

func main() {
	// In a sandbox, the agent is the first process too; so is what becomes it.
	if hosted := len(os.Args) > 1 && slices.Contains([]string{partHosted, remote.PartPlace}, os.Args[1]); os.Getpid() == 1 && !hosted {
		runInit()
		return
	}
	os.Exit(part(os.Args[1:]))
}

func part(args []string) int {
	switch {
	case len(args) == 1 && args[0] == partLaunch:
		return execution.Launch()
	case len(args) == 1 && args[0] == partBridge:
		return bridge.Main()
	case len(args) > 0 && args[0] == partApart:
		return runApart(args[1:])
	case len(args) == 1 && args[0] == remote.Part:
		return remote.Main()
	case len(args) == 1 && args[0] == remote.PartHold:
		return remote.Hold()
	}
	if len(args) > 0 && args[0] == remote.PartPlace {
		return remote.Place(args[1:])
	}
	if len(args) > 0 && args[0] == wire.CopyPart {
		return copied.Main(args[1:])
	}
	if len(args) > 0 && args[0] == partHosted {
		return runHosted(args[1:])
	}
	if len(args) > 1 && args[0] == partKept {
		return runKept(args[1:])
	}
	if len(args) > 2 && args[0] == partMounted {
		return runMounted(args[1:])
	}
	fmt.Fprintf(os.Stderr, "piwork-guest %s: this program runs as /init of piwork's virtual machine\n", version)
	return 2
}
