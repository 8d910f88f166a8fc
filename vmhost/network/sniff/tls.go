package sniff

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"time"
)

const recordHandshake = 22 // RFC 8446, 5.1

var errStop = errors.New("enough")

// ServerName reads the server name of a ClientHello, and returns all it read. The
// error is ErrNotTLS, ErrNoName, ErrShort or that of r.
func ServerName(r io.Reader) (name string, read []byte, err error) {
	k := &keep{r: r, max: MaxHello}
	found := false
	// The standard library's server reads the hello, and gets no further.
	server := tls.Server(&oneWay{k}, &tls.Config{
		GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
			name, found = h.ServerName, true
			return nil, errStop
		},
	})
	err = server.Handshake() //nolint:noctx // ends with r, which has a deadline
	switch read = k.buf.Bytes(); {
	case found && name == "":
		return "", read, ErrNoName
	case found:
		return name, read, nil
	case len(read) > 0 && read[0] != recordHandshake:
		return "", read, ErrNotTLS
	case err == nil || k.cause(nil) == nil:
		return "", read, ErrNotTLS
	}
	return "", read, k.cause(err)
}

// oneWay is a connection that is only read; what is said to it is lost.
type oneWay struct{ io.Reader }

func (*oneWay) Write(p []byte) (int, error)      { return len(p), nil }
func (*oneWay) Close() error                     { return nil }
func (*oneWay) LocalAddr() net.Addr              { return nil }
func (*oneWay) RemoteAddr() net.Addr             { return nil }
func (*oneWay) SetDeadline(time.Time) error      { return nil }
func (*oneWay) SetReadDeadline(time.Time) error  { return nil }
func (*oneWay) SetWriteDeadline(time.Time) error { return nil }
