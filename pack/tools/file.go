package tools

import (
	"time"

	"piwork/vmhost/wire"
)

var fileHash = Operation{
	Name: "file.hash", Min: 1, Max: wire.MaxInputs, Folders: true, Out: OutNone,
	params: func() Params { return &FileHash{} },
	limits: func(_ Params, l Load) Limits {
		return Limits{Wall: baseWall + time.Duration(l.Inputs)*time.Second + perMegabyte(l, time.Second), FileSize: baseIO}
	},
}

// FileHash are the parameters of file.hash: size and SHA-256 of the inputs,
// and, with recursive, of every file in the folders among them. Links are not
// followed within folders. When the answer is full, the last problem is
// MoreResults and its path is what to pass as after.
type FileHash struct {
	Recursive bool   `json:"recursive" schema:"default=false"`
	SizesOnly bool   `json:"sizesOnly" schema:"default=false"`
	After     string `json:"after" schema:"maxLength=4095"` // a path: what comes up to it is left out
}

// Check implements Params.
func (*FileHash) Check() error { return nil }

// FileInfo is what file.hash reports of each file.
type FileInfo struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`             // bytes
	SHA256 string `json:"sha256,omitempty"` // hex; absent with sizesOnly
	MTime  string `json:"mtime"`            // RFC 3339, UTC
}
