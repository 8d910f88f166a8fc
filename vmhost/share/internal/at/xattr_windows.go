package at

import "os"

// ErrNoAttr says that there is no attribute of a name.
var ErrNoAttr = ErrUnsupported

// Attrs are the extended attributes of a file. What this system calls so is
// something else and not offered to a guest: every method says ErrUnsupported.
type Attrs struct{ name string }

// FileAttrs returns the attributes of an open file.
func FileAttrs(f *os.File) *Attrs { return &Attrs{f.Name()} }

func openAttrs(_ *Dir, name string) (*Attrs, error) { return &Attrs{name}, nil }

// Close ends the use.
func (a *Attrs) Close() {}

// Get returns the value of an attribute.
func (a *Attrs) Get(string) ([]byte, error) { return nil, wrap("getxattr", a.name, ErrUnsupported) }

// List returns the names of the attributes.
func (a *Attrs) List() ([]string, error) { return nil, wrap("listxattr", a.name, ErrUnsupported) }

// Set sets an attribute.
func (a *Attrs) Set(string, []byte, int) error { return wrap("setxattr", a.name, ErrUnsupported) }

// Remove removes an attribute.
func (a *Attrs) Remove(string) error { return wrap("removexattr", a.name, ErrUnsupported) }

// All returns all attributes: none.
func (a *Attrs) All() (AttrSet, error) { return nil, nil }
