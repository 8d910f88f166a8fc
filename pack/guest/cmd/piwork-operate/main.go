// Command piwork-operate carries out typed operations in the virtual machine: one
// process for each, started by the agent with an order (package
// piwork/pack/guest/order). It stands in the root image and not in the program
// that the guest boots from, which would have to be read before anything else
// with all the libraries that only operations need.
package main

import (
	"os"

	"piwork/pack/guest/operate"
)

func main() { os.Exit(operate.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
