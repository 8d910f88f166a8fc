package hosted

import "piwork/vmhost/wire"

// Home is the home of programs in a place that has files of its own.
const Home = "/home/piwork"

// ScratchShares are the parts, of sixteen, that directories in memory have of what programs
// may write.
var ScratchShares = map[string]int64{wire.WorkDir: 8, "/tmp": 4, Home: 3, "/dev/shm": 1}

// maxScratch is how much programs can write in all, besides the folders, in bytes, where all of
// it is in memory: only some file systems bound what is on the disk.
const maxScratch = 8 << 30

// Scratch is how much they can write, with a limit of that or 0, where they have memory. All
// of it is full before the memory is: otherwise the agent would end, or this computer be
// without memory where nothing bounds it.
func Scratch(limit int64, memory ...int64) int64 {
	all := int64(maxScratch)
	for _, m := range memory {
		if m > 0 {
			all = min(all, m/2)
		}
	}
	if limit > 0 {
		all = min(all, limit)
	}
	return all
}

// Share is how much of all fits in a directory with a share: a page at least, since a bound of
// nothing is none.
func Share(all, share int64) int64 { return max(all*share/16, 4<<10) }
