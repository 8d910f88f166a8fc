package audit

import (
	"time"
)

// RecordVersion is the "v" of Record.
const RecordVersion = 1

// Event says what a record is about.
type Event string

// Events.
const (
	EventBegin     Event = "begin"     // an execution is about to start
	EventEnd       Event = "end"       // it is over
	EventDecision  Event = "decision"  // a person or a rule decided
	EventFolder    Event = "folder"    // a task that runs got a folder, or lost one
	EventRecovered Event = "recovered" // a line that a crash cut off was taken away
)

// Ends of an execution that its runtime does not report.
const (
	EndedInterrupted = "interrupted" // the program ended before the execution did
	EndedError       = "error"       // it could not be run, see Problem
)

// Folder is a folder that an execution could see.
type Folder struct {
	Path string `json:"path"` // on the host
	Mode string `json:"mode"` // "ro", "rw"
}

// Record is one line of the log. Append fills in V, N, Time and Prev.
type Record struct {
	V    int       `json:"v"`
	N    int64     `json:"n"` // from 1
	Time time.Time `json:"time"`
	Prev string    `json:"prev"`

	Event Event  `json:"event"`
	Exec  string `json:"exec,omitempty"` // id of the execution: the same at its begin and its end
	Task  string `json:"task,omitempty"`

	Begin
	Ending

	// Of a decision, and of a folder.
	Question string `json:"question,omitempty"`
	Answer   string `json:"answer,omitempty"`
	Scope    string `json:"scope,omitempty"`
	By       string `json:"by,omitempty"`
	Topic    string `json:"topic,omitempty"`  // what it is about; of a folder "added" or "removed"
	Folder   string `json:"folder,omitempty"` // path on the host, where it is of one
	Mode     string `json:"mode,omitempty"`   // of the folder

	// ClaimedProgram is which program asked for the network, as its machine said: what
	// the person read, and perhaps a lie.
	ClaimedProgram string `json:"claimedProgram,omitempty"`

	Dropped int `json:"dropped,omitempty"` // of a recovery: bytes taken away
}

// Ending is what a record says of an execution that ended.
type Ending struct {
	Exit    *int   `json:"exit,omitempty"`    // of a program
	Ended   string `json:"ended,omitempty"`   // why, when not by itself
	Problem string `json:"problem,omitempty"` // code
	WallMS  int64  `json:"wallMs,omitempty"`
}

// Begin is what a record says of an execution that begins: what is run, and where.
type Begin struct {
	Action    string   `json:"action,omitempty"` // "exec", "tool", "file", "fetch" or "page"
	Argv      []string `json:"argv,omitempty"`
	Op        string   `json:"op,omitempty"`
	In        []string `json:"in,omitempty"` // paths in the runtime, or addresses of the web
	Out       string   `json:"out,omitempty"`
	EnvNames  []string `json:"envNames,omitempty"` // never the values
	Runtime   string   `json:"runtime,omitempty"`
	Isolation string   `json:"isolation,omitempty"`
	Domain    string   `json:"domain,omitempty"`
	Accel     string   `json:"accel,omitempty"`
	Pack      string   `json:"pack,omitempty"`
	Folders   []Folder `json:"folders,omitempty"`
	Network   string   `json:"network,omitempty"`
}
