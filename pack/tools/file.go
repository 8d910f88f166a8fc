package tools

import (
	"fmt"
	"path"
	"reflect"
	"strings"
	"time"

	"piwork/vmhost/wire"
)

// reading is the work of looking at files.
var reading = work{each: time.Second, mega: time.Second, memory: memoryFew}

// listing is the work of looking at folders, of which is not known before how
// much they hold.
var listing = work{each: 2 * time.Hour, mega: time.Second}

var fileOperations = []Operation{
	{
		Name: "file.hash", Report: reflect.TypeFor[FileInfo](), Min: 1, Max: wire.MaxInputs, Folders: true, Out: OutNone,
		params: func() Params { return &FileHash{} }, work: reading,
	},
	{
		Name: "file.report", Report: reflect.TypeFor[FolderReport](), Min: 1, Max: 1, Folders: true, Out: OutFile,
		params: func() Params { return &FileReport{} }, work: listing,
	},
	{
		Name: "file.duplicates", Report: reflect.TypeFor[Duplicates](), Min: 1, Max: 100, Folders: true, Out: OutNone, Programs: []string{ToolMagick},
		params: func() Params { return &FileDuplicates{} }, work: listing,
	},
	{
		Name: "file.organize", Report: reflect.TypeFor[Move](), Min: 1, Max: 1, Folders: true, Out: OutNone,
		params: func() Params { return &FileOrganize{} }, work: listing,
	},
	{
		Name: "file.rename", Report: reflect.TypeFor[Move](), Min: 1, Max: wire.MaxInputs, Folders: true, Out: OutNone,
		params: func() Params { return &FileRename{} }, work: listing,
	},
	{
		Name: "file.cleanup", Report: reflect.TypeFor[Move](), Min: 1, Max: 1, Folders: true, Out: OutNone,
		params: func() Params { return &FileCleanup{} }, work: listing,
	},
	{
		Name: "file.move", Report: reflect.TypeFor[Move](), Min: 1, Max: wire.MaxInputs, Folders: true, Out: OutNone, Changes: true,
		params: func() Params { return &FileMove{} }, work: reading,
	},
	{
		Name: "file.remove", Report: reflect.TypeFor[Move](), Min: 1, Max: wire.MaxInputs, Folders: true, Out: OutNone, Changes: true,
		params: func() Params { return &FileRemove{} }, work: reading,
	},
}

// FileHash are the parameters of file.hash: size and SHA-256 of the inputs,
// and, with recursive, of every file in the folders among them. Links are not
// followed within folders. When the answer is full, the last problem is
// MoreResults and its path is what to pass as after.
type FileHash struct {
	Recursive bool   `json:"recursive" schema:"default=false"`
	SizesOnly bool   `json:"sizesOnly" schema:"default=false"`
	After     string `json:"after" schema:"maxLength=4095"` // a path: what comes up to it is left out
}

// FileInfo is what file.hash reports of each file.
type FileInfo struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`             // bytes
	SHA256 string `json:"sha256,omitempty"` // hex; absent with sizesOnly
	MTime  string `json:"mtime"`            // RFC 3339, UTC
}

// FileReport are the parameters of file.report: what is in a folder and in the
// folders in it. No file is opened and no link followed; hidden files count. The
// report says nothing of when it was made, so that the same folder gives the
// same report.
type FileReport struct {
	To       string `json:"to" schema:"default=html,enum=html|md|csv|xlsx"`
	Top      int    `json:"top" schema:"default=20,min=1,max=100"` // how long each list is
	Language string `json:"language" schema:"default=en,enum=en|de"`
	Replace  bool   `json:"replace" schema:"default=false"`
}

// FolderReport is what file.report reports, once. Paths in it are relative to
// the folder.
type FolderReport struct {
	Path    string     `json:"path"`
	Files   int64      `json:"files"`
	Folders int64      `json:"folders"`
	Links   int64      `json:"links"`
	Others  int64      `json:"others"` // neither file, folder nor link
	Bytes   int64      `json:"bytes"`
	Empty   int64      `json:"empty"` // folders with no file in them or below
	Kinds   []KindSize `json:"kinds"` // the largest first
	// Lists of at most as many as asked for.
	Biggest      []FileInfo   `json:"biggest"`
	Newest       []FileInfo   `json:"newest"`
	Oldest       []FileInfo   `json:"oldest"`
	Parts        []FolderSize `json:"parts"` // folders right in it, the largest first
	EmptyFolders []string     `json:"emptyFolders"`
}

// KindSize is how much there is of a kind of files.
type KindSize struct {
	Kind  string `json:"kind"`
	Files int64  `json:"files"`
	Bytes int64  `json:"bytes"`
}

// FolderSize is how much there is in a folder and below.
type FolderSize struct {
	Path  string `json:"path"`
	Files int64  `json:"files"`
	Bytes int64  `json:"bytes"`
}

// Window is a part of an answer that does not fit in one: when it is full, the
// last problem is MoreResults, with the path after which it goes on.
type Window struct {
	After string `json:"after" schema:"maxLength=4095"` // a path: what comes up to it is left out
}

// FileDuplicates are the parameters of file.duplicates: files of the same
// content and, with similar, pictures that look the same. Empty files are none.
// Nothing is changed.
type FileDuplicates struct {
	Similar bool `json:"similar" schema:"default=false"`
	// Distance is how many of 64 marks of similar pictures may differ.
	Distance int `json:"distance" schema:"default=4,min=0,max=16"`
	MinSize  int `json:"minSize" schema:"default=1,min=1,max=1000000000"` // bytes
	Window
}

// Duplicates is a group of files that file.duplicates found. The first is the
// one to keep: the largest, then the oldest, then the one with the shortest
// path. A group of very many is told in parts, each of which begins with that one;
// what comes after a group is asked for by its last file.
type Duplicates struct {
	Kind  string     `json:"kind"` // "same" or "similar"
	Files []FileInfo `json:"files"`
	Spare int64      `json:"spare"` // bytes of all but the first
}

// Move is what file.organize, file.rename and file.cleanup propose for a file
// or folder. Nothing is changed; file.move and file.remove do it.
type Move struct {
	Path  string `json:"path"`
	To    string `json:"to"` // "" to remove an empty folder
	Kind  string `json:"kind"`
	Size  int64  `json:"size"`
	MTime string `json:"mtime"`
}

// FileOrganize are the parameters of file.organize: where the files of a folder
// would go.
type FileOrganize struct {
	By        string `json:"by" schema:"default=kind,enum=kind|month|year|kind-month|taken-month|taken-year"`
	Recursive bool   `json:"recursive" schema:"default=false"` // files of the folders in it, too
	Language  string `json:"language" schema:"default=en,enum=en|de"`
	Window
}

// FileRename are the parameters of file.rename: other names, in the order of
// the inputs; of a folder, of all files in it by name.
//
// In pattern stand {name} (without suffix), {ext} (with its dot), {date} of the
// last change, {taken} by the camera (else {date}), {time}, {n} (a number from
// start, with as many digits as the last needs) and plain text.
type FileRename struct {
	Pattern string `json:"pattern" schema:"default={name}{ext},maxLength=200"`
	Find    string `json:"find" schema:"maxLength=200"` // in the name, before the pattern; not an expression
	With    string `json:"with" schema:"maxLength=200"`
	Case    string `json:"case" schema:"default=keep,enum=keep|lower|upper"`
	Spaces  string `json:"spaces" schema:"default=keep,enum=keep|dash|underscore"`
	Start   int    `json:"start" schema:"default=1,min=0,max=1000000"`
	Window
}

// Check implements Params.
func (p *FileRename) Check() error {
	rest := p.Pattern
	for _, word := range RenameWords {
		rest = strings.ReplaceAll(rest, word, "x")
	}
	if strings.ContainsAny(rest, "{}/") || strings.TrimSpace(rest) == "" || strings.Contains(p.With, "/") {
		return &wire.InvalidError{Field: "params.pattern", Reason: "a name of plain text and " + strings.Join(RenameWords, " ")}
	}
	return nil
}

// RenameWords are what stands for something in a pattern of file.rename.
var RenameWords = []string{"{name}", "{ext}", "{date}", "{taken}", "{time}", "{n}"}

// FileCleanup are the parameters of file.cleanup: what of a folder like
// Downloads would go where. Files go by kind, and with months by month;
// installers and archives that are older than days go to folders of their own,
// empty folders are to be removed.
type FileCleanup struct {
	Months     bool   `json:"months" schema:"default=true"`
	Installers bool   `json:"installers" schema:"default=true"`
	Archives   bool   `json:"archives" schema:"default=true"`
	Empty      bool   `json:"empty" schema:"default=true"` // folders
	Days       int    `json:"days" schema:"default=30,min=0,max=10000"`
	Now        string `json:"now" schema:"maxLength=40"` // RFC 3339; "" is the time of the call
	Language   string `json:"language" schema:"default=en,enum=en|de"`
	Window
}

// Check implements Params.
func (p *FileCleanup) Check() error {
	if _, err := time.Parse(time.RFC3339, p.Now); p.Now != "" && err != nil {
		return &wire.InvalidError{Field: "params.now", Reason: "is not a time"}
	}
	return nil
}

// FileMove are the parameters of file.move: each input goes to the path of the
// same place in to; folders on the way are made, nothing is replaced. An input
// that is gone while its target is there was moved before. What it did is
// reported as a [Move] for each input.
type FileMove struct {
	To []string `json:"to" schema:"maxItems=2000,required=true,maxLength=4095"`
	// MTimes, when given, are the times of change that the inputs must still have.
	MTimes []string `json:"mtimes" schema:"maxItems=2000,maxLength=40"`
}

// Check implements Params.
func (p *FileMove) Check() error {
	seen := map[string]bool{}
	for _, to := range p.To {
		if !strings.HasPrefix(to, "/") || path.Clean(to) != to || seen[to] {
			return &wire.InvalidError{Field: "params.to", Reason: fmt.Sprintf("%q is not a clean absolute path of its own", wire.Short(to))}
		}
		seen[to] = true
	}
	return nil
}

func (p *FileMove) checkCall(c wire.ToolParams) error {
	if len(p.To) != len(c.In) || len(p.MTimes) != 0 && len(p.MTimes) != len(c.In) {
		return &wire.InvalidError{Field: "params.to", Reason: fmt.Sprintf("%d targets and %d times for %d inputs", len(p.To), len(p.MTimes), len(c.In))}
	}
	return nil
}

// FileRemove are the parameters of file.remove. Only empty folders are removed,
// and files only when that is said.
type FileRemove struct {
	Files bool `json:"files" schema:"default=false"`
}
