//go:build !linux

package at

import "os"

// Tmpfile would make a file without a name, which this system does not know.
func (d *Dir) Tmpfile(uint32) (*os.File, Info, error) {
	return nil, Info{}, wrap("tmpfile", d.f.Name(), ErrUnsupported)
}

// LinkFile would give an open file a name.
func (d *Dir) LinkFile(_ *os.File, name string) error { return wrap("link", name, ErrUnsupported) }
