package at

import "os"

// Owner is what a file has besides its content, its names, its mode, its times and
// the attributes of users: whom it belongs to and what the system keeps with it.
type Owner struct {
	UID   uint32  `json:"u"`
	GID   uint32  `json:"g"`
	Flags uint32  `json:"f,omitempty"` // of chattr(1), those that a file may have and still be changed
	Set   AttrSet `json:"s,omitempty"` // ACLs, capabilities, labels: by the name of the system's attribute
}

// Capability is the attribute with the rights that a program has beyond those of its
// user. The system takes it from a file with each change of its content.
const Capability = "security.capability"

// SetOwnerOfNew is [Attrs.SetOwner] of a file that this process just made in the directory: what such
// a file is by itself is asked of the first one only.
func (d *Dir) SetOwnerOfNew(f *os.File, o *Owner) error {
	a := FileAttrs(f)
	now := d.ofNew.Load()
	if now == nil {
		var err error
		if now, err = a.Owner(); err != nil {
			return err
		}
		d.ofNew.Store(now)
	}
	return a.changeOwner(now, o)
}
