//go:build !linux

package host

import (
	"context"

	"piwork/vmhost/hosted"
)

// open refuses: the programs of the runtime pack are for Linux.
func (c *Config) open(context.Context) (hosted.Place, error) { return nil, ErrSystem }
