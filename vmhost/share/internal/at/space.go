package at

// Space is the size of a file system; blocks are of Block bytes.
type Space struct {
	Block                   uint32
	Blocks, Free, Available uint64
	Files, FilesFree        uint64 // inodes, 0 where there is no such number
	Dense                   bool   // files have no holes: what makes one longer takes room, written or not
}
