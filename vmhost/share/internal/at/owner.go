package at

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
