// Package mux is how wire.PortNet carries many streams: hashicorp/yamux
// (spec.md there), of which the guest is the client, that opens them, and the host
// the server, with one configuration for both sides.
//
// # Half-close
//
// yamux's own: closing a stream sends FIN and reading goes on until the other
// side's FIN. A stream is over when both were sent, and stays for as long as one
// side keeps it. An HTTP server takes the end of what a client says for the end of
// the client.
//
// # A machine that stands still
//
// is no reason for an end: it may be paused over night. There are no pings, and no
// write has a time-out. What is under way when the machine ends, ends with the
// connection.
//
// # A hostile guest
//
// yamux bounds what waits in a stream and how many wait to be accepted. It bounds
// neither how many streams there are nor how many answers to pings wait to be
// written to who does not read; [Guard] does.
package mux

import (
	"io"
	"log"
	"time"

	"github.com/hashicorp/yamux"
)

const (
	// MaxStreams is how many streams there may be at once, those included of
	// which one side is closed.
	MaxStreams = 64

	// Window is how many bytes of a stream may wait for who reads it.
	Window = 256 << 10

	// never is longer than a machine stands still.
	never = 10 * 365 * 24 * time.Hour
)

// Config is that of both sides.
func Config() *yamux.Config {
	return &yamux.Config{
		AcceptBacklog: MaxStreams, MaxStreamWindowSize: Window,
		EnableKeepAlive: false, KeepAliveInterval: never, ConnectionWriteTimeout: never,
		StreamOpenTimeout: 0, StreamCloseTimeout: 0, // none
		Logger: log.New(io.Discard, "", 0),
	}
}

// Host is the host's side of a connection, a net.Listener of what the guest opens.
// It owns conn.
func Host(conn io.ReadWriteCloser) (*yamux.Session, error) { return yamux.Server(conn, Config()) }

// Guest is the guest's side of a connection. It owns conn.
func Guest(conn io.ReadWriteCloser) (*yamux.Session, error) { return yamux.Client(conn, Config()) }
