//go:build !linux

package app

import "piwork/app/runtimes"

// realRemote makes no places: the agent is taken out of a runtime pack of Linux.
func realRemote(Options, runtimes.Proofs) remoteSeam { return remoteSeam{} }
