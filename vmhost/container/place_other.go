//go:build !linux

package container

import (
	"context"

	"piwork/vmhost"
	"piwork/vmhost/hosted"
)

// open refuses: on other systems engines run in a machine of their own, in which folders
// cannot be served.
func (*opener) open(context.Context) (hosted.Place, error) {
	return nil, &vmhost.UnsupportedError{Runtime: runtimeName, What: "anything: piwork uses containers on Linux only"}
}
