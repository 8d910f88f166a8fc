//go:build !linux

package app

import "piwork/app/runtimes"

// realPlaces are none: only Linux keeps programs in without a machine.
func realPlaces(Options, runtimes.Proofs) []placeSeam { return nil }
