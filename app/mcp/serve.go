package mcp

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"piwork/app/api"
)

const (
	maxMessage  = 32 << 20         // of one message: a file of 16 MiB in base64, and what is around it
	sessionIdle = 30 * time.Minute // until a client over HTTP counts as gone
)

// Run speaks with one client over two streams, a message a line, until the input ends or ctx
// does, and then closes the door.
func (d *Door) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	defer d.Close()
	err := d.Server().Run(ctx, &sdk.IOTransport{Reader: io.NopCloser(in), Writer: keptOpen{out}, MaxLineLength: maxMessage})
	if errors.Is(err, io.EOF) || ctx.Err() != nil {
		return nil
	}
	return err
}

// keptOpen is a stream that belongs to somebody else.
type keptOpen struct{ io.Writer }

func (keptOpen) Close() error { return nil }

// Serve speaks with clients over HTTP ("streamable HTTP") on ln, a loopback address, until ctx
// ends, and then closes the door. Every request has to have the token.
func (d *Door) Serve(ctx context.Context, ln net.Listener, token string) error {
	defer d.Close()
	bound, _ := ln.Addr().(*net.TCPAddr)
	s := d.Server()
	h, err := api.Guard{Token: token, Addr: bound}.Only(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, &sdk.StreamableHTTPOptions{
		SessionTimeout: sessionIdle, MaxRequestBodyBytes: maxMessage, PropagateRequestCancellation: true,
	}))
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	return api.Serve(ctx, ln, h)
}
