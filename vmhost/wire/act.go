package wire

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// ActionProgram is the program in the guest's root that carries out operations of the
// pack and, with ActArg as its only argument, actions: a process of the task like any other,
// with the same user, limits and view of files. It reads one line of JSON, an [ActOrder],
// and what that has as data; it writes lines of JSON, each an [ActNews], of which the one
// with an answer is the last, and then what the answer has as data.
const (
	ActionProgram = "/usr/lib/piwork/operate"
	ActArg        = "act"
)

// Bounds of actions.
const (
	MaxFileData   = 16 << 20 // bytes that an action on a file reads or writes
	MaxFileDigest = 1 << 30  // bytes of a file of which an action makes the digest
	MaxEntries    = 10_000   // of one list
	MaxChanges    = 10_000   // of one watch
	MaxDepth      = 64       // directories below one another
	MaxRoots      = 64
	MaxWatchMS    = int64(time.Hour / time.Millisecond)
	MaxActLine    = 8 << 20 // bytes of one ActNews
)

// ActOrder is what an action is to do: one member is set.
type ActOrder struct {
	File  *FileParams  `json:"file,omitempty"`
	Fetch *FetchParams `json:"fetch,omitempty"`
	Page  *PageParams  `json:"page,omitempty"`
}

// ActNews is what an action says: one member is set.
type ActNews struct {
	Change *FileChange  `json:"change,omitempty"` // seen by FileWatch
	File   *FileResult  `json:"file,omitempty"`   // the answer
	Fetch  *FetchResult `json:"fetch,omitempty"`  // likewise
	Page   *PageResult  `json:"page,omitempty"`   // likewise
	Failed *ActFailure  `json:"failed,omitempty"` // likewise, of whatever was ordered
}

// Operations on files.
const (
	FileRead  = "read"
	FileWrite = "write"
	FileList  = "list"
	FileStat  = "stat"
	FileWatch = "watch"
)

// FileAbsent is what FileParams.Expect is where there must be no file yet.
const FileAbsent = "absent"

// FileParams is one operation on a file or a directory of a task.
type FileParams struct {
	ID    string   `json:"id"`
	Op    string   `json:"op"`    // FileRead …
	Path  string   `json:"path"`  // absolute, in the guest
	Roots []string `json:"roots"` // directories; Path is in one of them, whatever its links say

	Offset int64 `json:"offset,omitempty"` // FileRead: of its first byte
	Length int64 `json:"length,omitempty"` // FileRead: bytes at most

	// FileWrite: the SHA-256 in hex that the file has to have before, FileAbsent for a file
	// that is made, "" for any. What is written follows the order.
	Expect  string `json:"expect,omitempty"`
	Parents bool   `json:"parents,omitempty"` // FileWrite: directories on the way are made
	Size    int64  `json:"size,omitempty"`    // FileWrite: bytes that follow

	Depth  int   `json:"depth,omitempty"`  // FileList, FileWatch: directories below; 0 is none
	Limit  int   `json:"limit,omitempty"`  // FileList, FileWatch: entries or changes at most
	WaitMS int64 `json:"waitMs,omitempty"` // FileWatch: how long
}

// Kinds of files.
const (
	KindFile      = "file"
	KindDirectory = "directory"
	KindLink      = "link"
	KindOther     = "other"
)

// FileInfo is what there is at a path. Its time has nanoseconds where the file system has.
type FileInfo struct {
	Path     string    `json:"path" doc:"as the task sees it"`
	Kind     string    `json:"kind" enum:"file,directory,link,other"`
	Size     int64     `json:"size" doc:"bytes; 0 of what is no file"`
	Mode     uint32    `json:"mode" doc:"permissions, as chmod has them"`
	Modified time.Time `json:"modified"`
	SHA256   string    `json:"sha256,omitempty" doc:"of a file's content, in hex; of files up to 1 GiB that were read or written, or that stat was asked about"`
	Target   string    `json:"target,omitempty" doc:"of a link"`
}

// FileResult is what came of an operation on files.
type FileResult struct {
	Info    *FileInfo  `json:"info,omitempty"`    // FileRead, FileWrite, FileStat
	Size    int64      `json:"size,omitempty"`    // FileRead: bytes that follow
	Entries []FileInfo `json:"entries,omitempty"` // FileList, by path
	More    bool       `json:"more,omitempty"`    // FileList: there are more; FileWatch: Limit was reached
	Unnamed int        `json:"unnamed,omitempty"` // FileList: left out, since their names are no text

	Data []byte `json:"-"` // FileRead
}

// What a watch sees.
const (
	ChangeReady   = "ready" // what changes from now on is seen, but for where lost came before it
	ChangeCreated = "created"
	ChangeChanged = "changed"
	ChangeRemoved = "removed"
	ChangeLost    = "lost" // more than could be told: list again
)

// FileChange is something that a watch saw.
type FileChange struct {
	What string `json:"what" enum:"ready,created,changed,removed,lost" doc:"ready: from now on nothing is missed, but in what lost came for before; lost means that more happened than could be told"`
	Path string `json:"path,omitempty" doc:"as the task sees it"`
}

// Codes of failures of actions.
const (
	ActMissing     = "missing"     // there is no such file
	ActChanged     = "changed"     // the file is not as it was expected
	ActOutside     = "outside"     // the path leads out of where the task may work
	ActKind        = "kind"        // a directory where a file is needed, or the other way round
	ActTooLarge    = "too-large"   // more than the bound
	ActDenied      = "denied"      // the task may not, or a person said no
	ActFull        = "full"        // no space
	ActUnreachable = "unreachable" // a server does not answer, or the task may not reach it
	ActNoProgram   = "no-program"  // what does it is not in the pack
	ActOnline      = "online"      // the file is only with a cloud service, and was not downloaded
	ActName        = "name"        // a name in the path is too long for one
	ActNoElement   = "no-element"  // the page has not what a step is about
	ActTooMuch     = "too-much"    // what came of it does not fit in an answer
	ActFailed      = "failed"      // anything else
)

// ActFailure says why an action could not be done.
type ActFailure struct {
	Code   string `json:"code"`
	Path   string `json:"path,omitempty"`
	SHA256 string `json:"sha256,omitempty"` // ActChanged: what the file has
	Detail string `json:"detail,omitempty"` // in the system's words, at most MaxDetail bytes
}

// Validate implements the bounds of FileParams.
func (p FileParams) Validate() error {
	if err := firstError(
		id("id", p.ID), absolute("path", p.Path), text("path", p.Path), roots(p.Roots),
		within("offset", p.Offset, 0, 1<<62), within("length", p.Length, 0, MaxFileData), within("size", p.Size, 0, MaxFileData),
		within("depth", int64(p.Depth), 0, MaxDepth), within("waitMs", p.WaitMS, 0, MaxWatchMS),
	); err != nil {
		return err
	}
	if p.Expect != "" && p.Expect != FileAbsent {
		if err := digest("expect", p.Expect); err != nil {
			return err
		}
	}
	switch p.Op {
	case FileRead, FileWrite, FileStat:
		return nil
	case FileList:
		return within("limit", int64(p.Limit), 1, MaxEntries)
	case FileWatch:
		return firstError(within("limit", int64(p.Limit), 1, MaxChanges), within("waitMs", p.WaitMS, 1, MaxWatchMS))
	}
	return invalid("op", "%.80q is unknown", p.Op)
}

// text checks that JSON carries a name as it is.
func text(field, s string) error {
	if !utf8.ValidString(s) {
		return invalid(field, "not UTF-8")
	}
	return nil
}

// Validate implements the bounds of FileInfo.
func (i FileInfo) Validate() error {
	if !slices.Contains([]string{KindFile, KindDirectory, KindLink, KindOther}, i.Kind) {
		return invalid("kind", "%.80q is unknown", i.Kind)
	}
	if i.SHA256 != "" {
		if err := digest("sha256", i.SHA256); err != nil {
			return err
		}
	}
	if _, err := i.Modified.MarshalJSON(); err != nil {
		return invalid("modified", "%v", err)
	}
	return firstError(absolute("path", i.Path), text("path", i.Path), within("size", i.Size, 0, 1<<62), within("mode", int64(i.Mode), 0, 0o7777),
		within("target", int64(len(i.Target)), 0, MaxPath), noNUL("target", i.Target))
}

func noNUL(field, s string) error {
	if strings.IndexByte(s, 0) >= 0 {
		return invalid(field, "contains a NUL")
	}
	return nil
}

// Validate implements the bounds of FileResult.
func (r FileResult) Validate() error {
	if err := firstError(within("entries", int64(len(r.Entries)), 0, MaxEntries), within("size", r.Size, 0, MaxFileData), within("unnamed", int64(r.Unnamed), 0, 1<<30)); err != nil {
		return err
	}
	for _, e := range r.Entries {
		if err := e.Validate(); err != nil {
			return err
		}
	}
	if r.Info != nil {
		return r.Info.Validate()
	}
	return nil
}

// Validate implements the bounds of FileChange.
func (c FileChange) Validate() error {
	switch c.What {
	case ChangeReady, ChangeLost:
		return optionalAbsolute("path", c.Path)
	case ChangeCreated, ChangeChanged, ChangeRemoved:
		return firstError(absolute("path", c.Path), text("path", c.Path))
	}
	return invalid("what", "%.80q is unknown", c.What)
}

// Validate implements the bounds of ActFailure.
func (f ActFailure) Validate() error {
	if f.SHA256 != "" && f.SHA256 != FileAbsent {
		if err := digest("sha256", f.SHA256); err != nil {
			return err
		}
	}
	return firstError(id("code", f.Code), optionalAbsolute("path", f.Path), within("detail", int64(len(f.Detail)), 0, MaxDetail))
}

// ParseNews reads and checks a line of what an action says.
func ParseNews(line []byte) (ActNews, error) {
	var n ActNews
	if manyValues(line, maxNewsValues) {
		return n, invalid("news", "more than %d values", maxNewsValues)
	}
	if err := json.Unmarshal(line, &n); err != nil {
		return n, err
	}
	var err error
	set := 0
	if n.Change != nil {
		set, err = set+1, n.Change.Validate()
	}
	if n.File != nil {
		set, err = set+1, n.File.Validate()
	}
	if n.Fetch != nil {
		set, err = set+1, n.Fetch.Validate()
	}
	if n.Page != nil {
		set, err = set+1, n.Page.Validate()
	}
	if n.Failed != nil {
		set, err = set+1, n.Failed.Validate()
	}
	if set != 1 {
		return n, invalid("news", "%d things that are known, where one is said", set)
	}
	return n, err
}
