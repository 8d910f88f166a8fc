package channel

import (
	"errors"
	"fmt"

	"github.com/theupdateframework/go-tuf/v2/metadata"
)

// Kind says in what way a channel failed. The values are stable: they are codes
// of the catalogues of window and command line.
type Kind string

// Kinds of failure.
const (
	KindUnreachable  Kind = "unreachable"      // could not be fetched; what is known is still current
	KindStale        Kind = "stale"            // could not be fetched for so long that what is known has expired
	KindExpired      Kind = "expired"          // what was fetched has expired: a neglected channel, or a freeze
	KindRollback     Kind = "rollback"         // older than what was seen before
	KindBadSignature Kind = "bad-signature"    // not signed by enough of the right keys
	KindMalformed    Kind = "malformed"        // not of the form that channels have
	KindWrongContent Kind = "wrong-content"    // other bytes than the signed metadata names
	KindTooLarge     Kind = "too-large"        // more bytes, or more new roots, than allowed
	KindMissing      Kind = "missing"          // the metadata names a file that is not there
	KindNotOffered   Kind = "not-offered"      // no such channel, or nothing in it for this platform
	KindNewerForm    Kind = "needs-newer-form" // of a form that only a newer program reads
)

// Error says why a channel gave no release.
type Error struct {
	Kind Kind
	File string // of the repository, or ""
	Err  error  // evidence
}

func (e *Error) Error() string {
	s := "update channel: " + string(e.Kind)
	if e.File != "" {
		s += ": " + e.File
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of the [Error] in err, or "".
func KindOf(err error) Kind {
	if e, is := errors.AsType[*Error](err); is {
		return e.Kind
	}
	return ""
}

// ErrNothingKnown says that no release of the channel was ever accepted here.
var ErrNothingKnown = errors.New("nothing is known of the update channel yet")

func fail(kind Kind, file, format string, args ...any) error {
	return &Error{Kind: kind, File: file, Err: fmt.Errorf(format, args...)}
}

// explain gives an error of go-tuf its kind.
func explain(file string, err error) error {
	var e *Error
	kind := KindMalformed
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, &metadata.ErrExpiredMetadata{}):
		kind = KindExpired
	case errors.Is(err, &metadata.ErrUnsignedMetadata{}):
		kind = KindBadSignature
	case errors.Is(err, &metadata.ErrBadVersionNumber{}):
		kind = KindRollback
	case errors.Is(err, &metadata.ErrLengthOrHashMismatch{}):
		kind = KindWrongContent
	}
	return &Error{Kind: kind, File: file, Err: err}
}
