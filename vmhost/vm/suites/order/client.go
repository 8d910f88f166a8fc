package order

import "time"

// What the guest's program "client" does with a file that the host has prepared:
// [Size] bytes, each as [Byte] says.
const (
	Shrink   = "shrink"   // reads it while the host makes it [ShrunkSize] bytes
	Append   = "append"   // maps it and appends to it
	Times    = "times"    // sets its times to [ATime] and [MTime]
	Edited   = "edited"   // reads it before and after the host has filled it with [Edit]
	Shown    = "shown"    // fills it with [Edit], and the host looks before it is closed
	Replaced = "replaced" // makes [Directories] beside it, and uses their names when the host has changed them
)

// Directories are made by the guest, each with a file [Inside] in it that has its name.
// The host
const (
	Moved   = "moved"   // renames it to [NewName]
	Removed = "removed" // removes it
	Filed   = "filed"   // puts a file with the content [Now] there
	Linked  = "linked"  // puts a link to [NewName] there
	Swapped = "swapped" // puts another directory there, with the content [Now] in its [Inside]
	Timed   = "timed"   // sets its time to [MTime]

	NewName = "new name"
	Inside  = "file"
	Now     = "now"
)

// Directories are those that the host changes.
var Directories = []string{Moved, Removed, Filed, Linked, Swapped, Timed}

// Sizes in bytes. Neither ends with a page.
const (
	Size       = 100_000
	ShrunkSize = 5_000
)

// Names beside the file by which guest and host meet.
const (
	GuestReady = "guest-ready"
	HostReady  = "host-ready"
)

// Times in nanoseconds since 1970. NTFS knows tenths of microseconds.
const (
	ATime = 1_000_000_001_123_456_700
	MTime = 1_000_000_002_987_654_300
)

// Late is more than for how long a guest may believe what it was told of a directory.
const Late = 100 * time.Millisecond

// Byte is what stands at a place of the file, never 0.
func Byte(at int64) byte { return byte(1 + at%251) }

// Edit is what either side fills the file with while the other has it open.
const Edit = 0
