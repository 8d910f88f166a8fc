package app

import (
	"time"

	"piwork/app/problem"
)

// PackKind says what a pack is.
type PackKind string

// Kinds of packs.
const (
	PackRuntime PackKind = "runtime"
	PackAddOn   PackKind = "addon"
	PackBundle  PackKind = "bundle" // packs and the program in one file
)

// UpdatePhase says what is being done about updates.
type UpdatePhase string

// Phases of an update.
const (
	UpdateOff         UpdatePhase = "off"  // no channel is known: nothing can be looked for
	UpdateIdle        UpdatePhase = "idle" // never looked
	UpdateChecking    UpdatePhase = "checking"
	UpdateAvailable   UpdatePhase = "available"
	UpdateDownloading UpdatePhase = "downloading"
	UpdatePaused      UpdatePhase = "paused"
	UpdateInstalling  UpdatePhase = "installing" // putting together, checking, syncing
	UpdateTrying      UpdatePhase = "trying"     // the first boot on this computer
	UpdateUpToDate    UpdatePhase = "up-to-date"
	UpdateFailed      UpdatePhase = "failed"  // Problem says why
	UpdateOffline     UpdatePhase = "offline" // the channel could not be reached
)

// UpdateState is how the runtime, or an add-on, stands against its channel. It
// is also the data of task.EventUpdate.
type UpdateState struct {
	Phase    UpdatePhase      `json:"phase"`
	What     string           `json:"what"`              // "runtime", or the name of an add-on
	Channel  string           `json:"channel"`           // "stable"; "" where none is known
	Current  string           `json:"current"`           // installed version, "" for none
	Version  string           `json:"version,omitempty"` // on offer, or on its way
	Notes    string           `json:"notes,omitempty"`   // of the release, plain text
	Done     int64            `json:"done"`              // bytes fetched
	Total    int64            `json:"total"`             // bytes to fetch, 0 when not known yet
	Reused   int64            `json:"reused"`            // bytes that need not be fetched
	Rate     int64            `json:"rate"`              // bytes per second
	ETA      int64            `json:"eta"`               // seconds, -1 when not known
	Checked  time.Time        `json:"checked,omitzero"`  // last look that got an answer
	Problem  *problem.Problem `json:"problem,omitempty"`
	Settings UpdateSettings   `json:"settings"`
}

// UpdateRequest asks for an update.
type UpdateRequest struct {
	AddOns  []string `json:"addOns,omitempty"`  // to install besides those that are installed
	Version string   `json:"version,omitempty"` // "" is the newest
}

// UpdateSettings are a person's choices about updates.
type UpdateSettings struct {
	Auto   bool     `json:"auto"`             // look at start and daily, and fetch what is new
	URLs   []string `json:"urls"`             // of the channel and its mirrors; empty is the built-in one
	Proxy  string   `json:"proxy,omitempty"`  // URL; "" is the system's
	CAFile string   `json:"caFile,omitempty"` // further certificate authorities, PEM
}

// AddOnInfo is an add-on image, installed or on offer.
type AddOnInfo struct {
	Name      string           `json:"name"`
	Version   string           `json:"version,omitempty"` // installed, else on offer
	Installed bool             `json:"installed"`
	Usable    bool             `json:"usable"`             // fits the runtime in use
	Bytes     int64            `json:"bytes,omitempty"`    // on disk
	Download  int64            `json:"download,omitempty"` // bytes of its archive on the channel
	Problem   *problem.Problem `json:"problem,omitempty"`
}

// BundleRequest asks for an offline bundle.
type BundleRequest struct {
	Out    string   `json:"out"`              // absolute path of the file to write
	AddOns []string `json:"addOns,omitempty"` // installed add-ons to put in
	App    string   `json:"app,omitempty"`    // program to put in, "" is this one
}

// BundleInfo is a bundle that was written.
type BundleInfo struct {
	File   string     `json:"file"`
	Bytes  int64      `json:"bytes"`
	SHA256 string     `json:"sha256"`
	Packs  []PackInfo `json:"packs"`
}
