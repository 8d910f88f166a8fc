package spec

import (
	"errors"
	"fmt"
)

// Kind says in what way a pack failed verification. The values are stable: they
// are codes of the catalogues of window and command line.
type Kind string

// Kinds of failed verification.
const (
	KindNotAPack         Kind = "not-a-pack"        // the file is something else
	KindTruncated        Kind = "truncated"         // ends too early
	KindCorrupt          Kind = "corrupt-archive"   // compression or archive structure is broken
	KindTrailingData     Kind = "trailing-data"     // goes on after its end
	KindTooLarge         Kind = "too-large"         // more than allowed, or than the manifest says
	KindMissingManifest  Kind = "missing-manifest"  // the first entry is not the manifest
	KindMissingSignature Kind = "missing-signature" // the second entry is not the signature
	KindBadSignature     Kind = "bad-signature"     // the signature does not fit the manifest
	KindForeignKey       Kind = "foreign-key"       // signed by a key that is not trusted (here)
	KindRevokedKey       Kind = "revoked-key"       // signed by a key that was trusted once and is not any more
	KindWithdrawn        Kind = "withdrawn"         // of a version that must not be installed any more
	KindBadManifest      Kind = "bad-manifest"      // signed, and yet not a valid manifest
	KindUnsafeName       Kind = "unsafe-name"       // a name that is not allowed in a pack
	KindUnsafeEntry      Kind = "unsafe-entry"      // a link, device, directory, extended header…
	KindDuplicateFile    Kind = "duplicate-file"    // the same name twice
	KindExtraFile        Kind = "extra-file"        // a file that the manifest does not name
	KindMissingFile      Kind = "missing-file"      // a file of the manifest is not there
	KindWrongSize        Kind = "wrong-size"        // a file is not as long as the manifest says
	KindFlippedByte      Kind = "flipped-byte"      // the content of a file is not what was signed
	KindWrongPlatform    Kind = "wrong-platform"    // made for another operating system or processor
	KindWrongAppVersion  Kind = "wrong-app-version" // needs another version of piwork
	KindUnknownSchema    Kind = "unknown-schema"    // needs a piwork that knows a newer form of manifest
	KindWrongVersion     Kind = "wrong-version"     // a directory holds another version than its name says
	KindNotExecutable    Kind = "not-executable"    // a program lost its permission to run
)

// VerifyError says why a pack is not accepted. It stands for exit code 5.
type VerifyError struct {
	Kind Kind
	File string // of the pack, or "" when it is about the whole
	Err  error  // evidence
}

func (e *VerifyError) Error() string {
	s := "pack refused: " + string(e.Kind)
	if e.File != "" {
		s += fmt.Sprintf(": %q", e.File)
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *VerifyError) Unwrap() error { return e.Err }

// AddOnError says which add-on an error is about.
type AddOnError struct {
	Name string
	Err  error
}

func (e *AddOnError) Error() string { return "add-on " + e.Name + ": " + e.Err.Error() }

func (e *AddOnError) Unwrap() error { return e.Err }

// KindOf returns the kind of the [VerifyError] in err, or "".
func KindOf(err error) Kind {
	if v, is := errors.AsType[*VerifyError](err); is {
		return v.Kind
	}
	return ""
}

// Refuse makes a [VerifyError]: what is wrong, with which file of the pack, as with
// fmt.Errorf.
func Refuse(kind Kind, file, format string, args ...any) error {
	return &VerifyError{Kind: kind, File: file, Err: fmt.Errorf(format, args...)}
}

// SpaceError is returned before anything is written when the disk is too full.
type SpaceError struct {
	Dir  string
	Need uint64 // bytes, with a reserve
	Free uint64 // bytes that an ordinary user may write
}

func (e *SpaceError) Error() string {
	return fmt.Sprintf("not enough free space in %s: %d bytes needed, %d free", e.Dir, e.Need, e.Free)
}

// Outcomes that are not about a pack's content.
var (
	// ErrBusy: another process, or another call, changes the store right now.
	ErrBusy = errors.New("another installation is running")
	// ErrNotInstalled: the store has no such version, or no current one.
	ErrNotInstalled = errors.New("no runtime pack is installed")
	// ErrNoRole: an installed pack has no file, or several, of a role.
	ErrNoRole = errors.New("no single file of this role in the pack")
	// ErrCurrent: the version is in use as the current one.
	ErrCurrent = errors.New("this version is the current one")
	// ErrIncomplete: an assembly was to be finished while chunks are missing.
	ErrIncomplete = errors.New("not all of the pack is there yet")
)
