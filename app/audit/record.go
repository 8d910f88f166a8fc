package audit

import (
	"path"
	"regexp"
	"strings"
	"time"
)

// RecordVersion is the "v" of Record. Version 1 had names and arguments in plain words.
const RecordVersion = 2

// Event says what a record is about.
type Event string

// Events.
const (
	EventBegin     Event = "begin"     // an execution is about to start
	EventEnd       Event = "end"       // it is over
	EventDecision  Event = "decision"  // a person or a rule decided
	EventFolder    Event = "folder"    // a task that runs got a folder, or lost one
	EventTraffic   Event = "traffic"   // what a task sent to a host, and had from it
	EventRequest   Event = "request"   // what a task asked a service of the person for
	EventRecovered Event = "recovered" // a line that a crash cut off was taken away
	EventExpired   Event = "expired"   // records were older than they are kept
	EventBroken    Event = "broken"    // the log did not hold when the program started
)

// Ends of an execution that its runtime does not report.
const (
	EndedInterrupted = "interrupted" // the program ended before the execution did
	EndedError       = "error"       // it could not be run, see Problem
)

// Purposes of traffic.
const (
	PurposeNetwork = "network" // a program of the task
	PurposeModel   = "model"   // the AI
	PurposeFetch   = "fetch"   // piwork, for the AI
)

// Folder is a folder that an execution could see.
type Folder struct {
	Path Digest `json:"path"` // on the host
	Mode string `json:"mode"` // "ro", "rw"
}

// Record is one line of the log. Append fills in V, N, Time and Prev.
type Record struct {
	V    int       `json:"v"`
	N    int64     `json:"n"` // from 1
	Time time.Time `json:"time"`
	Prev string    `json:"prev"`

	Event   Event  `json:"event"`
	Exec    string `json:"exec,omitempty"` // id of the execution: the same at its begin and its end
	Task    string `json:"task,omitempty"`
	Request string `json:"request,omitempty"` // x-request-id of who asked for it
	Client  string `json:"client,omitempty"`  // the program with a token that did; empty for the person
	Door    string `json:"door,omitempty"`    // by which the request came, as its program said: see task.DoorOf

	Begin
	Ending
	Decision
	Traffic
	Asked

	Dropped int    `json:"dropped,omitempty"` // of a recovery: bytes taken away; of an expiry: records
	Reason  string `json:"reason,omitempty"`  // of a broken log
}

// Begin is what a record says of an execution that begins: what is run, and where.
type Begin struct {
	Action    string   `json:"action,omitempty"` // "exec", "tool", "file", "fetch" or "page"
	Program   string   `json:"program,omitempty"`
	Op        string   `json:"op,omitempty"`
	Args      Digest   `json:"args,omitempty"` // of the arguments, each with a NUL behind it; of a tool, its parameters as JSON
	In        []Digest `json:"in,omitempty"`   // paths in the runtime, or addresses of the web; MaxPaths at most
	Inputs    int      `json:"inputs,omitempty"`
	Out       Digest   `json:"out,omitempty"`
	Content   Digest   `json:"content,omitempty"` // of what is written
	Hosts     []string `json:"hosts,omitempty"`   // that are fetched from
	EnvNames  []string `json:"envNames,omitempty"`
	Runtime   string   `json:"runtime,omitempty"`
	Isolation string   `json:"isolation,omitempty"`
	Domain    string   `json:"domain,omitempty"`
	Accel     string   `json:"accel,omitempty"`
	Pack      string   `json:"pack,omitempty"`
	Folders   []Folder `json:"folders,omitempty"`
	Network   string   `json:"network,omitempty"`
}

// Ending is what a record says of an execution that ended.
type Ending struct {
	Exit    *int   `json:"exit,omitempty"`    // of a program
	Ended   string `json:"ended,omitempty"`   // why, when not by itself
	Problem string `json:"problem,omitempty"` // code
	WallMS  int64  `json:"wallMs,omitempty"`
}

// Topics of EventFolder.
const (
	FolderAdded   = "added"
	FolderRemoved = "removed"
)

// Decision is what a record says of a decision, and of a folder.
type Decision struct {
	Question string `json:"question,omitempty"`
	Answer   string `json:"answer,omitempty"`
	Scope    string `json:"scope,omitempty"`
	By       string `json:"by,omitempty"`
	Topic    string `json:"topic,omitempty"`  // what it is about; of a folder FolderAdded or FolderRemoved
	Folder   Digest `json:"folder,omitempty"` // its path on the host, where it is of one
	Mode     string `json:"mode,omitempty"`   // of the folder; of a choice, what was chosen; of a rule's, what for
	Rule     string `json:"rule,omitempty"`   // the rule that decided, or that had a person asked: its layer and id

	// ClaimedProgram is which program asked for the network, as its machine said: what
	// the person read, and perhaps a lie. See Claimed.
	ClaimedProgram string `json:"claimedProgram,omitempty"`
}

// Traffic is what went to a host and came from it, in bytes, until the record was written.
type Traffic struct {
	Host     string `json:"host,omitempty"`
	Port     int    `json:"port,omitempty"`
	Purpose  string `json:"purpose,omitempty"`
	BytesOut int64  `json:"bytesOut,omitempty"`
	BytesIn  int64  `json:"bytesIn,omitempty"`
	Times    int64  `json:"times,omitempty"` // connections, or requests to a model
}

// Asked is what a record says of requests to a service, with Traffic, and Answer for whether
// they were allowed.
type Asked struct {
	Service string `json:"service,omitempty"`
	Method  string `json:"method,omitempty"`
	Path    Digest `json:"path,omitempty"` // without the query
	Status  int    `json:"status,omitempty"`
}

// MaxPaths are those of Begin.In. Begin.Inputs has the number of all.
const MaxPaths = 200

var plainProgram = regexp.MustCompile(`^[A-Za-z0-9._+-]{1,64}$`)

var claimedProgram = regexp.MustCompile(`^[a-z0-9_+-]{1,32}$`)

// Claimed is what a record says of a program that its machine named: its name, where it looks
// like one of a system, else a digest. An interpreter's is called after the script.
func Claimed(k *Key, name string) string {
	if claimedProgram.MatchString(name) {
		return name
	}
	return string(k.Digest(name))
}

// Program is what a record says of a program: its name, where it is one of the system. What
// lies in the folders of a person may be named after anything.
func Program(arg0 string) string {
	dir, name := path.Split(arg0)
	system := dir == "" || strings.HasPrefix(dir, "/usr/") || strings.HasPrefix(dir, "/opt/") || dir == "/bin/" || dir == "/sbin/"
	if !system || !plainProgram.MatchString(name) {
		return ""
	}
	return name
}
