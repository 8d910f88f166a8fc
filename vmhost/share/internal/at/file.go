package at

import "os"

// File returns the directory's own handle, to list it with a [Lister] or ask
// its [Stat]. It is closed by Close.
func (d *Dir) File() *os.File { return d.f }
