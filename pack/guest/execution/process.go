package execution

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"piwork/vmhost/wire"
)

// Limits bound one process tree. Zero means none but for Wall, which has a
// default of the caller's.
type Limits struct {
	Wall       time.Duration
	CPU        time.Duration // of the whole tree
	Memory     int64         // bytes, of the whole tree
	Processes  int           // threads and processes of the tree
	Processors int           // that the tree may keep busy at a time
	FileSize   int64         // bytes of the largest file it may write
	IO         int64         // bytes per second that the tree may read from and write to each disk
	IOTotal    int64         // bytes that the tree may read and write in all, from and to files and pipes
	Output     int64         // bytes of stdout and stderr together
}

// Program is what is to be run.
type Program struct {
	Argv []string // no shell; Argv[0] is looked up in the PATH of Env
	Cwd  string   // absolute
	Env  []string // all of it, KEY=VALUE

	Stdin     []byte // is written first
	KeepStdin bool   // stdin stays open afterwards

	// Terminal gives it a terminal of this size, which is its session's, for its
	// standard streams; nil gives it pipes. The end of Stdin ends no terminal.
	Terminal *wire.TerminalSize
	// Control gives it the descriptors wire.ControlIn and wire.ControlOut.
	Control bool

	Limits Limits
	// OOMGroup ends the whole tree when it is out of memory; otherwise the
	// kernel picks one process and the rest goes on.
	OOMGroup bool
	// KeepChildren leaves processes that outlive the program to the cgroup
	// above, instead of ending them. The next program may signal and trace them;
	// otherwise a program reaches only what it started itself.
	KeepChildren bool
	// Offline leaves it, and all that it starts, no sockets but those of files: it
	// reaches no network, whatever the machine has.
	Offline bool
	// Programs is the user that the program may start others as, and its own group: it
	// gets the right to take that user as its real one, and has to give the right up
	// before it does anything else. 0 is none.
	Programs int

	// Output takes output in order within one stream; the two streams may call
	// at the same time. While it waits the program is held. It must not keep
	// data. Its context ends when nobody will wait for the output any more. An
	// error makes it miss the rest.
	Output OutputFunc
}

// Outcome is how a process ended.
type Outcome struct {
	ExitCode  int    // 128+n for signal n
	Signal    int    // 0 when it exited
	Ended     string // one of wire.Ended…, "" by itself
	Wall, CPU time.Duration
	Truncated bool  // output was lost to the limit
	Peak      int64 // bytes of memory of the tree, or of its largest process; 0 is unknown
}

// OutputFunc takes a piece of one stream: wire.Stdout, wire.Stderr or wire.Control.
type OutputFunc func(ctx context.Context, stream string, data []byte) error

// StartError says why a program was not started.
type StartError struct {
	Step string // what failed, e.g. "find the program"
	Path string
	Err  error // an errno where the system gave one
}

func (e *StartError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("cannot %s: %v", e.Step, e.Err)
	}
	return fmt.Sprintf("cannot %s %s: %v", e.Step, e.Path, e.Err)
}

func (e *StartError) Unwrap() error { return e.Err }

// Errno is why the program could not be found or executed, 0 for other reasons.
func (e *StartError) Errno() int {
	var errno syscall.Errno
	if e.Step != stepFind && e.Step != stepExec || !errors.As(e.Err, &errno) {
		return 0
	}
	return int(errno)
}
