package runtimepack

import (
	"time"

	"piwork/app/problem"
	"piwork/pack/spec"
)

// Kind says what a pack is.
type Kind string

// Kinds of packs.
const (
	KindRuntime Kind = "runtime"
	KindAddOn   Kind = "addon"
	KindBundle  Kind = "bundle" // packs and the program in one file
)

// AddOn is an add-on image, installed or on offer.
type AddOn struct {
	Name      string           `json:"name"`
	Version   string           `json:"version,omitempty"` // installed, else on offer
	Installed bool             `json:"installed"`
	Usable    bool             `json:"usable"`             // fits the runtime in use
	Bytes     int64            `json:"bytes,omitempty"`    // on disk
	Download  int64            `json:"download,omitempty"` // bytes of its archive on the channel
	Dir       string           `json:"dir,omitempty" doc:"of one that is usable: where it lies, with the texts of its licences"`
	Tools     []spec.Tool      `json:"tools,omitempty" doc:"of one that is usable: the programs in it"`
	Problem   *problem.Problem `json:"problem,omitempty"`
}

// BundleRequest asks for an offline bundle.
type BundleRequest struct {
	Out    string   `json:"out" doc:"absolute path of the file to write, which must not be there and ends with .tar; in a folder it gets the usual name"`
	AddOns []string `json:"addOns,omitempty"` // installed add-ons to put in
	App    string   `json:"app,omitempty"`    // program to put in, "" is this one
}

// BundleInfo is a bundle that was written.
type BundleInfo struct {
	File   string `json:"file"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	Packs  []Info `json:"packs"`
}

// Info is a runtime pack, installed or in a file.
type Info struct {
	Name      string    `json:"name"`
	Version   string    `json:"version"`
	OS        string    `json:"os"`
	Arch      string    `json:"arch"`
	GuestArch string    `json:"guestArch"`
	Built     time.Time `json:"built"`
	Files     int       `json:"files"`
	Bytes     int64     `json:"bytes"` // unpacked
	SignedBy  string    `json:"signedBy"`
	Developer bool      `json:"developer"`
	Installed bool      `json:"installed"`
	Current   bool      `json:"current"`
	Dir       string    `json:"dir,omitempty"`

	Kind Kind `json:"kind,omitempty"` // "" is a runtime
	Standing

	Flavour spec.Flavour `json:"flavour,omitempty"` // of a runtime: "own", "stock"

	// Tools are the programs in it, and Checksum the SHA-256 of its signed
	// manifest, which covers every file: hex, absent for one that is only looked at.
	Tools    []spec.Tool `json:"tools,omitempty"`
	Checksum string      `json:"checksum,omitempty"`

	// Problem is why an installed pack cannot be used; most of the rest is not
	// known then.
	Problem *problem.Problem `json:"problem,omitempty"`
}

// Standing is how a pack stands on this computer.
type Standing struct {
	Previous  bool `json:"previous,omitempty"`  // was current before; a rollback goes there
	Candidate bool `json:"candidate,omitempty"` // waits for its first boot here
	Failed    bool `json:"failed,omitempty"`    // did not work here; not tried again by itself
	InUse     bool `json:"inUse,omitempty"`     // a running task works on it
	Withdrawn bool `json:"withdrawn,omitempty"` // must not be used any more: tasks move to the next one
}
