package root

import (
	"archive/tar"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
)

// Tree is what a root consists of, by name: as much of each entry as a layer
// over it has to be compared with. Times do not count.
type Tree map[string]Node

// Node is one entry of a tree.
type Node struct {
	Type   string `json:"t"`           // "file", "dir", "link"
	Mode   int64  `json:"m"`           // permissions
	UID    int    `json:"u,omitempty"` // owner
	GID    int    `json:"g,omitempty"` // group
	Size   int64  `json:"s,omitempty"` // bytes
	SHA256 string `json:"h,omitempty"` // of a file
	Link   string `json:"l,omitempty"` // where a link points to
}

// Encode writes the tree as JSON, sorted.
func (t Tree) Encode(w io.Writer) error {
	return json.NewEncoder(w).Encode(t)
}

// DecodeTree reads what Encode wrote.
func DecodeTree(r io.Reader) (Tree, error) {
	var t Tree
	return t, json.NewDecoder(r).Decode(&t)
}

// node describes an entry. sum is the SHA-256 of a regular file.
func (e *entry) node(sum string) Node {
	n := Node{Mode: e.h.Mode, UID: e.h.Uid, GID: e.h.Gid}
	switch e.h.Typeflag {
	case tar.TypeDir:
		n.Type = "dir"
	case tar.TypeSymlink:
		n.Type, n.Link, n.Mode = "link", e.h.Linkname, 0
	case tar.TypeLink: // a second name of a file
		n.Type, n.Link = "hard", e.h.Linkname
	default:
		n.Type, n.Size, n.SHA256 = "file", e.h.Size, sum
	}
	return n
}

// onlyNew leaves, of a root with more packages than the base, what the base has
// not. A layer only ever adds: layers over the same base can then be put
// together in any order, none takes away or changes what another relies on, and
// no whiteouts are needed (overlayfs.rst, "whiteouts and opaque directories").
// So a file of the base that is another one in the layer is an error, unless
// Keep says that the base's is right in any case. Files that only the base has
// are no error: what it was made from and the layer was not, the base adds by
// itself.
func onlyNew(entries map[string]*entry, src io.ReaderAt, o Options) error {
	if o.Base == nil {
		return nil
	}
	var changed []string
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		e := entries[name]
		old, ok := (*o.Base)[name]
		if !ok {
			if o.Keep != nil && o.Keep(name) && e.h.Typeflag != tar.TypeDir {
				delete(entries, name)
			}
			continue
		}
		if o.Keep != nil && o.Keep(name) && old.Type != "dir" {
			delete(entries, name)
			continue
		}
		same, err := e.same(old, src)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		switch {
		case !same:
			changed = append(changed, name)
		case old.Type != "dir":
			delete(entries, name)
		}
	}
	if len(changed) > 0 {
		return fmt.Errorf("a layer changes %d files of its base: %s", len(changed), strings.Join(changed[:min(100, len(changed))], ", "))
	}
	return dropEmpty(entries, o)
}

// same compares an entry with what the base has under its name. The content is
// read only when all else is equal.
func (e *entry) same(old Node, src io.ReaderAt) (bool, error) {
	n := e.node("")
	if n.Type != "file" || old.Type != "file" {
		return n == old, nil
	}
	n.SHA256 = old.SHA256
	if n != old {
		return false, nil
	}
	sum, err := e.copy(nil, src)
	return sum == old.SHA256, err
}

// dropEmpty leaves directories of the base out that nothing of the layer is in,
// and refuses hard links into the base.
func dropEmpty(entries map[string]*entry, o Options) error {
	needed := map[string]bool{}
	for name, e := range entries {
		if _, ok := (*o.Base)[name]; ok && e.h.Typeflag == tar.TypeDir {
			continue
		}
		if e.h.Typeflag == tar.TypeLink {
			if t, ok := entries[e.h.Linkname]; !ok || t.h.Typeflag != tar.TypeReg {
				return fmt.Errorf("%s is a hard link to %s of the base", name, e.h.Linkname)
			}
		}
		for d := path.Dir(name); d != "." && !needed[d]; d = path.Dir(d) {
			needed[d] = true
		}
	}
	for name, e := range entries {
		if _, ok := (*o.Base)[name]; ok && e.h.Typeflag == tar.TypeDir && !needed[name] {
			delete(entries, name)
		}
	}
	return nil
}
