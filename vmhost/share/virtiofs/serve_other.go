//go:build !linux

package virtiofs

import (
	"context"
	"log/slog"
	"net"
	"os"
	"time"

	"piwork/vmhost/share"
)

// Options of Serve. The zero value is valid.
type Options struct {
	Log      *slog.Logger
	Patience time.Duration
	Owner    int
}

// ServeFUSE returns ErrUnsupported.
func ServeFUSE(context.Context, *os.File, *share.Set, Options) error { return ErrUnsupported }

// Serve returns ErrUnsupported.
func Serve(context.Context, net.Listener, *share.Set, Options) error { return ErrUnsupported }
