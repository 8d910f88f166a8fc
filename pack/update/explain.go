package update

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
)

// explain turns a failed request to u into an [Error] that says what was seen.
// When ctx ended, it is that. rctx is the context of the request.
func (c *Client) explain(ctx, rctx context.Context, m *mirror, u *url.URL, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	e := &Error{}
	if own, is := errors.AsType[*Error](err); is {
		*e = *own
	} else {
		c.sort(rctx, e, err)
		e.Err = bare(err)
	}
	e.Server = u.Host
	if m.files != nil {
		e.Server = m.name()
		return e
	}
	s, choose, serr := c.settings(ctx)
	if serr != nil {
		return e
	}
	if p, perr := choose(u); perr == nil && p != nil {
		e.Proxy = p.Host
	} else if (e.Code == CodeOffline || e.Code == CodeUnreachable) && s.PAC != "" && e.Proxy == "" {
		e.Code, e.Script = CodeProxyScript, scriptName(s.PAC)
	}
	return e
}

// sort finds the code of an error of net/http.
func (c *Client) sort(rctx context.Context, e *Error, err error) {
	var (
		op     *net.OpError
		verify *tls.CertificateVerificationError
		record tls.RecordHeaderError
		alert  tls.AlertError
		proto  textproto.ProtocolError
	)
	isOp := errors.As(err, &op)
	switch {
	case errors.Is(context.Cause(rctx), errStalled):
		e.Code = CodeStalled
		if isOp && op.Op == "dial" {
			e.Code = CodeUnreachable
		}
	case errors.As(err, &verify):
		certificate(e, verify)
	case isOp && op.Op == "proxyconnect":
		e.Code = CodeProxyUnreachable
		if c.offline(err) {
			e.Code = CodeOffline
		}
	case isOp && op.Op == "socks connect":
		e.Code = CodeProxyRefused
		if strings.Contains(op.Err.Error(), "authentication") || strings.Contains(op.Err.Error(), "username/password") {
			e.Code, e.lasting = CodeProxyAuth, true
		}
	case errors.As(err, &record), errors.As(err, &alert), errors.As(err, &proto), errors.Is(err, http.ErrSchemeMismatch), isOp && op.Op == "remote error",
		strings.Contains(err.Error(), "malformed"), strings.Contains(err.Error(), "headers exceeded"): // net/http has no types for these
		e.Code = CodeBadAnswer
	case isOp && op.Op == "dial":
		e.Code = CodeUnreachable
		if c.offline(err) {
			e.Code = CodeOffline
		}
	default:
		e.Code = CodeInterrupted
	}
}

// certificate says what is wrong with one.
func certificate(e *Error, v *tls.CertificateVerificationError) {
	e.lasting = true
	var (
		name    x509.HostnameError
		invalid x509.CertificateInvalidError
		unknown x509.UnknownAuthorityError
	)
	e.Code = CodeTLSUntrusted
	switch {
	case errors.As(v, &unknown):
	case errors.As(v, &name):
		e.Code = CodeTLSInvalid
	case errors.As(v, &invalid) && (invalid.Reason == x509.Expired || invalid.Reason == x509.NameMismatch):
		e.Code = CodeTLSInvalid
	}
	if n := len(v.UnverifiedCertificates); n > 0 {
		issuer := v.UnverifiedCertificates[n-1].Issuer
		e.Issuer = issuer.CommonName
		if e.Issuer == "" {
			e.Issuer = issuer.String()
		}
		if len(e.Issuer) > 200 {
			e.Issuer = e.Issuer[:200]
		}
	}
}

// offline reports errors that mean that this computer has no way to the network,
// or nobody to ask for names.
func (c *Client) offline(err error) bool {
	if dns, is := errors.AsType[*net.DNSError](err); is {
		return !dns.IsNotFound || !c.o.connected()
	}
	return noRoute(err) || !c.o.connected()
}

// connected reports whether a network interface other than the loopback has an
// address.
func connected() bool {
	ifs, err := net.Interfaces()
	if err != nil {
		return true
	}
	for _, i := range ifs {
		if i.Flags&net.FlagUp == 0 || i.Flags&net.FlagLoopback != 0 {
			continue
		}
		if a, err := i.Addrs(); err != nil || len(a) > 0 {
			return true
		}
	}
	return false
}

// bare takes the address off an error of net/http: it is told already, and may
// hold a password.
func bare(err error) error {
	if u, is := errors.AsType[*url.Error](err); is {
		return u.Err
	}
	return err
}

// scriptName is a script's address without password and query.
func scriptName(script string) string {
	u, err := url.Parse(script)
	if err != nil {
		return ""
	}
	u.RawQuery = ""
	return u.Redacted()
}
