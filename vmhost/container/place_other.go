//go:build !linux

package container

import (
	"context"

	"piwork/vmhost/hosted"
)

// open refuses.
func (*opener) open(context.Context) (hosted.Place, error) { return nil, ErrSystem }
