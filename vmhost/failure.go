package vmhost

import (
	"fmt"
	"strings"
)

// Reason says in a code why a Runtime failed.
type Reason string

// Reasons. app/words has a sentence for each.
const (
	ReasonStart    Reason = "start"          // the Runtime's own process could not be started
	ReasonExited   Reason = "exited"         // it ended by itself
	ReasonPanic    Reason = "guest-panic"    // the guest's kernel gave up
	ReasonDamaged  Reason = "image-damaged"  // an image of the pack is not what it was signed as: it needs repair
	ReasonStalled  Reason = "stalled"        // no progress while connecting
	ReasonHung     Reason = "agent-hung"     // the agent no longer answers
	ReasonClosed   Reason = "port-closed"    // the agent's connection ended
	ReasonProtocol Reason = "protocol"       // the agent said what no agent says
	ReasonVersion  Reason = "version"        // the agent speaks another version of the protocol
	ReasonRefused  Reason = "guest-refused"  // the agent answered a step of connecting with an error
	ReasonShare    Reason = "share"          // the file server for the folders ended
	ReasonDiskFull Reason = "host-disk-full" // this computer has no space for the Runtime's disk
	ReasonHost     Reason = "host"           // something else on this computer, see Err
	ReasonStopped  Reason = "stopped"        // Connect was given up by its caller

	ReasonSandboxMissing Reason = "sandbox-missing" // the program bubblewrap is not installed
	ReasonSandboxDenied  Reason = "sandbox-denied"  // this system gives people no namespaces of their own
	ReasonEngineMissing  Reason = "engine-missing"  // neither Docker nor Podman answers
	ReasonEngineLost     Reason = "engine-lost"     // Docker or Podman no longer answers, or not as it should
)

// BaseImage is what FailedError.Image calls the root image of a runtime.
const BaseImage = "base"

// FailedError is why a Runtime is in the state failed. Connect and Execute
// return it and Status holds it.
type FailedError struct {
	Runtime string // Capabilities.Name
	Step    string // of connecting, "" when it had been ready
	Reason  Reason
	Image   string // with ReasonDamaged: name of the add-on, BaseImage for the root image, "" when it is not known
	Hint    string // what to look at, for a log, in English; "" when it had been ready
	Detail  string // evidence, e.g. the last lines of the console; may be long
	Err     error  // the cause, may be nil
}

func (e *FailedError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the %s runtime failed", e.Runtime)
	if e.Step != "" {
		fmt.Fprintf(&b, " at %q", e.Step)
	}
	fmt.Fprintf(&b, " (%s)", e.Reason)
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	if e.Hint != "" {
		fmt.Fprintf(&b, " (%s)", e.Hint)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *FailedError) Unwrap() error { return e.Err }

// ActionCode says in a code why an Action could not be run.
type ActionCode string

// Codes of an [ActionError].
const (
	ActionInvalid   ActionCode = "invalid"    // the action makes no sense, or its id is taken
	ActionStart     ActionCode = "start"      // the program could not be started
	ActionMissing   ActionCode = "missing"    // there is no such program
	ActionUnknownOp ActionCode = "unknown-op" // the pack has no such operation
	ActionBusy      ActionCode = "busy"       // try again later
	ActionGuest     ActionCode = "guest"      // the Runtime's own error, see Err
)

// ActionError is returned by Execute for an action that did not run. The
// Runtime stays ready.
type ActionError struct {
	Code      ActionCode
	What      string // the program or the operation
	Retryable bool
	Hint      string // for a log, in English
	Err       error
}

func (e *ActionError) Error() string {
	s := fmt.Sprintf("%s: %s", e.What, e.Code)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}

// Unwrap returns the cause.
func (e *ActionError) Unwrap() error { return e.Err }
