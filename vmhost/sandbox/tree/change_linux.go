package tree

import (
	"bytes"

	"gvisor.dev/gvisor/pkg/erofs"
)

// Change is how a tree differs from its image. What it makes depends on its arguments alone.
type Change interface {
	// Changes tells by the name of a file, and the first bytes in it, whether File is asked.
	Changes(name string, head []byte) bool
	// File is what a file has in a tree that is at a place.
	File(place, name string, content []byte) ([]byte, error)
	// Target is where a link leads.
	Target(place, target string) string
}

// headBytes is how much of a file Change.Changes is shown.
const headBytes = 4

// changes are those of one tree.
type changes struct {
	place string
	all   []Change
}

// pieces are the content of a file, and its size.
func (c changes) pieces(i *erofs.Inode, name string) (pieces [][]byte, size uint64, err error) {
	ranges, err := i.DataRanges()
	if err != nil {
		return nil, 0, err
	}
	for _, r := range ranges {
		pieces = append(pieces, r.Bytes)
		size += uint64(len(r.Bytes))
	}
	for _, change := range c.all {
		var head []byte
		if len(pieces) > 0 {
			head = pieces[0][:min(headBytes, len(pieces[0]))]
		}
		if !change.Changes(name, head) {
			continue
		}
		b, err := change.File(c.place, name, bytes.Join(pieces, nil))
		if err != nil {
			return nil, 0, err
		}
		pieces, size = [][]byte{b}, uint64(len(b))
	}
	return pieces, size, nil
}

// target is where a link leads.
func (c changes) target(i *erofs.Inode) (string, error) {
	target, err := i.Readlink()
	for _, change := range c.all {
		target = change.Target(c.place, target)
	}
	return target, err
}
