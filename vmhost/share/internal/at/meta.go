package at

import (
	"os"
	"time"
)

// Meta is what is set of a file besides its content and its names: nil and a zero
// time leave things as they are.
type Meta struct {
	Mode         *uint32 // permission bits
	ATime, MTime time.Time
}

// SetMeta sets mode and times of an open file.
func SetMeta(f *os.File, m Meta) error {
	if m.Mode != nil {
		if err := SetMode(f, *m.Mode); err != nil {
			return err
		}
	}
	if m.ATime.IsZero() && m.MTime.IsZero() {
		return nil
	}
	return SetTimes(f, m.ATime, m.MTime)
}

// SetMeta sets mode and times of what has a name, "." being the directory itself.
func (d *Dir) SetMeta(name string, m Meta) error {
	chmod, chtimes := d.Chmod, d.Chtimes
	if name == "." {
		chmod = func(_ string, mode uint32) error { return d.SetMode(mode) }
		chtimes = func(_ string, atime, mtime time.Time) error { return d.SetTimes(atime, mtime) }
	}
	if m.Mode != nil {
		if err := chmod(name, *m.Mode); err != nil {
			return err
		}
	}
	if m.ATime.IsZero() && m.MTime.IsZero() {
		return nil
	}
	return chtimes(name, m.ATime, m.MTime)
}

// Plain is m without the bits of a mode that give the rights of another user.
func (m Meta) Plain() Meta {
	if m.Mode != nil {
		m.Mode = new(*m.Mode & 0o777)
	}
	return m
}
