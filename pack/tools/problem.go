package tools

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"unicode/utf8"

	"piwork/vmhost/wire"
)

// Codes of problems. With a path they are about that input, without one about
// the whole operation.
const (
	InputBroken      = "input-broken"      // damaged, cut off or empty
	InputUnsupported = "input-unsupported" // perhaps whole, but of a kind that no tool here reads
	InputMissing     = "input-missing"     // not there
	InputUnreadable  = "input-unreadable"  // there, and reading it failed
	InputOnline      = "input-online"      // only with a cloud service, and was not downloaded
	InputTooLarge    = "input-too-large"   // beyond the bounds of the operation
	InputLocked      = "input-locked"      // needs a password, or another
	InputChanged     = "changed-since"     // not what it was when it was looked at
	InputLink        = "input-link"        // reached only through a link that leads out of its folder
	InputHasText     = "input-has-text"    // a PDF whose words can be searched already
	InputNoReceipt   = "input-no-receipt"  // nothing in it looks like a receipt
	NotCompared      = "not-compared"      // a picture, and as many after it as the detail says: there are too many
	EntryLeftOut     = "entry-left-out"    // an entry of an archive that is not unpacked; the cause says why
	OutputExists     = "output-exists"     // something is there, and it was not to be replaced
	OutputName       = "output-name"       // the new name of the input cannot be one, or is taken
	OutputDenied     = "output-denied"     // no permission, read-only, or no such folder
	DiskFull         = "disk-full"         // no room for the result or on the way to it
	ToolFailed       = "tool-failed"       // a program failed for a reason that nothing else names
	Timeout          = "timeout"           // took longer than allowed
	OutOfMemory      = "out-of-memory"
	IOLimit          = "io-limit" // read and wrote more than its caller allowed
	Cancelled        = "cancelled"
	MoreResults      = "more-results" // the answer is full: ask again with params.after
)

// maxWords bounds the detail of a problem, in bytes, so that the problems of
// many inputs fit in one answer.
const maxWords = 600

// Problem makes a problem of a code, about a path or, with "", the whole
// operation.
func Problem(code, path, detail string) wire.ToolProblem {
	return wire.ToolProblem{Code: code, Path: path, Detail: Words(detail)}
}

// Words makes bounded, printable text of what a program said. The end is kept:
// there the reason stands.
func Words(s string) string {
	s = strings.TrimSpace(strings.ToValidUTF8(s, "\uFFFD"))
	s = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7F {
			return -1
		}
		return r
	}, s)
	if len(s) <= maxWords {
		return s
	}
	s = s[len(s)-maxWords:]
	for len(s) > 0 && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	return "…" + s
}

// ErrLink is why what is at the end of a link is not read.
var ErrLink = errors.New("a link on the way leads out of the folder")

// notDownloaded is EREMOTEIO of Linux, which the share says of a file that is only online and was not
// downloaded (vmhost/share/internal/errno).
const notDownloaded = syscall.Errno(0x79)

// InputProblem names an error of opening or reading an input.
func InputProblem(path string, err error) wire.ToolProblem {
	code := InputUnreadable
	if errors.Is(err, ErrLink) {
		code = InputLink
	} else if errors.Is(err, notDownloaded) {
		code = InputOnline
	} else if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		code = InputMissing
	}
	return Problem(code, path, err.Error())
}

// OutputProblem names an error of writing the result or on the way to it.
func OutputProblem(err error) wire.ToolProblem {
	return Problem(OutputCode(err), "", err.Error())
}

// OutputCode is the code of an error of writing.
func OutputCode(err error) string {
	switch {
	case errors.Is(err, fs.ErrExist):
		return OutputExists
	case full(err):
		return DiskFull
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrNotExist),
		errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.EISDIR):
		return OutputDenied
	}
	return ToolFailed
}

// Ending is how a program ended.
type Ending struct {
	ExitCode int  // 128+n when ended by signal n
	Timeout  bool // it was ended because it took too long
	Stderr   string
}

// Signals, as 128+n, that tell something.
const (
	exitSIGKILL = 128 + 9  // here: the kernel's, for want of memory
	exitSIGXFSZ = 128 + 25 // a file grew beyond the limit
)

// Code returns the code of a program that failed, or otherwise when only the
// program itself knows. Programs name a full disk in words only.
func (e Ending) Code(otherwise string) string {
	words := strings.ToLower(e.Stderr)
	switch {
	case e.Timeout:
		return Timeout
	case strings.Contains(words, "no space left on device"), strings.Contains(words, "disk quota exceeded"):
		return DiskFull
	case strings.Contains(words, "remote i/o error"):
		return InputOnline
	case e.ExitCode == exitSIGKILL, strings.Contains(words, "memoryerror"), strings.Contains(words, "std::bad_alloc"),
		strings.Contains(words, "memory allocation failed"):
		return OutOfMemory
	case e.ExitCode == exitSIGXFSZ, strings.Contains(words, "file too large"), strings.Contains(words, "exceeds limit"),
		strings.Contains(words, "cache resources exhausted"), strings.Contains(words, "decompressionbomb"):
		return InputTooLarge
	case strings.Contains(words, "no decode delegate"), strings.Contains(words, "security policy"):
		return InputUnsupported
	}
	return otherwise
}
