//go:build !unix

package powercut

import "io/fs"

// several reports whether a file has more than one name, as far as is known.
func several(fs.FileInfo) bool { return false }
