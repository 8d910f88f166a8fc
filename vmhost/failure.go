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
	ReasonSystem   Reason = "system"         // the Runtime is for another system than that of this computer
	ReasonTooLarge Reason = "too-large"      // folders, or what changed in them, are too large for a copy (TooLargeError)

	ReasonSandboxMissing Reason = "sandbox-missing" // the program bubblewrap is not installed
	ReasonSandboxDenied  Reason = "sandbox-denied"  // this system gives people no namespaces of their own
	ReasonEngineMissing  Reason = "engine-missing"  // neither Docker nor Podman answers
	ReasonEngineLost     Reason = "engine-lost"     // Docker or Podman no longer answers, or not as it should

	ReasonHostRoot Reason = "host-root" // tasks do not run as root on this computer itself

	ReasonHostKeyUnknown    Reason = "host-key-unknown"   // another computer whose key nobody has confirmed
	ReasonHostKeyChanged    Reason = "host-key-changed"   // another computer has another key than before
	ReasonRemoteUnreachable Reason = "remote-unreachable" // another computer does not answer
	ReasonRemoteLogin       Reason = "remote-login"       // another computer does not let this person in
	ReasonRemoteUnfit       Reason = "remote-unfit"       // another computer cannot have a place for tasks
	ReasonRemoteFull        Reason = "remote-disk-full"   // another computer has no space left
	ReasonRemoteLost        Reason = "remote-lost"        // the connection to another computer was lost for too long

	ReasonClusterContext     Reason = "cluster-context"     // the kubeconfig does not have the context
	ReasonClusterUnreachable Reason = "cluster-unreachable" // a cluster does not answer
	ReasonClusterLogin       Reason = "cluster-login"       // a cluster, or the kubeconfig, does not let this person in, or do what a place takes
	ReasonClusterUnfit       Reason = "cluster-unfit"       // a cluster cannot have a place for tasks
	ReasonClusterLost        Reason = "cluster-lost"        // a Pod, or the connection to it, was lost

	// Why it gives none, where a setting of the kernel says so.
	ReasonSandboxAppArmor Reason = "sandbox-apparmor" // kernel.apparmor_restrict_unprivileged_userns
	ReasonSandboxClone    Reason = "sandbox-clone"    // kernel.unprivileged_userns_clone
	ReasonSandboxMax      Reason = "sandbox-max"      // user.max_user_namespaces
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

// UnsavedError is returned by Execute, beside the Observation, and by Close, by a Runtime
// whose programs work on copies of the folders: some of what they changed could not be made
// in the folders. After Execute the Runtime stays ready.
type UnsavedError struct {
	Runtime string   // Capabilities.Name
	Paths   []string // as programs name them, from the name of the folder on
	Err     error    // why, of the first
}

func (e *UnsavedError) Error() string {
	return fmt.Sprintf("%d changes in copies of folders could not be made in the folders, the first %q: %v", len(e.Paths), e.Paths[0], e.Err)
}

// Unwrap returns the cause.
func (e *UnsavedError) Unwrap() error { return e.Err }

// TooLargeError says that folders, or what changed in them, are too large for a Runtime
// whose programs work on copies.
type TooLargeError struct {
	Runtime  string // Capabilities.Name
	Files    int    // more than MaxFiles, or
	Bytes    int64  // more than MaxBytes
	MaxFiles int
	MaxBytes int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("too large for a copy: %d files, %d bytes; at most %d files, %d bytes", e.Files, e.Bytes, e.MaxFiles, e.MaxBytes)
}
