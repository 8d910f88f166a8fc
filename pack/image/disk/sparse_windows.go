package disk

import "os"

// sparseFile reads a file; holes are read like data.
type sparseFile struct{ *os.File }
