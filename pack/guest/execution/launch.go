package execution

// Descriptors of the launcher besides the standard streams, which are already
// the program's.
const (
	launchSpecFD   = 3 // read end of a pipe with the launchSpec as JSON
	launchStatusFD = 4 // write end of a pipe: a launchFailure as JSON, or closed by exec
)

// maxLaunchSpec bounds what the launcher reads, in bytes: a message of the
// host with room for the encoding.
const maxLaunchSpec = 8 << 20

// launchSpec is what the launcher becomes.
type launchSpec struct {
	Argv  []string `json:"argv"`
	Cwd   string   `json:"cwd"`
	Env   []string `json:"env"`
	UID   int      `json:"uid"` // -1 stays the agent's user
	GID   int      `json:"gid"`
	CPU   uint64   `json:"cpu"`   // RLIMIT_CPU, s; 0 is none
	FSize uint64   `json:"fsize"` // RLIMIT_FSIZE, bytes; 0 is none

	Apart   bool `json:"apart,omitempty"`   // it reaches no process that it did not start
	Offline bool `json:"offline,omitempty"` // it reaches no network

	Control bool `json:"control,omitempty"` // it keeps wire.ControlIn and wire.ControlOut

	Programs int `json:"programs,omitempty"` // as in [Program]

	Writable  []string `json:"writable,omitempty"`  // as in [Starter]
	Processes uint64   `json:"processes,omitempty"` // likewise
	Tree      string   `json:"tree,omitempty"`      // likewise
	Runnable  []string `json:"runnable,omitempty"`  // likewise
}

// Steps of a launch, as failures name them.
const (
	stepSpec     = "read the order"
	stepLimits   = "set limits"
	stepIdentity = "drop privileges"
	stepCwd      = "enter the directory"
	stepFind     = "find the program"
	stepExec     = "execute the program"
)

// launchFailure says why the program was not started.
type launchFailure struct {
	Step  string `json:"step"`
	Path  string `json:"path,omitempty"`
	Errno int    `json:"errno,omitempty"` // 0 when Text says it
	Text  string `json:"text,omitempty"`
}
