package ledger

import "time"

// Effect is what happened to a path.
type Effect string

// Effects of a change, from before the task to now.
const (
	EffectCreate Effect = "create"
	EffectChange Effect = "change" // content, mode, time, extended attributes or link target
	EffectMove   Effect = "move"
	EffectDelete Effect = "delete"
)

// Change is one entry of the list of what a task changed in a folder. Before
// is absent for what was created, After for what was deleted. A file that the task changed
// and changed back is not in the list.
type Change struct {
	ID     string     `json:"id"`               // stable for the life of the journal
	Folder string     `json:"folder,omitempty"` // id of the folder in the task
	Path   string     `json:"path"`             // relative to the folder, slash-separated, bytes as on disk
	From   string     `json:"from,omitempty"`   // for a move: where it was
	Kind   string     `json:"kind,omitempty"`   // "file", "dir", "symlink"
	Effect Effect     `json:"effect"`
	Before *FileState `json:"before,omitempty"`
	After  *FileState `json:"after,omitempty"`
	Undone *time.Time `json:"undone,omitempty"`
	Staged bool       `json:"staged,omitempty"` // it waits in a layer in front of the folder, in which nothing of it is yet
	// Room is what applying it takes of the folder's disk, of content that waits; changes of one
	// file share it.
	Room *DiskRoom `json:"-"`
}

// DiskRoom is room on a disk.
type DiskRoom struct {
	Bytes int64
	Disk  uint64 // the same for the folders on one; 0 is not known
}

// FileState is what a path was at one moment.
type FileState struct {
	SHA256 string    `json:"sha256,omitempty"` // hex; files only
	Size   int64     `json:"size"`             // bytes
	Mode   uint32    `json:"mode"`             // permission bits as in stat(2)
	MTime  time.Time `json:"mtime"`            // ns resolution, UTC
	Target string    `json:"target,omitempty"` // symlinks only
	// Attributes is a hash of the extended attributes, where the task changed them.
	Attributes string `json:"attributes,omitempty"`
}
