//go:build !linux

package at

// KeepsOwner is false where this package cannot give a new file all that another one
// is (ACLs): a file that exists is written into then and not replaced.
const KeepsOwner = false

// Owner is not known here.
func (a *Attrs) Owner() (*Owner, error) { return nil, nil }

// SetOwner does nothing here.
func (a *Attrs) SetOwner(*Owner) error { return nil }

func (a *Attrs) changeOwner(_, _ *Owner) error { return nil }

// SetCapability does nothing here.
func (a *Attrs) SetCapability([]byte) error { return nil }

// PlainOwner is for SetOwner.
func PlainOwner() *Owner { return &Owner{} }

// Plain is for what Owner returns.
func (o *Owner) Plain() bool { return true }
