package gateway

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
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
// the computer's authorities. A file of authorities that cannot be used is an error.
func NewTransport(o TransportOptions) (http.RoundTripper, error) {
	if _, _, err := proxy.FromSetting(o.Proxy); err != nil {
		return nil, fmt.Errorf("gateway: proxy: %w", err)
	}
	files := o.CAFiles
	if f := os.Getenv("SSL_CERT_FILE"); f != "" {
		files = append(files[:len(files):len(files)], f) // crypto/x509 reads it on Unix only
	}
	roots, err := authorities(files)
	if err != nil {
		return nil, err
	}
	chooser := &proxy.Chooser{Setting: o.Proxy}
	return &lazyTransport{build: func() *http.Transport {
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
			TLSClientConfig:        &tls.Config{RootCAs: roots(), MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:    tlsTimeout,
			IdleConnTimeout:        idleTimeout,
			MaxIdleConnsPerHost:    8,
			MaxResponseHeaderBytes: maxHeader,
			DisableCompression:     true, // what is compressed cannot be searched for a key
			ForceAttemptHTTP2:      true,
			WriteBufferSize:        64 << 10,
			ReadBufferSize:         64 << 10,
		}
	}}, nil
}

// lazyTransport makes a transport for its first request: parsing the computer's authorities
// takes longer than the rest of a start. Safe for concurrent use.
type lazyTransport struct {
	once  sync.Once
	build func() *http.Transport
	built atomic.Pointer[http.Transport]
}

// RoundTrip implements [http.RoundTripper].
func (t *lazyTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	t.once.Do(func() {
		t.built.Store(t.build())
		t.build = nil // the files that it holds
	})
	return t.built.Load().RoundTrip(r)
}

// CloseIdleConnections is what [http.Client] looks for.
func (t *lazyTransport) CloseIdleConnections() {
	if built := t.built.Load(); built != nil {
		built.CloseIdleConnections()
	}
}

// authorities reads files of authorities, and returns what makes a pool of them and of the
// system's; without files the pool is nil, which stands for the system's.
func authorities(names []string) (func() *x509.CertPool, error) {
	var files [][]byte
	for _, name := range names {
		if info, err := os.Stat(name); err != nil || info.Size() > maxCAFile {
			return nil, fmt.Errorf("gateway: authorities of %s: not a file that can be used: %w", name, err)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("gateway: authorities: %w", err)
		}
		if !hasAuthority(data) {
			return nil, fmt.Errorf("gateway: authorities of %s: no certificate", name)
		}
		files = append(files, data)
	}
	return func() *x509.CertPool {
		if len(files) == 0 {
			return nil
		}
		roots, err := x509.SystemCertPool()
		if err != nil {
			roots = x509.NewCertPool()
		}
		for _, data := range files {
			roots.AppendCertsFromPEM(data)
		}
		return roots
	}, nil
}

// hasAuthority reports whether x509.CertPool.AppendCertsFromPEM takes any certificate of data.
func hasAuthority(data []byte) bool {
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" || len(block.Headers) > 0 {
			continue
		}
		if _, err := x509.ParseCertificate(block.Bytes); err == nil {
			return true
		}
	}
	return false
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
