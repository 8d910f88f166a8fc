package wire

// Empty is the parameter or the result of a method that has none.
type Empty struct{}

// HelloParams opens a conversation.
type HelloParams struct {
	Version int    `json:"version"` // of the host's protocol
	App     string `json:"app"`     // version of the host program, for logs
}

// Hello is how the guest introduces itself.
type Hello struct {
	Version      int               `json:"version"`
	Agent        string            `json:"agent"`            // version of the agent
	BootID       string            `json:"bootId"`           // /proc/sys/kernel/random/boot_id
	Kernel       string            `json:"kernel"`           // uname -r
	Capabilities []string          `json:"capabilities"`     // e.g. CanExec
	MarksMS      map[string]uint64 `json:"marksMs"`          // boot steps, ms since the kernel's clock began
	Errors       []string          `json:"errors,omitempty"` // boot steps that failed without being fatal
}

// WarmParams names what most tasks will have, so that guest.prepare finds it
// done. Nothing of it is a secret: it is saved with the template.
type WarmParams struct {
	Hostname string `json:"hostname,omitempty"`
	Locale   string `json:"locale,omitempty"`
	TimeZone string `json:"timeZone,omitempty"`
}

// WarmResult says that nothing is going on any more in the guest.
type WarmResult struct {
	MarksMS map[string]uint64 `json:"marksMs"` // steps, ms each took
}

// ClockParams is the host's time after the machine stood still.
type ClockParams struct {
	UnixNano int64 `json:"unixNano"` // UTC
}

// PrepareParams makes a booted or restored guest this task's own.
type PrepareParams struct {
	UnixNano int64  `json:"unixNano"`           // host's time, UTC
	Entropy  []byte `json:"entropy"`            // at least 64 random bytes
	Hostname string `json:"hostname,omitempty"` // one label, RFC 1123
	Locale   string `json:"locale,omitempty"`   // e.g. "C.UTF-8"
	TimeZone string `json:"timeZone,omitempty"` // IANA name, e.g. "Europe/Berlin"

	// Layers are laid over the base of the root, the last on top. The first
	// guest.prepare decides them; later ones name the same.
	Layers []Layer `json:"layers,omitempty"`

	// Mount is mounted last, as by guest.mount; its failure is CodeMount, and
	// everything else is done then.
	Mount *MountParams `json:"mount,omitempty"`
}

// Layer is a read-only image on a disk of the machine.
type Layer struct {
	Name       string `json:"name"`
	Disk       string `json:"disk"`               // serial number of the virtio-blk device
	RootHash   string `json:"rootHash,omitempty"` // SHA-256 of dm-verity, hex; "" is not protected
	Salt       string `json:"salt,omitempty"`     // hex
	DataBlocks int64  `json:"dataBlocks,omitempty"`
}

// MountParams names one export of the host's file server and where it goes.
type MountParams struct {
	Kind   string `json:"kind"`   // KindVirtioFS, KindVirtio9P
	Export string `json:"export"` // the device's tag
	Path   string `json:"path"`   // where in the guest, e.g. FoldersDir

	// State says that the state which is in it (StateName) is to be found at
	// StateDir. A mount that has none fails. Only for a mount at FoldersDir.
	State bool `json:"state,omitempty"`
}

// NetworkParams sets up the network card that has MAC. There is one at most, and
// IPv4 only.
type NetworkParams struct {
	MAC     string `json:"mac"`     // "02:00:00:00:00:01"
	Address string `json:"address"` // of the guest with the length of its network, "10.0.2.15/24"
	Gateway string `json:"gateway"` // where everything else goes, in that network
	DNS     string `json:"dns"`     // the name server
	MTU     int    `json:"mtu"`     // bytes of a packet

	// Authority is a certificate, PEM, that programs of the task are to believe: it signs
	// for hosts that the host computer answers for. "" is none.
	Authority string `json:"authority,omitempty"`

	// Door is, in a place that has no card, the socket of the host's proxy (CanDoor), and
	// nothing else but Authority is said. Whom programs are to believe is then in files below
	// the socket's directory, as below a root.
	Door string `json:"door,omitempty"`
}

// CacheParams has the guest mount the disk with a project's cache at CacheDir. What is on
// it was written by programs of earlier tasks.
type CacheParams struct {
	Disk    string `json:"disk"`    // serial number of the virtio-blk device
	LimitMB int64  `json:"limitMb"` // how much of it may be in use, MiB
}

// EchoParams travels to the guest and back unchanged.
type EchoParams struct {
	Data string `json:"data"`
}

// Session groups executions: directory, environment and life. Closing it ends
// every process started in it.
type Session struct {
	ID  string            `json:"id"`
	Cwd string            `json:"cwd,omitempty"`
	Env map[string]string `json:"env,omitempty"`
}

// SessionRef names a session.
type SessionRef struct {
	ID string `json:"id"`
}

// SessionList answers MethodSessionList.
type SessionList struct {
	Sessions []Session `json:"sessions"`
}

// Limits bound one execution. Zero means the agent's default.
type Limits struct {
	WallMS      int64 `json:"wallMs,omitempty" doc:"wall clock, ms"`
	CPUMS       int64 `json:"cpuMs,omitempty" doc:"processor time of the whole process tree, ms"`
	MemoryMB    int64 `json:"memoryMb,omitempty" doc:"of the whole process tree, MiB"`
	OutputBytes int64 `json:"outputBytes,omitempty" doc:"stdout and stderr of a program together, bytes"`
	IOBytes     int64 `json:"ioBytes,omitempty" doc:"what the whole process tree reads and writes in all, from and to files and pipes, bytes"`
}

// ExecParams starts a program: argv as given, no shell.
type ExecParams struct {
	ID      string            `json:"id"`                // chosen by the caller
	Session string            `json:"session,omitempty"` // "" is a session of its own
	Argv    []string          `json:"argv"`
	Cwd     string            `json:"cwd,omitempty"`
	Env     map[string]string `json:"env,omitempty"` // added to the agent's clean environment
	Stdin   []byte            `json:"stdin,omitempty"`
	KeepIn  bool              `json:"keepIn,omitempty"` // stdin stays open for exec.write
	Limits  Limits            `json:"limits,omitzero"`

	// Terminal gives it a terminal of this size: its standard streams, all of whose
	// output is Stdout. For guests that have CanTerminal.
	Terminal *TerminalSize `json:"terminal,omitempty"`

	// Control gives it descriptor ControlIn to read what exec.write sends as Control, and
	// ControlOut, whose output is the stream Control: all output that it wrote to its pipes
	// before is sent first. For guests that have CanControl, as is Clean.
	Control bool `json:"control,omitempty"`
	// Clean leaves it the variables of Env and nothing of the agent's environment, but a
	// PATH where Env has none.
	Clean bool `json:"clean,omitempty"`
	// Raw says that exec.start may have its output follow each ExecOutput as it is. Older
	// guests do not know it.
	Raw bool `json:"raw,omitempty"`
	// Ahead is how much output exec.start may send before the host said, by NotifyExecTaken,
	// that it was taken: what is read slowly, or not at all, does not hold up the rest of the
	// conversation then. It counts by OutputWeight, may be exceeded by a part of a piece, and does
	// not hold for an execution that was cancelled, nor in the next conversation. 0 is no bound.
	// Older guests do not know it.
	Ahead int64 `json:"ahead,omitempty"`
	// Request is the id of the request that asked for it, for the guest's log. Older guests do
	// not know it.
	Request string `json:"request,omitempty"`
}

// Descriptors of a program with ExecParams.Control.
const (
	ControlIn  = 5
	ControlOut = 6
)

// TerminalSize is the size of a terminal, in characters.
type TerminalSize struct {
	Columns int `json:"columns" minimum:"1" maximum:"4096"`
	Rows    int `json:"rows" minimum:"1" maximum:"4096"`
}

// ExecRef names an execution or a tool run.
type ExecRef struct {
	ID string `json:"id"`
}

// ExecWrite sends bytes to stdin, or to the control descriptor; Close ends it after them.
type ExecWrite struct {
	ID      string `json:"id"`
	Data    []byte `json:"data,omitempty"`
	Close   bool   `json:"close,omitempty"`
	Control bool   `json:"control,omitempty"`
}

// ExecTaken says that so much more output of an execution was taken.
type ExecTaken struct {
	ID    string `json:"id"`
	Bytes int64  `json:"bytes"`
}

// ExecResize says how large the terminal of an execution is from now on.
type ExecResize struct {
	ID string `json:"id"`
	TerminalSize
}

// ExecSignal sends a signal, by number as on Linux, to the process group.
type ExecSignal struct {
	ID     string `json:"id"`
	Signal int    `json:"signal"`
}

// Streams of an execution; Control is that of ExecParams.Control. An operation has Stderr, the words of its programs, and Log,
// lines about how they ended.
const (
	Stdout  = "stdout"
	Stderr  = "stderr"
	Log     = "log"
	Control = "control"
)

// ExecOutput is a piece of output, in order within one stream.
type ExecOutput struct {
	ID     string `json:"id"`
	Stream string `json:"stream"`
	Data   []byte `json:"data"`

	Raw bool `json:"-"` // the data follows the message (ExecParams.Raw)
}

// Reasons why an execution ended other than by itself.
const (
	EndedTimeout     = "timeout"
	EndedOutputLimit = "output-limit"
	EndedCancelled   = "cancelled"
	EndedOutOfMemory = "out-of-memory"
	EndedCPULimit    = "cpu-limit"
	EndedIOLimit     = "io-limit"
)

// ExecResult is how an execution ended.
type ExecResult struct {
	ID        string `json:"id"`
	ExitCode  int    `json:"exitCode"`         // 128+n when ended by signal n, 137 also when out of memory
	Signal    int    `json:"signal,omitempty"` // 0 when it exited
	Ended     string `json:"ended,omitempty"`  // "" when it ended by itself
	WallMS    int64  `json:"wallMs"`
	CPUMS     int64  `json:"cpuMs"`
	PeakKB    int64  `json:"peakKb,omitempty"` // memory, KiB: of the whole process tree, or of its largest process; 0 is unknown
	Stdout    []byte `json:"stdout,omitempty"` // exec.run only
	Stderr    []byte `json:"stderr,omitempty"` // exec.run only
	Truncated bool   `json:"truncated,omitempty"`
}

// ToolParams runs a typed operation of pack/tools.
type ToolParams struct {
	ID     string         `json:"id"`
	Op     string         `json:"op"`            // e.g. "image.convert"
	In     []string       `json:"in"`            // absolute paths in the guest, read-only for the tool
	Out    string         `json:"out,omitempty"` // absolute path; "" when the operation only reports
	Params map[string]any `json:"params,omitempty"`
	Limits Limits         `json:"limits,omitzero"`
	// Request is the id of the request that asked for it, for the guest's log.
	Request string `json:"request,omitempty"`
}

// ToolResult is what an operation made and what it could not do.
type ToolResult struct {
	ID       string            `json:"id"`
	Out      []ToolFile        `json:"out,omitempty"`
	Info     []any             `json:"info,omitempty"` // one object per input for *.info operations
	Problems []ToolProblem     `json:"problems,omitempty"`
	WallMS   int64             `json:"wallMs"`
	Versions map[string]string `json:"versions,omitempty"`
}

// ToolFile is a file that an operation made.
type ToolFile struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// ToolProblem says in a code what happened to one input (or, with an empty
// Path, to the whole operation). Words for it live in the catalogues of the
// window and the command line.
type ToolProblem struct {
	Code   string `json:"code"` // e.g. "input-broken", see pack/tools
	Path   string `json:"path,omitempty"`
	Entry  string `json:"entry,omitempty"`  // of an archive, as it is named there
	Cause  string `json:"cause,omitempty"`  // why, where a code has several reasons
	Detail string `json:"detail,omitempty"` // the tool's own words, at most 4 KiB
}

// ToolProgress counts items while an operation runs.
type ToolProgress struct {
	ID    string `json:"id"`
	Done  int64  `json:"done"`
	Total int64  `json:"total"`
	Item  string `json:"item,omitempty"`
}

// LogLine is one line of the agent's own log.
type LogLine struct {
	Level string `json:"level"` // debug, info, warn, error
	Text  string `json:"text"`

	// Of an operation or an execution: its name or OpExec, the host's id of it, and the request
	// that asked for it.
	Op      string `json:"op,omitempty"`
	Run     string `json:"run,omitempty"`
	Request string `json:"request,omitempty"`
}

// OpExec is what LogLine.Op is for an execution.
const OpExec = "exec"
