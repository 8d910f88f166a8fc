//go:build !linux

package app

import (
	"piwork/app/runtimes"
	"piwork/vmhost/host"
	"piwork/vmhost/sandbox"
)

// realPlaces are those that can be on other systems than Linux: none works, and says why.
func realPlaces(Options, runtimes.Proofs) []placeSeam {
	return []placeSeam{absentPlace(sandbox.Capabilities(nil), sandbox.ErrSystem), absentPlace(host.Capabilities(), host.ErrSystem)}
}
