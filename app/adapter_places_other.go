//go:build !linux

package app

import (
	"context"

	"piwork/app/runtimes"
	"piwork/app/tasks"
	"piwork/vmhost"
	"piwork/vmhost/host"
)

// realPlaces are those that can be on other systems than Linux: none works, and this computer
// itself says why.
func realPlaces(Options, runtimes.Proofs) []placeSeam {
	return []placeSeam{{
		name: vmhost.KindHost,
		kind: func(placeBase) runtimes.Kind {
			return runtimes.Kind{
				Standing: runtimes.Standing{Capabilities: host.Capabilities(), Work: hostedWork},
				Look:     func(context.Context, bool) error { return host.ErrSystem },
			}
		},
		make: func(context.Context, tasks.PlaceConfig) (vmhost.Runtime, error) { return nil, host.ErrSystem },
	}}
}
