// Package sniff reads for whom the first bytes of a connection are: the server
// name of a TLS ClientHello, and the host of the head of an HTTP/1 request.
//
// What comes is hostile. Nothing is read beyond a fixed number of bytes
// ([MaxHello], [MaxHead]); for how long is up to the reader. What was read is
// returned, so that it can be passed on unchanged.
//
// A ClientHello that has an encrypted one in it (ECH) has the outer name; a real
// one and the noise that browsers send in its place cannot be told apart.
package sniff

import (
	"bytes"
	"errors"
	"io"
)

// Bounds of what is read, in bytes.
const (
	MaxHello = 32 << 10
	MaxHead  = 16 << 10
)

// Errors.
var (
	ErrShort     = errors.New("the connection ended, or said too much, before it was clear for whom it is")
	ErrNotTLS    = errors.New("not TLS")
	ErrNoName    = errors.New("TLS without a server name")
	ErrMalformed = errors.New("no request of HTTP/1 with one host")
)

// keep reads at most max bytes of r, and keeps them.
type keep struct {
	r   io.Reader
	max int
	buf bytes.Buffer
	err error // of r
}

func (k *keep) Read(p []byte) (int, error) {
	left := k.max - k.buf.Len()
	if left <= 0 {
		return 0, ErrShort
	}
	n, err := k.r.Read(p[:min(len(p), left)])
	k.buf.Write(p[:n])
	if err != nil {
		k.err = err
	}
	return n, err
}

// cause is why not enough came: the error of the reader, else err.
func (k *keep) cause(err error) error {
	switch {
	case k.err != nil && !errors.Is(k.err, io.EOF):
		return k.err
	case k.err != nil || k.buf.Len() >= k.max:
		return ErrShort
	}
	return err
}
