//go:build !linux

package host

import (
	"context"

	"piwork/vmhost"
	"piwork/vmhost/hosted"
)

// open refuses: the programs of the runtime pack are for Linux.
func (c *Config) open(context.Context) (hosted.Place, error) { return nil, ErrSystem }

// ErrSystem is why there is no such place on this computer.
var ErrSystem = &vmhost.UnsupportedError{Runtime: runtimeName, What: "anything here: the programs of the runtime are for Linux"}
