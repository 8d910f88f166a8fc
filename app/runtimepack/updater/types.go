package updater

import (
	"context"
	"errors"
	"time"

	"piwork/app/problem"
	"piwork/pack"
	"piwork/pack/trust/channel"
)

// Phase says what is being done.
type Phase string

// Phases.
const (
	PhaseOff         Phase = "off"  // no channel is known: nothing can be looked for
	PhaseIdle        Phase = "idle" // never looked
	PhaseChecking    Phase = "checking"
	PhaseAvailable   Phase = "available"
	PhaseDownloading Phase = "downloading"
	PhasePaused      Phase = "paused"
	PhaseInstalling  Phase = "installing" // putting together, checking, syncing
	PhaseTrying      Phase = "trying"     // the first boot on this computer
	PhaseUpToDate    Phase = "up-to-date"
	PhaseFailed      Phase = "failed"  // Problem says why
	PhaseOffline     Phase = "offline" // the channel could not be reached
)

// Runtime is what [State.What] calls the runtime itself; everything else is the
// name of an add-on.
const Runtime = "runtime"

// State is how the runtime, or an add-on, stands against its channel. It is also the data
// of task.EventUpdate.
type State struct {
	Phase    Phase            `json:"phase"`
	Said     string           `json:"said,omitempty" words:"shown"` // the phase
	What     string           `json:"what"`                         // [Runtime], or the add-on that is being fetched
	Channel  string           `json:"channel"`                      // "stable"; "" where none is known
	Current  string           `json:"current"`                      // installed and in use, "" for none
	Version  string           `json:"version,omitempty"`            // on offer, or on its way
	Notes    string           `json:"notes,omitempty"`              // of the release, plain text
	Progress                  // of the download
	Checked  time.Time        `json:"checked,omitzero"` // last look that got an answer
	Problem  *problem.Problem `json:"problem,omitempty"`
	Settings Settings         `json:"settings"` // as they were chosen
}

// Progress is how far a download is.
type Progress struct {
	Done   int64 `json:"done"`   // bytes fetched
	Total  int64 `json:"total"`  // bytes to fetch, 0 when not known yet
	Reused int64 `json:"reused"` // bytes that are here already
	Rate   int64 `json:"rate"`   // bytes per second
	ETA    int64 `json:"eta"`    // seconds, -1 when not known
}

// unknownETA is an ETA that nobody knows.
const unknownETA = -1

// Settings are a person's choices about updates.
type Settings struct {
	Auto   bool     `json:"auto"`             // look at start and daily, and fetch what is new
	URLs   []string `json:"urls"`             // of the channel and its mirrors; empty is the built-in one
	Proxy  string   `json:"proxy,omitempty"`  // URL without a password, which no file holds; "" is the system's
	CAFile string   `json:"caFile,omitempty"` // further certificate authorities, PEM
}

// Release is what a channel offers for this computer.
type Release = channel.Release

// Target is one archive of a channel.
type Target = channel.Target

// ErrOff says that no channel is known: nothing can be looked for.
var ErrOff = errors.New("no update channel is known")

// Channel says what there is. Its errors are for people (problem.From); one of
// the code problem.CodeUpdateOffline says that it could not be reached.
type Channel interface {
	Name() string
	Refresh(ctx context.Context) (*Release, error)
	Last() (*Release, error) // without a network; any error is that nothing is known
}

// Source brings archives here.
type Source interface {
	// Offer reads the head of an archive, verified, and finds out what it costs.
	Offer(ctx context.Context, t Target, s *pack.Store) (Offer, error)
	Close()
}

// Offer is an archive whose head is known.
type Offer interface {
	Cost() Progress // Total and Reused are known
	// Fetch brings it into the store. The pointer stays as it is. What an ended ctx
	// leaves is found again by the next Fetch.
	Fetch(ctx context.Context, told func(Progress)) (*pack.Installed, error)
}

// Arrived is something that came out of a file.
type Arrived struct {
	What string // Runtime, or the name of an add-on
	Pack *pack.Installed
}

// Files installs what a person already has.
type Files interface {
	// Install verifies a file and installs what is in it; pointers stay as they are.
	Install(ctx context.Context, file string, told func(done, total int64)) ([]Arrived, error)
	// Beside returns a bundle or a runtime that lies beside the program, and its
	// version; "" for none.
	Beside(ctx context.Context) (file, version string)
}

// Network is what is known about the way out of this computer. What is not known
// is false.
type Network struct {
	Offline bool
	Metered bool // costs money by the byte
}

// AddOn is an add-on, installed or on offer.
type AddOn struct {
	Name     string
	Version  string
	Fits     *pack.Installed  // the version that fits the runtime in use
	Other    *pack.Installed  // the newest one that does not, when none fits
	Problem  *problem.Problem // why what is installed cannot be used
	Download int64
}
