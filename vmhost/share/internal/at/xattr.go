package at

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"syscall"
)

// Bounds of extended attributes. Those of Linux (xattr(7)) for one value, one
// name and one list of names; the others are of this package. MaxAttrs lets a set of
// attributes fit into one record of the journal. maxAttrNames leaves half of the list to
// the names of others: a list that is too long is read by nobody (E2BIG).
const (
	MaxAttrName  = 255
	MaxAttrValue = 64 << 10
	maxAttrList  = 64 << 10
	maxAttrNames = maxAttrList / 2
	MaxAttrs     = 1 << 20 // names and values of one file, bytes
)

// Flags of setting an attribute: XATTR_CREATE and XATTR_REPLACE of Linux.
const (
	AttrCreate  = 1 // fails with EEXIST when the attribute is there
	AttrReplace = 2 // fails with ENODATA when it is not
)

// attrPrefix is the only name space that programs may use freely. The others
// mean something to the host: rights, labels, where a download came from.
const attrPrefix = "user."

// CheckAttr refuses names of attributes outside of the name space "user."
// (ErrUnsupported) and names and values over the bounds.
func CheckAttr(attr string, size int) error {
	switch {
	case !strings.HasPrefix(attr, attrPrefix) || len(attr) == len(attrPrefix):
		return ErrUnsupported
	case len(attr) > MaxAttrName:
		return syscall.ERANGE
	case strings.IndexByte(attr, 0) >= 0:
		return syscall.EINVAL
	case size > MaxAttrValue:
		return syscall.E2BIG
	}
	return nil
}

// AttrSet is all extended attributes of a file, by name. A nil one says nothing, an
// empty one that there are none.
type AttrSet map[string][]byte

// Digest is a hash of the set, the same for the same attributes.
func (s AttrSet) Digest() string {
	h := sha256.New()
	var size [8]byte
	for _, name := range slices.Sorted(maps.Keys(s)) {
		for _, b := range [][]byte{[]byte(name), s[name]} {
			binary.LittleEndian.PutUint64(size[:], uint64(len(b)))
			h.Write(size[:])
			h.Write(b)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Size is how many bytes its names and values have.
func (s AttrSet) Size() (n int) {
	for name, value := range s {
		n += len(name) + len(value)
	}
	return n
}

// Fits reports whether a file may have the set: All can read it back.
func (s AttrSet) Fits() bool {
	names := 0
	for name := range s {
		names += len(name) + 1
	}
	return names <= maxAttrNames && s.Size() <= MaxAttrs
}

// Room is ENOSPC when setting an attribute would give the file more than fit. Whatever fails by
// itself, or makes them fewer bytes, has room.
func (a *Attrs) Room(attr string, value []byte, flags int) error {
	set, err := a.All()
	if err != nil || set == nil {
		return err // without attributes setting one fails by itself
	}
	was, there := set[attr]
	if there && (flags&AttrCreate != 0 || len(value) <= len(was)) || !there && flags&AttrReplace != 0 {
		return nil
	}
	if set[attr] = value; !set.Fits() {
		return wrap("setxattr", a.name, syscall.ENOSPC)
	}
	return nil
}

// SetAll makes the attributes of a file those of the set.
func (a *Attrs) SetAll(s AttrSet) error {
	now, err := a.All()
	if err != nil {
		return err
	}
	for name := range now {
		if _, ok := s[name]; !ok {
			if err := a.Remove(name); err != nil {
				return err
			}
		}
	}
	for name, value := range s {
		if have, ok := now[name]; ok && bytes.Equal(have, value) {
			continue
		}
		if err := a.Set(name, value, 0); err != nil {
			return err
		}
	}
	return nil
}
