//go:build !linux

package act

import (
	"context"
	"errors"

	"piwork/vmhost/wire"
)

func (at place) watch(context.Context, wire.FileParams, func(wire.FileChange) error) (wire.FileResult, error) {
	return wire.FileResult{}, errors.ErrUnsupported
}
