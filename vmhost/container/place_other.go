//go:build !linux

package container

import (
	"context"

	"piwork/vmhost/hosted"
)

// open refuses.
func (*opener) open(context.Context) (hosted.Place, error) { return nil, ErrSystem }

// FindStored finds no engine.
func FindStored(context.Context, string) (s Stored, there bool, err error) {
	return Stored{}, false, nil
}

// RemoveStored has nothing to remove.
func RemoveStored(context.Context, string) error { return nil }
