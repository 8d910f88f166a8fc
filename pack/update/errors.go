package update

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// Code says why something could not be fetched. The values are stable: they are
// codes of the catalogues of window and command line. A code names what was seen,
// never a guess at what is behind it.
type Code string

// Codes of failed transfers, from what a person can mend first to what only time
// or the publisher mends. When several mirrors fail in different ways, the first
// of this list is told.
const (
	CodeNoMirror         Code = "no-mirror"         // no address is known to fetch from
	CodeBadAddress       Code = "bad-address"       // an address of a mirror or of the proxy cannot be read
	CodeBadCA            Code = "bad-ca"            // the file of extra authorities cannot be used
	CodeDiskFull         Code = "disk-full"         // no room for what is fetched
	CodeDisk             Code = "disk"              // what was fetched cannot be written
	CodeProxyAuth        Code = "proxy-auth"        // the proxy wants another, or a, name and password
	CodeProxyAuthKind    Code = "proxy-auth-kind"   // the proxy wants a way to sign in that is not supported
	CodeProxyUnreachable Code = "proxy-unreachable" // the proxy does not answer
	CodeProxyRefused     Code = "proxy-refused"     // the proxy does not let this server be reached
	CodeProxyScript      Code = "proxy-script"      // there is only a proxy script (PAC), and without a proxy nothing is reached
	CodeTLSUntrusted     Code = "tls-untrusted"     // the certificate is by an authority that is not trusted here
	CodeTLSInvalid       Code = "tls-invalid"       // the certificate has ended, has not begun or is for another name
	CodeCaptivePortal    Code = "captive-portal"    // a web page came in place of the file
	CodeChanged          Code = "changed-on-server" // the file on the server is not the one that was announced
	CodeWrongContent     Code = "wrong-content"     // parts that arrived are not what was signed
	CodeTooLarge         Code = "too-large"         // the answer is longer than it may be
	CodeBadAnswer        Code = "bad-answer"        // the answer contradicts itself, or HTTP
	CodeRedirect         Code = "redirect"          // sent on too often, or to an unprotected place
	CodeDenied           Code = "denied"            // the server does not hand the file out
	CodeNotFound         Code = "not-found"         // the server does not have the file
	CodeServerError      Code = "server-error"      // the server is overloaded or broken
	CodeStalled          Code = "stalled"           // nothing, or next to nothing, came any more
	CodeInterrupted      Code = "interrupted"       // connections broke off again and again
	CodeUnreachable      Code = "unreachable"       // the server does not answer
	CodeOffline          Code = "offline"           // this computer has no way to the network, or to its names
)

// Codes lists all codes in the order in which they are told.
func Codes() []Code {
	return []Code{
		CodeNoMirror, CodeBadAddress, CodeBadCA, CodeDiskFull, CodeDisk,
		CodeProxyAuth, CodeProxyAuthKind, CodeProxyUnreachable, CodeProxyRefused, CodeProxyScript,
		CodeTLSUntrusted, CodeTLSInvalid, CodeCaptivePortal, CodeChanged, CodeWrongContent, CodeTooLarge,
		CodeBadAnswer, CodeRedirect, CodeDenied, CodeNotFound, CodeServerError, CodeStalled,
		CodeInterrupted, CodeUnreachable, CodeOffline,
	}
}

// Error is a failed transfer: a code, and the evidence.
type Error struct {
	Code   Code
	Server string        // host of the mirror or the server it sent on to; "" where none was involved
	Proxy  string        // proxy that was used, without password
	Status int           // of HTTP, 0 for none
	Issuer string        // of a certificate that is not trusted
	Kinds  []string      // ways to sign in that a proxy offered: "Negotiate", "NTLM"…
	Script string        // address of the proxy script
	Wait   time.Duration // that the server asked for; 0 for none
	Err    error         // evidence

	// lasting: the same request will fail in the same way.
	lasting bool
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(string(e.Code))
	add := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	if e.Server != "" {
		add(": %s", e.Server)
	}
	if e.Proxy != "" {
		add(" (through %s)", e.Proxy)
	}
	if e.Status != 0 {
		add(": HTTP status %d", e.Status)
	}
	if e.Issuer != "" {
		add(": issued by %q", e.Issuer)
	}
	if len(e.Kinds) > 0 {
		add(": offered %s", strings.Join(e.Kinds, ", "))
	}
	if e.Script != "" {
		add(": proxy script %s", e.Script)
	}
	if e.Wait > 0 {
		add(": asks to wait %s", e.Wait)
	}
	if e.Err != nil {
		add(": %v", e.Err)
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// Is makes a file that the server does not have, or does not hand out, an
// fs.ErrNotExist: stores of objects answer 403 for what is not there.
func (e *Error) Is(target error) bool {
	return target == fs.ErrNotExist && (e.Code == CodeNotFound || e.Code == CodeDenied)
}

// CodeOf returns the code of the [Error] in err, or "".
func CodeOf(err error) Code {
	if e, is := errors.AsType[*Error](err); is {
		return e.Code
	}
	return ""
}

// worst is the error to tell when every mirror failed: the first by the order of
// [Codes], with the others as evidence.
func worst(errs []*Error) error {
	if len(errs) == 0 {
		return &Error{Code: CodeNoMirror}
	}
	order := Codes()
	rank := func(e *Error) int { return slices.Index(order, e.Code) }
	sorted := slices.SortedStableFunc(slices.Values(errs), func(a, b *Error) int { return cmp.Compare(rank(a), rank(b)) })
	if len(sorted) == 1 {
		return sorted[0]
	}
	all := make([]error, len(sorted))
	for i, e := range sorted {
		all[i] = e
	}
	first := *sorted[0]
	first.Err = errors.Join(all...)
	return &first
}

// errStalled is the cause of a request that its watchdog ended.
var errStalled = errors.New("no data")
