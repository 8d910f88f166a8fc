package wire

// A place that can mount nothing has copies of the folders. The host moves files between a
// folder and its copy by running a part of the agent's program, as any other program:
//
//	/proc/self/exe copy VERB DIR…
//
// Each DIR is a copy of one folder, "" one that is left out, and one with a slash at its end
// that of a folder which is only read: programs make nothing in it. Both sides send CopyEntry
// in lines of JSON; where a file's content follows, it has exactly Size bytes.
const (
	CopyProgram = "/proc/self/exe"
	CopyPart    = "copy"
)

// What that part does.
const (
	CopyPut  = "put"  // lines and contents in → for each the entry that is there now
	CopyList = "list" // → one entry for everything that is there, a directory before what is in it
	CopyGet  = "get"  // lines in → for each the entry, then the content; or the entry alone, see CopyEntry.Sum
)

// Kinds of a CopyEntry.
const (
	CopyGone = ""
	CopyFile = "f"
	CopyDir  = "d"
	CopyLink = "l"
)

// CopyEntry is one name in a copy, and what it stands for.
type CopyEntry struct {
	Dir    int    `json:"d"` // of the command line, from 0
	Path   []byte `json:"p"` // in it, of single names; "." is the directory itself
	Kind   string `json:"k"`
	Mode   uint32 `json:"m,omitempty"` // permission bits
	Size   int64  `json:"s,omitempty"` // of files
	MTime  int64  `json:"t,omitempty"` // of files, ns since 1970
	Target []byte `json:"l,omitempty"` // of links

	// Of what is in the copy: it changes with every change, whoever sets back the times.
	CTime int64  `json:"c,omitempty"` // of files, ns since 1970
	Ino   uint64 `json:"i,omitempty"`

	// Sum is the SHA-256 of a file's content. In CopyGet it is what the host has, and the
	// answer with the same one has no content.
	Sum []byte `json:"h,omitempty"`

	// Closed says that a directory can't be read: what is in it is not listed, and there.
	Closed bool `json:"x,omitempty"`

	// Removed is for CopyGone as an answer to CopyGet: nothing has the name any more. Without it
	// something has that is no file or can't be read, or an agent before this field says so.
	Removed bool `json:"g,omitempty"`

	// Was is for CopyPut: what the host believes to be there, CopyGone for nothing. Where
	// there is something else it stays, and the answer is that, with Stays.
	Was   *CopyEntry `json:"w,omitempty"`
	Stays bool       `json:"z,omitempty"`
}

// CopyBeside is the name under which CopyPut has a file until it is whole. No list has it.
const CopyBeside = ".piwork-put"

// Bounds of copies. What comes from a place is held to them.
const (
	MaxCopyLine   = 16 << 10 // bytes of a line
	MaxCopyTarget = 4 << 10  // bytes of a link's target
)
