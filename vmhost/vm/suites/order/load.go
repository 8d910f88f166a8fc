package order

// What the guest's program "load" finds and leaves in its directory.
const (
	LoadFile   = "random" // what the host has prepared
	LoadCopy   = "copy"   // followed by a number below LoadCopies
	LargePiece = 1 << 20  // what is read at once, bytes
	LoadCopies = 6
)

// What the guest's program "crowd" does: so many files at once, so many times, each
// of so many bytes, which take three places of the ring's 128.
const (
	Crowd       = 120
	CrowdRounds = 4
	CrowdPiece  = 64 << 10
)
