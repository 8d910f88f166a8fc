//go:build !linux

package sandbox

import (
	"context"

	"piwork/vmhost"
	"piwork/vmhost/hosted"
)

// open refuses: the kernels of other systems keep programs in otherwise.
func (c *Config) open(context.Context) (hosted.Place, error) {
	return nil, &vmhost.UnsupportedError{Runtime: runtimeName, What: "anything: it is Linux that keeps programs in"}
}
