package gateway

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"os"
	"strings"
	"time"

	"piwork/pack/update/proxy"
)

// Bounds on connections to providers.
const (
	dialTimeout = 15 * time.Second // for one address
	tlsTimeout  = 15 * time.Second
	idleTimeout = 90 * time.Second
	maxHeader   = 64 << 10 // of an answer
	maxCAFile   = 4 << 20
)

// TransportOptions say how providers are reached. The zero value follows the
// environment and the operating system.
type TransportOptions struct {
	Proxy   string   // as in package proxy: "" follows environment and system
	CAFiles []string // PEM files of authorities that are trusted besides the system's; SSL_CERT_FILE is one more
}

// NewTransport makes the way to the network: through the computer's proxy, with
// the computer's authorities.
func NewTransport(o TransportOptions) (*http.Transport, error) {
	if _, _, err := proxy.FromSetting(o.Proxy); err != nil {
		return nil, fmt.Errorf("gateway: proxy: %w", err)
	}
	files := o.CAFiles
	if f := os.Getenv("SSL_CERT_FILE"); f != "" {
		files = append(files[:len(files):len(files)], f) // crypto/x509 reads it on Unix only
	}
	var roots *x509.CertPool
	for _, name := range files {
		if roots == nil {
			var err error
			if roots, err = x509.SystemCertPool(); err != nil {
				roots = x509.NewCertPool()
			}
		}
		if info, err := os.Stat(name); err != nil || info.Size() > maxCAFile {
			return nil, fmt.Errorf("gateway: authorities of %s: not a file that can be used: %w", name, err)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("gateway: authorities: %w", err)
		}
		if !roots.AppendCertsFromPEM(data) {
			return nil, fmt.Errorf("gateway: authorities of %s: no certificate", name)
		}
	}
	chooser := &proxy.Chooser{Setting: o.Proxy}
	return &http.Transport{
		Proxy: func(r *http.Request) (*url.URL, error) {
			via, err := chooser.For(r.URL)
			if err != nil {
				err = &net.OpError{Op: "proxyconnect", Err: err}
			}
			return via, err
		},
		OnProxyConnectResponse: proxyAnswer,
		DialContext:            (&net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}).DialContext,
		TLSClientConfig:        &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    tlsTimeout,
		IdleConnTimeout:        idleTimeout,
		MaxIdleConnsPerHost:    8,
		MaxResponseHeaderBytes: maxHeader,
		DisableCompression:     true, // what is compressed cannot be searched for a key
		ForceAttemptHTTP2:      true,
		WriteBufferSize:        64 << 10,
		ReadBufferSize:         64 << 10,
	}, nil
}

// errProxy is a proxy that does not let a provider be reached.
type errProxy struct{ status int }

func (e *errProxy) Error() string { return fmt.Sprintf("the proxy answered with status %d", e.status) }

func proxyAnswer(_ context.Context, _ *url.URL, _ *http.Request, resp *http.Response) error {
	if resp.StatusCode != http.StatusOK {
		return &errProxy{status: resp.StatusCode}
	}
	return nil
}

// errStalled ends a request to which nothing came any more.
var errStalled = errors.New("nothing came any more")

// explain says what was seen when a provider was not reached.
func explain(ctx context.Context, e *Error, err error) *Error {
	var (
		op     *net.OpError
		verify *tls.CertificateVerificationError
		record tls.RecordHeaderError
		proto  textproto.ProtocolError
	)
	isOp := errors.As(err, &op)
	_, refused := errors.AsType[*errProxy](err)
	e.Err = bare(err)
	switch {
	case errors.Is(context.Cause(ctx), errStalled):
		e.Code, e.Err = CodeStalled, errStalled
	case errors.As(err, &verify):
		e.Code = CodeUntrusted
		if n := len(verify.UnverifiedCertificates); n > 0 {
			e.Issuer = clip(verify.UnverifiedCertificates[n-1].Issuer.String())
		}
	case refused, isOp && (op.Op == "proxyconnect" || op.Op == "socks connect"):
		e.Code = CodeProxy
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch), errors.As(err, &proto),
		strings.Contains(err.Error(), "malformed"), strings.Contains(err.Error(), "headers exceeded"): // net/http has no types for these
		e.Code = CodeNotProvider
		e.Err = nil // it holds a part of what came
	default:
		e.Code = CodeUnreachable
	}
	return e
}

// bare takes the address off an error of net/http: it may hold a query.
func bare(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

func clip(s string) string {
	if len(s) > 200 {
		return s[:200]
	}
	return s
}
