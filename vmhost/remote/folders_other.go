//go:build !linux

package remote

import (
	"context"

	"piwork/vmhost"
)

// serveFolders refuses: the file server that answers FUSE is Linux's.
func (p *place) serveFolders() error {
	return &vmhost.UnsupportedError{Runtime: vmhost.KindRemote + ":" + p.cfg.Name, What: "folders: piwork serves them to another computer from Linux only"}
}

// ensurePack refuses: the tree of a pack is unpacked on Linux only.
func (p *place) ensurePack(context.Context) error {
	return &vmhost.UnsupportedError{Runtime: vmhost.KindRemote + ":" + p.cfg.Name, What: "programs of the runtime: piwork sends them from Linux only"}
}
