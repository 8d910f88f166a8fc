//go:build !linux

package app

import "piwork/app/runtimes"

// realPlaces are those that can be on other systems than Linux: none works, and says why.
func realPlaces(Options, runtimes.Proofs) []placeSeam { return absentPlaces() }
