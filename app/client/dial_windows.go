package client

import (
	"context"
	"net"

	"github.com/Microsoft/go-winio"
)

// dialSocket opens a named pipe as nobody in particular: whoever is at its other end cannot act
// for this user (SECURITY_ANONYMOUS).
func dialSocket(ctx context.Context, path string) (net.Conn, error) {
	return winio.DialPipeContext(ctx, path)
}
