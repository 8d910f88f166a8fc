package tools

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"piwork/vmhost/wire"
)

// Bounds of archives.
const (
	MaxArchive        = 1 << 40   // bytes of a file
	MaxArchiveEntries = 1_000_000 // in one archive
	// What comes out of an archive: MaxArchiveOut bytes, or so many times its size
	// when that is more. Beyond is a bomb.
	MaxArchiveOut   = 1 << 30
	MaxArchiveRatio = 100
)

// Causes of [EntryLeftOut].
const (
	EntryOutside = "outside" // its name leads out of the folder
	EntryLink    = "link"    // a link, which may point anywhere
	EntrySpecial = "special" // neither file nor folder, e.g. a device
	EntryName    = "name"    // the folder's file system does not take its name
	EntryTaken   = "taken"   // something of that name is there
	EntryMore    = "more"    // no entry, but those that are not named any more
)

var archiveFiles = []string{"zip", "7z", "rar", "tar", "gz", "tgz", "bz2", "tbz2", "xz", "txz", "zst", "tzst", "lz4", "lz"}

var archiveOperations = []Operation{
	{
		Name: "archive.list", Report: reflect.TypeFor[ArchiveEntry](), Min: 1, Max: 100, Out: OutNone, Accepts: archiveFiles,
		params: func() Params { return &ArchiveList{} },
		work:   work{each: time.Minute, mega: 2 * time.Second, memory: memoryFew},
	},
	{
		// Whatever is compressed as a whole has to be unpacked to be counted.
		Name: "archive.info", Report: reflect.TypeFor[ArchiveInfo](), Min: 1, Max: 100, Out: OutNone, Accepts: archiveFiles,
		params: func() Params { return &ArchiveInfoOf{} },
		work:   work{each: 10 * time.Minute, mega: 20 * time.Second, memory: memoryFew},
	},
	{
		Name: "archive.extract", Report: reflect.TypeFor[ArchiveMade](), Min: 1, Max: 1, Out: OutFolder, Accepts: archiveFiles,
		params: func() Params { return &ArchiveExtract{} },
		work:   work{each: 10 * time.Minute, mega: 20 * time.Second, growth: MaxArchiveRatio, extra: MaxArchiveOut},
	},
	{
		Name: "archive.create", Report: reflect.TypeFor[ArchiveMade](), Min: 1, Max: 2000, Folders: true, Out: OutFile,
		params: func() Params { return &ArchiveCreate{} },
		// How much folders hold is not known before.
		work: work{each: 10 * time.Minute, mega: 5 * time.Second, whole: MaxArchive},
	},
}

// ArchiveList are the parameters of archive.list.
type ArchiveList struct {
	Password string `json:"password" schema:"maxLength=200,secret=true"` // of 7z and RAR
	After    string `json:"after" schema:"maxLength=4096"`               // the detail of [MoreResults] in the answer before, for the same inputs
}

// Check implements Params.
func (p *ArchiveList) Check() error {
	if _, _, err := p.From(); err != nil {
		return &wire.InvalidError{Field: "params.after", Reason: "is not what an answer said"}
	}
	return nil
}

// From is where the list goes on: at an entry of an input, both counted from 0. Names
// would not do: an archive may have one as often as it likes.
func (p *ArchiveList) From() (input, entry int, err error) {
	if p.After == "" {
		return 0, 0, nil
	}
	i, e, _ := strings.Cut(p.After, ":")
	if input, err = strconv.Atoi(i); err == nil {
		entry, err = strconv.Atoi(e)
	}
	if err == nil && (input < 0 || entry < 0) {
		err = strconv.ErrRange
	}
	return input, entry, err
}

// ListAfter is the parameter after for a place as [ArchiveList.From] has it.
func ListAfter(input, entry int) string { return fmt.Sprintf("%d:%d", input, entry) }

// ArchiveEntry is what archive.list reports of each entry, in the order of the
// archive.
type ArchiveEntry struct {
	Archive string `json:"archive"`
	Path    string `json:"path"` // as it is in the archive
	Kind    string `json:"kind"` // "file", "folder", "link" or "other"
	Size    int64  `json:"size"`
	MTime   string `json:"mtime,omitempty"`
	Unsafe  bool   `json:"unsafe,omitempty"` // archive.extract leaves it out: it leads out of the folder, or is neither file nor folder
}

// ArchiveInfoOf are the parameters of archive.info.
type ArchiveInfoOf struct {
	Password string `json:"password" schema:"maxLength=200,secret=true"` // of 7z and RAR
}

// ArchiveInfo is what archive.info reports of an archive: what archive.extract
// makes of it.
type ArchiveInfo struct {
	Path    string `json:"path"`
	Size    int64  `json:"size"`
	SHA256  string `json:"sha256"`
	Files   int    `json:"files"`
	Folders int    `json:"folders"` // that have an entry of their own
	Bytes   int64  `json:"bytes"`   // of the files
	LeftOut int    `json:"leftOut"` // entries
	// Times is how many times as large it becomes: the archive, or the file in a ZIP
	// that grows most.
	Times int64 `json:"times"`
}

// ArchiveExtract are the parameters of archive.extract. Entries that lead out
// of the folder, links and devices are left out, each a problem.
type ArchiveExtract struct {
	Password string `json:"password" schema:"maxLength=200,secret=true"`
	Replace  bool   `json:"replace" schema:"default=false"`
}

// ArchiveCreate are the parameters of archive.create. Folders go in with all in
// them; links are left out.
type ArchiveCreate struct {
	Format  string `json:"format" schema:"default=zip,enum=zip|tar|tar.gz|tar.zst,byName=true"`
	Replace bool   `json:"replace" schema:"default=false"`
}

// ArchiveMade is what archive.extract and archive.create report at the end.
type ArchiveMade struct {
	Files   int   `json:"files"`
	Folders int   `json:"folders"`
	Bytes   int64 `json:"bytes"` // of the files
	LeftOut int   `json:"leftOut"`
	Listed  int   `json:"listed,omitempty"` // archive.extract: files that the answer names
}
