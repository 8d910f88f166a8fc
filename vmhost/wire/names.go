package wire

// Version is the protocol version. It changes only when an old side could
// misunderstand a new one; additions do not change it.
const Version = 1

// Names of the virtio-serial ports, as the guest sees them in
// /sys/class/virtio-ports/*/name.
const (
	PortRPC = "piwork.rpc" // JSON-RPC, one message per line
	PortNet = "piwork.net" // multiplexed streams to the gateway (package mux)
)

// GatewayAddr is where programs in the guest find what the host serves on PortNet:
// each TCP connection is a stream of it.
const GatewayAddr = "127.0.0.1:8377"

// ConsoleReady is what the agent prints on the console, alone on a line, when
// it is up. The proof boot and a host without an RPC port wait for it.
const ConsoleReady = "READY"

// ConsoleDamaged begins the line that the agent prints when an image of the
// machine is not what the host said it is; why follows. Then it switches the
// machine off. What is found damaged later ends in a panic of dm-verity's.
const ConsoleDamaged = "DAMAGED "

// Where things are in the guest.
const (
	FoldersDir = "/folders"  // the chosen folders, one directory each; FoldersVariable says where they are
	StateDir   = "/state"    // what belongs to the task and not to the person
	WorkDir    = "/work"     // scratch of the task, on the overlay
	OutDir     = "/work/out" // results that do not go to a folder
	CacheDir   = "/cache"    // what tasks of one project leave to each other (MethodCache)
)

// SystemPath is where the system's programs are found, where its root is the root. Programs that
// packages bring are found behind them.
const SystemPath = "/usr/local/bin:/usr/bin:/bin"

// FoldersVariable is in the environment of every program: where FoldersDir is for it, which is
// another directory where a task works in no root of its own.
const FoldersVariable = "PIWORK_FOLDERS"

// The state is a directory in the root of the folders that is not listed there
// (StateName), and what the person gave the task a directory in that, which the
// guest can only read (StateUploads).
const (
	StateName    = ".state"
	StateUploads = "uploads"
)

// Methods that the host calls in the guest.
const (
	MethodHello         = "guest.hello"    // HelloParams → Hello
	MethodWarm          = "guest.warm"     // WarmParams → WarmResult, before the machine is saved or waits
	MethodPrepare       = "guest.prepare"  // PrepareParams → Empty
	MethodClock         = "guest.clock"    // ClockParams → Empty, after a pause of the machine or of the host
	MethodMount         = "guest.mount"    // MountParams → Empty
	MethodUnmount       = "guest.unmount"  // MountParams → Empty
	MethodGateway       = "guest.gateway"  // Empty → Empty: GatewayAddr is there; the host has plugged PortNet or is about to
	MethodNetwork       = "guest.network"  // NetworkParams → Empty: the network card is set up, which the host has plugged or is about to
	MethodCache         = "guest.cache"    // CacheParams → Empty: CacheDir is there; the host has plugged its disk or is about to
	MethodOwner         = "guest.owner"    // Connection → Owner: whose a connection is
	MethodShutdown      = "guest.shutdown" // Empty → Empty, then power off
	MethodEcho          = "guest.echo"     // EchoParams → EchoParams, for measuring
	MethodSessionCreate = "session.create" // Session → Session
	MethodSessionList   = "session.list"   // Empty → SessionList
	MethodSessionClose  = "session.close"  // SessionRef → Empty
	MethodExecRun       = "exec.run"       // ExecParams → ExecResult, output in the answer
	MethodExecStart     = "exec.start"     // ExecParams → Empty, output as notifications
	MethodExecWrite     = "exec.write"     // ExecWrite → Empty
	MethodExecSignal    = "exec.signal"    // ExecSignal → Empty
	MethodExecResize    = "exec.resize"    // ExecResize → Empty
	MethodExecWait      = "exec.wait"      // ExecRef → ExecResult
	MethodToolRun       = "tool.run"       // ToolParams → ToolResult
	MethodCancel        = "cancel"         // ExecRef → Empty: ends an execution or a tool run by id
)

// Capabilities of a guest, in Hello.
const (
	CanExec          = "exec"
	CanSession       = "session"
	CanTool          = "tool"
	CanMountVirtioFS = "mount.virtiofs" // KindVirtioFS
	CanMountVirtio9P = "mount.virtio9p" // KindVirtio9P
	CanWarm          = "warm"           // MethodWarm
	CanClock         = "clock"          // MethodClock
	CanPrepareMount  = "prepare.mount"  // PrepareParams.Mount
	CanMountState    = "mount.state"    // MountParams.State
	CanGateway       = "gateway"        // MethodGateway
	CanNetwork       = "network"        // MethodNetwork
	CanCache         = "cache"          // MethodCache
	CanAuthority     = "authority"      // NetworkParams.Authority
	CanDoor          = "door"           // NetworkParams.Door
	CanOwner         = "owner"          // MethodOwner
	CanTerminal      = "terminal"       // ExecParams.Terminal, MethodExecResize
	CanAct           = "act"            // ActionProgram takes ActArg
	CanControl       = "control"        // ExecParams.Control and Clean
)

// Kinds of file servers: devices of the machine, which may be plugged when the guest is
// asked to mount them already.
const (
	KindVirtioFS = "virtiofs"
	KindVirtio9P = "virtio9p"
)

// NotifyExecTaken is a notification that the host sends: ExecTaken, where it bounds how far
// output runs ahead of it (ExecParams.Ahead).
const NotifyExecTaken = "exec.taken"

// Notifications that the guest sends.
const (
	NotifyExecOutput   = "exec.output"   // ExecOutput
	NotifyToolProgress = "tool.progress" // ToolProgress
	NotifyLog          = "guest.log"     // LogLine
)
