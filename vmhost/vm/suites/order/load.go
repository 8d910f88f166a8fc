package order

// What the guest's program "load" finds and leaves in its directory.
const (
	LoadFile   = "random" // what the host has prepared
	LoadCopy   = "copy"   // followed by a number below LoadCopies
	LoadCopies = 6
)
