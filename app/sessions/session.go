package sessions

import (
	"maps"
	"slices"
	"time"

	"piwork/app/problem"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// State is what a session does.
type State string

// States of a session.
const (
	StateCreating   State = "creating"
	StateIdle       State = "idle"    // a shell waits for a command
	StateRunning    State = "running" // a command runs, or a program that is no shell
	StateTerminated State = "terminated"
)

// Reason is why a session is over.
type Reason string

// Reasons.
const (
	ReasonExited  Reason = "exited"       // by itself
	ReasonSignal  Reason = "signal"       // by a signal
	ReasonClosed  Reason = "closed"       // somebody closed it
	ReasonIdle    Reason = "idle-timeout" // nothing happened in it for as long as was said
	ReasonTimeout Reason = "timeout"      // it, or a command that could not be ended, took longer than was said
	ReasonLimit   Reason = "limit"        // of memory, processor time or output
	ReasonTask    Reason = "task-over"    // its task ended
	ReasonFailed  Reason = "failed"       // it could not be started, or its place failed
)

// Session is one program, as anybody may see it.
type Session struct {
	ID       string             `json:"id"`
	Task     string             `json:"task"`
	Shell    bool               `json:"shell"`          // it takes commands
	Argv     []string           `json:"argv,omitempty"` // of what is no shell
	Terminal bool               `json:"terminal"`
	Size     *wire.TerminalSize `json:"size,omitempty"` // of the terminal
	State    State              `json:"state"`
	Reason   Reason             `json:"reason,omitempty"`
	Created  time.Time          `json:"created"`

	Output  int64 `json:"output"`  // bytes written so far
	Kept    int64 `json:"kept"`    // how many of them can still be read
	Readers int   `json:"readers"` // clients that are attached
	Writer  bool  `json:"writer"`  // one of them writes

	Ending  *Ending          `json:"ending,omitempty"`
	Problem *problem.Problem `json:"problem,omitempty"` // of one that failed
}

// Ending is how a session ended.
type Ending struct {
	Ended    time.Time `json:"ended"`
	ExitCode int       `json:"exitCode"` // 128+n when ended by signal n
	Signal   int       `json:"signal,omitempty"`
	WallMS   int64     `json:"wallMs"`
	CPUMS    int64     `json:"cpuMs"`
	PeakKB   int64     `json:"peakKb,omitempty"` // memory, KiB; 0 is unknown
}

// Secret is a value that nobody shows.
type Secret string

// String implements fmt.Stringer.
func (Secret) String() string { return "[secret]" }

// GoString implements fmt.GoStringer.
func (Secret) GoString() string { return "[secret]" }

// Request asks for a session.
type Request struct {
	Argv     []string           `json:"argv,omitempty" doc:"a program; none is a shell"`
	Cwd      string             `json:"cwd,omitempty" doc:"in the workroom; where programs of the task start without"`
	Env      map[string]string  `json:"env,omitempty" doc:"variables beside those of the workroom"`
	Clean    bool               `json:"clean,omitempty" doc:"no variables but these, and PATH"`
	Secrets  map[string]Secret  `json:"secrets,omitempty" doc:"variables whose values are written down nowhere"`
	Terminal *wire.TerminalSize `json:"terminal,omitempty" doc:"it runs on a terminal of this size; else on pipes"`
	Limits   wire.Limits        `json:"limits,omitzero" doc:"of the whole session"`
	IdleMS   int64              `json:"idleMs,omitempty" minimum:"0" maximum:"604800000" doc:"ends it when nothing is written, typed or run for so long, ms"`
	KeepKB   int                `json:"keepKb,omitempty" minimum:"0" maximum:"8192" doc:"of its output that is kept, KiB; 0 is 1024"`

	RequiresRuntime *vmhost.Requirement `json:"requiresRuntime,omitempty" doc:"what the place where the task works has to be: elsewhere nothing is started"`
}

// RunRequest is a command for a shell.
type RunRequest struct {
	Command   string `json:"command" minLength:"1" maxLength:"200000" doc:"as a shell has it; it may have several lines"`
	TimeoutMS int64  `json:"timeoutMs,omitempty" minimum:"0" maximum:"604800000" doc:"after which it is interrupted, and then ended with its session, ms"`

	RequiresRuntime *vmhost.Requirement `json:"requiresRuntime,omitempty" doc:"what the place of the session has to be: elsewhere nothing is done"`
}

// RunResult is how a command ended.
type RunResult struct {
	ExitCode   int    `json:"exitCode"`
	Signal     int    `json:"signal,omitempty" doc:"that ended it, as its shell says: the exit code is 128 and this"`
	Ended      Reason `json:"ended,omitempty" doc:"why it did not end by itself; the session may be over, too"`
	Stdout     []byte `json:"stdout" doc:"at most 1 MiB of it"`
	Stderr     []byte `json:"stderr" doc:"likewise"`
	StdoutSize int64  `json:"stdoutSize" doc:"bytes in all"`
	StderrSize int64  `json:"stderrSize"`
	StdoutFile string `json:"stdoutFile,omitempty" doc:"result of the task that has all of a longer output, up to 256 MiB"`
	StderrFile string `json:"stderrFile,omitempty"`
	Truncated  bool   `json:"truncated,omitempty" doc:"a file has only the first 256 MiB, and says so in its last line; or a longer output has none: such files of a task have 4 GiB together, or it could not be written"`
	WallMS     int64  `json:"wallMs"`
	CPUMS      int64  `json:"cpuMs" doc:"of all programs whose end it waited for"`
	PeakKB     int64  `json:"peakKb,omitempty" doc:"memory, KiB: the most that all of the session had at once meanwhile; 0 is unknown, as in a place that does not measure it, or where earlier commands had more"`
}

// AttachRequest says how a client is attached.
type AttachRequest struct {
	Write bool  `query:"write" doc:"what it writes is the input; one client at a time"`
	Take  bool  `query:"take" doc:"also when another client writes, which goes on reading"`
	From  int64 `query:"from" minimum:"0" doc:"of the output, the byte to begin with; what is not kept any more is skipped"`
	Last  bool  `query:"last" doc:"begins with what comes next"`
}

// OutputRequest asks for output, by a client that has no connection and asks again.
type OutputRequest struct {
	Client string `query:"client" required:"true" pattern:"^[0-9A-Za-z]{16,64}$" doc:"a name that nobody guesses, which the client gave itself; 15 s after its last request it counts as gone"`
	From   int64  `query:"from" minimum:"0" doc:"of the output, the byte to begin with"`
	Seen   int64  `query:"seen" minimum:"0" doc:"the turn of the answer before; another one is answered at once"`
	WaitMS int    `query:"waitMs" minimum:"0" maximum:"25000" doc:"how long the answer may wait for output, another turn or the end, ms"`
}

// Output is an answer to a client without a connection.
type Output struct {
	Session Session `json:"session"`
	At      int64   `json:"at" doc:"offset of the first byte; beyond the one that was asked for when that is not kept any more"`
	Data    []byte  `json:"data" doc:"at most 256 KiB; on a terminal all of it, on pipes output and errors as they came"`
	Turn    int64   `json:"turn" doc:"grows when another client writes, and when the size of the terminal changes"`
	Writes  bool    `json:"writes" doc:"the client has the lease to write"`
}

// InputRequest is input from a client without a connection.
type InputRequest struct {
	Client string `json:"client" pattern:"^[0-9A-Za-z]{16,64}$" doc:"as it reads"`
	Data   []byte `json:"data,omitempty" maxLength:"87384" doc:"at most 64 KiB; none asks for the lease alone"`
	Take   bool   `json:"take,omitempty" doc:"also when another client writes, which goes on reading"`
}

// SignalRequest is a signal for the programs of a session.
type SignalRequest struct {
	Signal string `json:"signal" enum:"HUP,INT,QUIT,KILL,USR1,USR2,TERM,CONT,STOP,WINCH"`
}

// Signals are the names of those that a session takes, in order.
func Signals() []string { return slices.Sorted(maps.Keys(signals)) }

// signals are their numbers on Linux.
var signals = map[string]int{"HUP": 1, "INT": 2, "QUIT": 3, "KILL": 9, "USR1": 10, "USR2": 12, "TERM": 15, "CONT": 18, "STOP": 19, "WINCH": 28}
