//go:build !linux

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "piwork-guest runs only as /init of piwork's virtual machine, which is Linux")
	os.Exit(2)
}
