package main

import (
	"fmt"
	"os"
)

// version of the agent, set by the linker (-X main.version=…).
var version = "development"

func main() {
	part := ""
	if len(os.Args) > 1 {
		part = os.Args[1]
	}
	switch {
	case os.Getpid() == 1:
		runInit()
	default:
		fmt.Fprintf(os.Stderr, "piwork-guest %s: this program runs as /init of piwork's virtual machine (unknown part %q)\n", version, part)
		os.Exit(2)
	}
}
