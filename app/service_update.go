package app

import (
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
