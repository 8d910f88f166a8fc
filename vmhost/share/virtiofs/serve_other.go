//go:build !linux

package virtiofs

import (
	"context"
	"log/slog"
	"net"

	"piwork/vmhost/share"
)

// Options of Serve. The zero value is valid.
type Options struct {
	Log *slog.Logger
}

// Serve returns ErrUnsupported.
func Serve(context.Context, net.Listener, *share.Set, Options) error { return ErrUnsupported }

// CopyRAM returns ErrUnsupported.
func CopyRAM(dst, src string) (int64, error) { return 0, ErrUnsupported }
