package qemu

import "strings"

// StartError is returned by Start when QEMU did not come up.
type StartError struct {
	CommandLine []string
	Output      string // the end of what QEMU said
	Err         error  // an *ExitError when it ended by itself
}

func (e *StartError) Error() string {
	s := "start QEMU: " + e.Err.Error()
	if out := strings.TrimSpace(e.Output); out != "" {
		s += ": " + out
	}
	return s
}

// Unwrap returns the cause.
func (e *StartError) Unwrap() error { return e.Err }

// ExitError is how a QEMU process ended.
type ExitError struct {
	Code   int    // exit status, -1 when ended by a signal
	Status string // in words, e.g. "exit status 1", "signal: aborted"
	Reason string // of QMP's SHUTDOWN event, e.g. "guest-shutdown", "guest-reset"; "" when there was none
	Output string // the end of what QEMU said
}

func (e *ExitError) Error() string {
	s := "QEMU ended: " + e.Status
	if e.Reason != "" {
		s += " (" + e.Reason + ")"
	}
	return s
}

// lastLine is the last line of a text, of a length for an error.
func lastLine(s string) string {
	s = strings.TrimSpace(s)
	s = s[strings.LastIndexByte(s, '\n')+1:]
	return strings.ToValidUTF8(s[max(0, len(s)-500):], "?")
}
