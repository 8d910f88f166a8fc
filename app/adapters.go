package app

import (
	"context"
	"errors"
)

// realSeams are the rooms below as they are.
func realSeams(ctx context.Context, o Options) (seams, error) {
	packs, err := openPacks(ctx, o)
	if err != nil {
		return seams{}, err
	}
	s := seams{packs: packs, prove: realProver(o), machine: realMachines(o)}
	return s, errors.New("no share is here yet")
}
