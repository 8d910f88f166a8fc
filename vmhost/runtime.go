package vmhost

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// State is where a Runtime is in its life.
type State string

// States of a Runtime; see the package comment for the order.
const (
	StateIdle       State = "idle"
	StateConnecting State = "connecting"
	StateReady      State = "ready"
	StateClosed     State = "closed"
	StateFailed     State = "failed"
)

// Status is a state and why it is so.
type Status struct {
	State State     `json:"state"`
	Step  string    `json:"step,omitempty"` // while connecting: what is waited for, e.g. "kernel", "agent", "mount"
	Err   error     `json:"-"`              // in failed: the cause
	Since time.Time `json:"since"`
}

// Domain is the word of the audit log for where something ran.
type Domain string

// Domains, from the strongest isolation to none.
const (
	DomainVM        Domain = "vm"
	DomainContainer Domain = "container"
	DomainRemote    Domain = "remote"
	DomainHost      Domain = "host"
)

// Isolation is what stands between what runs and this computer.
type Isolation string

// Isolations, from the strongest to none.
const (
	IsolationHardware  Isolation = "hardware"  // the processor
	IsolationEmulated  Isolation = "emulated"  // a program that plays a processor
	IsolationNamespace Isolation = "namespace" // the kernel
	IsolationNone      Isolation = "none"
)

// Kinds of Runtimes: Capabilities.Name.
const (
	KindVM        = "vm"
	KindSandbox   = "sandbox"
	KindContainer = "container"
	KindRemote    = "remote" // before a colon and the name of the computer
	KindHost      = "host"

	KindKubernetes = "kubernetes" // before a colon and the name of the cluster
)

// Capabilities says what a Runtime is and what it can enforce.
type Capabilities struct {
	Name      string          `json:"name"` // "vm", "container", "sandbox", "host", "remote"
	Isolation Isolation       `json:"isolation"`
	Domain    Domain          `json:"domain"`
	Networks  []NetworkPolicy `json:"networks"` // policies it can enforce
	ReadOnly  bool            `json:"readOnly"` // can hold folders read-only
	Limits    LimitSupport    `json:"limits"`
	Tools     bool            `json:"tools"` // has the operations of the pack
}

// LimitSupport says which limits a Runtime enforces.
type LimitSupport struct {
	CPU       bool `json:"cpu"`
	Memory    bool `json:"memory"`
	Disk      bool `json:"disk"`
	Wall      bool `json:"wall"`
	Output    bool `json:"output"`
	Processes bool `json:"processes" doc:"their number is bounded, without a limit of the task's own"`
	Size      bool `json:"size" doc:"how much memory and how many processors all programs of a task have together can be chosen"`
}

// Engine is a program of this computer that runs a kind of Runtime.
type Engine struct {
	Name     string `json:"name" doc:"Podman or Docker"`
	Version  string `json:"version"`
	Socket   string `json:"socket" doc:"where it listens"`
	Rootless bool   `json:"rootless" doc:"it runs without administrator rights: a fault in it gives nobody these"`
	Sizes    bool   `json:"sizes" doc:"it can hold a task to an amount of memory and of processors"`
	Offline  bool   `json:"offline,omitempty" doc:"its containers can have no network"`
	Copies   bool   `json:"copies" doc:"it cannot be shown folders: tasks work on copies of them, and what they change is brought back"`
	Text     string `json:"text,omitempty" words:"shown"`
}

// Runtime is one place where a task's work happens. Its methods may be called
// from several goroutines at once.
type Runtime interface {
	// Connect brings the Runtime to ready, or to failed with the error that it
	// returns: an *UnsupportedError for an environment it cannot enforce, else a
	// *FailedError. A second call on a ready Runtime does nothing. When ctx ends
	// first, everything that was started is ended before Connect returns.
	Connect(ctx context.Context) error

	// Close ends the Runtime gracefully until ctx ends, then by force. It is
	// idempotent, and after it nothing of the Runtime is left behind. Where programs work on
	// copies of the folders, an *UnsavedError or *FailedError says that what they changed last
	// is lost.
	Close(ctx context.Context) error

	// Status returns the present state; it never blocks.
	Status() Status

	// Capabilities is constant and known before Connect.
	Capabilities() Capabilities

	// Execute does one action and waits for its end. Ending ctx cancels the
	// action in the Runtime too, and Execute returns after it is gone. Outside
	// of ready it returns ErrNotReady, and when the Runtime fails meanwhile its
	// *FailedError. An action that ran and failed is an Observation, not an
	// error; one that could not be run is an *ActionError, one with a limit that the
	// Runtime does not enforce an *UnsupportedError, and one that needs another place a
	// *RequirementError.
	Execute(ctx context.Context, a Action) (Observation, error)

	// InitData describes the environment to a model; stable for a task.
	InitData() InitData

	// Hints are what may change at any time.
	Hints() Hints
}

// StatusFunc hears every change of state, in order, one call at a time. It
// must not call back into the Runtime.
type StatusFunc func(Status)

// InitData is the stable description of an environment.
type InitData struct {
	Runtime string         `json:"runtime"`
	OS      string         `json:"os"`
	Cwd     string         `json:"cwd"`
	Sandbox string         `json:"sandbox"`
	Network NetworkPolicy  `json:"network"`
	Folders []FolderInView `json:"folders"`
	Pack    string         `json:"pack,omitempty"` // version of the runtime pack

	// WorkspaceRoot is the first folder, "" without one. Programs may start elsewhere (Cwd).
	WorkspaceRoot string `json:"workspaceRoot,omitempty"`

	Can []Ability `json:"can,omitempty"` // what the place can do, of what only some can
}

// Of has the first folder as the workspace, and what a place with these capabilities can do.
func (d InitData) Of(c Capabilities) InitData {
	if len(d.Folders) > 0 {
		d.WorkspaceRoot = d.Folders[0].Path
	}
	d.Can = c.Abilities()
	return d
}

// FolderInView is a folder as the Runtime's programs see it.
type FolderInView struct {
	Path     string `json:"path"`
	ReadOnly bool   `json:"readOnly"`
}

// Hints are what may change during a task. An AI is told them with each message.
type Hints struct {
	Time     time.Time `json:"time"`
	TimeZone string    `json:"timeZone,omitempty"`
	Locale   string    `json:"locale,omitempty"`
}

// ErrNotReady is returned by Execute outside of the ready state.
var ErrNotReady = errors.New("the runtime is not ready")

// UnsupportedError says which part of an environment a Runtime cannot enforce.
type UnsupportedError struct {
	Runtime string // Capabilities.Name
	What    string // e.g. "network policy restricted"
	Cause   string // CauseMount, or "" where What says all
}

// CauseMount is that of an UnsupportedError where this computer does not let folders be
// mounted (fuse(4)).
const CauseMount = "mount"

// NotMounted is the error of a Runtime that could not mount folders on this computer.
func NotMounted(runtime, why string) error {
	return &UnsupportedError{Runtime: runtime, What: "folders: " + why, Cause: CauseMount}
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("the %s runtime cannot enforce %s", e.Runtime, e.What)
}
