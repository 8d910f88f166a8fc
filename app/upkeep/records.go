package upkeep

import (
	"time"

	"piwork/app/diagnostics"
)

// StorageKind is something that takes room on the disk.
type StorageKind string

// Kinds. Each byte is counted once.
const (
	StorageRuntime      StorageKind = "runtime"      // versions of the runtime
	StorageAddOns       StorageKind = "addons"       // add-ons of the runtime
	StorageTemplates    StorageKind = "templates"    // saved machines, which are there at once
	StorageCaches       StorageKind = "caches"       // what tasks of a project leave to each other
	StorageTrees        StorageKind = "trees"        // the unpacked runtime, of tasks in sandboxes and containers
	StorageImages       StorageKind = "images"       // the runtime in Docker and Podman, of tasks in containers
	StorageEnvironments StorageKind = "environments" // the unpacked runtime of tasks on this computer itself
	StorageDownloads    StorageKind = "downloads"    // archives that were fetched, also in part
	StorageTasks        StorageKind = "tasks"        // records, conversations and results of tasks
	StorageJournals     StorageKind = "journals"     // what undo needs
	StorageLogs         StorageKind = "logs"         // of machines
)

// StorageItem is what one kind takes.
type StorageItem struct {
	What  StorageKind `json:"what"`
	Said  string      `json:"said,omitempty" words:"shown"`
	Bytes int64       `json:"bytes"`
	Path  string      `json:"path"` // of its directory; "" where another program keeps it
	// Cleanable says that cleaning it now would free something, Frees how much.
	Cleanable bool  `json:"cleanable"`
	Frees     int64 `json:"frees"`
	// LosesUndo says that what Frees counts is undo that would still be kept: it is
	// cleaned only when the request says that its person knows.
	LosesUndo bool `json:"losesUndo,omitempty"`
	Silent    bool `json:"silent,omitempty" doc:"the program that keeps it does not answer: it may take more"`
}

// Storage is what everything takes.
type Storage struct {
	Items     []StorageItem `json:"items"`
	FreeBytes int64         `json:"freeBytes"` // on the disk of the data directory; -1 when it is not known
}

// CleanRequest says what to clean.
type CleanRequest struct {
	What     []StorageKind `json:"what" minItems:"1" maxItems:"16"`
	LoseUndo bool          `json:"loseUndo,omitempty" doc:"the person knows that changes of tasks that are over cannot be taken back afterwards"`
}

// Cleaned says what cleaning did.
type Cleaned struct {
	Freed   int64    `json:"freed"` // bytes
	Waiting []string `json:"waiting,omitempty" doc:"ids of tasks whose undo data stays: an undo or redo of them waits for its folder (forgetUndo with abandonUndo)"`
}

// DefaultTail is how much of a log is shown, bytes; MaxTail at most.
const (
	DefaultTail = 64 << 10
	MaxTail     = 4 << 20
)

// LogInfo is a log.
type LogInfo struct {
	Name    string    `json:"name"`
	Task    string    `json:"task,omitempty"` // whose machine wrote it
	Bytes   int64     `json:"bytes"`
	Changed time.Time `json:"changed"`
}

// Logs are all logs.
type Logs struct {
	Logs []LogInfo `json:"logs"`
}

// Diagnostics is what a bundle holds.
type Diagnostics struct {
	ID    string             `json:"id" doc:"of this preview; the next one replaces it"`
	Files []diagnostics.File `json:"files"`
}

// DiagnosticsRequest says where to write a bundle.
type DiagnosticsRequest struct {
	Path    string `json:"path" minLength:"1" maxLength:"4096" doc:"absolute, ends with .zip"`
	ID      string `json:"id,omitempty" maxLength:"64" doc:"of the preview that the person saw: without it what is gathered now is written"`
	Replace bool   `json:"replace,omitempty" doc:"replace a file that is there"`
}

// DiagnosticsFile is a bundle that was written.
type DiagnosticsFile struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
}

// Licence is one thing that the program or the runtime is made of.
type Licence struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Licence string `json:"licence" doc:"names of SPDX where they are known; the text decides"`
	Of      string `json:"of" enum:"program,window,runtime" doc:"what it is part of"`
	Text    string `json:"text,omitempty" doc:"of the program and the window"`
	File    string `json:"file,omitempty" doc:"of the runtime: where the text lies on this computer"`
	Source  string `json:"source,omitempty" doc:"of the runtime: where the list of sources lies on this computer"`
}

// Licences are all of them.
type Licences struct {
	Items []Licence `json:"items"`
}

// What closing the window does while tasks are at work.
const (
	CloseAsk        = "ask"
	CloseBackground = "background"
	CloseStop       = "stop"
)

// NoticeClaim names an event that a window would tell of.
type NoticeClaim struct {
	Event int64 `json:"event" minimum:"1" doc:"its number (seq)"`
}

// NoticeClaimed is the answer to a window.
type NoticeClaimed struct {
	First bool `json:"first" doc:"false: another window told of it, or was in front"`
}

// WindowSettings are choices about windows.
type WindowSettings struct {
	Close  string `json:"close" enum:"ask,background,stop" doc:"what closing the window does while tasks are at work"`
	Notify bool   `json:"notify" doc:"the system shows questions and tasks that are over"`
	// How windows look and read. What is absent was never chosen; setting it so leaves it
	// as it is.
	Theme    string `json:"theme,omitempty" enum:"system,light,dark"`
	Language string `json:"language,omitempty" enum:"system,en,de"`
	Motion   string `json:"motion,omitempty" enum:"system,less" doc:"how much moves"`
	Signs    string `json:"signs,omitempty" enum:"on,off" doc:"shortcuts of one character alone"`
}
