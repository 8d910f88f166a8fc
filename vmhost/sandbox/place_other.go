//go:build !linux

package sandbox

import (
	"context"

	"piwork/vmhost/hosted"
)

// open refuses.
func (c *Config) open(context.Context) (hosted.Place, error) { return nil, ErrSystem }
