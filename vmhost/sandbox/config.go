package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"

	"piwork/vmhost"
	"piwork/vmhost/hosted"
)

// Program is bubblewrap's.
const Program = "bwrap"

const (
	runtimeName = vmhost.KindSandbox
	hostname    = "piwork"
)

// Config says what a sandbox is made of. Dir, Root and Agent are needed.
type Config struct {
	// Dir is private to this sandbox: its scratch is in it. It is made; Close removes it
	// when nothing else is in it.
	Dir string

	Root        string // the tree of the runtime pack (tree.Ensure)
	Agent       string // the program piwork-guest, static
	Bubblewrap  string // the program bwrap; "" is looked for in PATH
	AppVersion  string
	PackVersion string

	Env     vmhost.ExecutionEnv
	Folders []vmhost.FolderInView // as programs see them; InitData's

	// ServeFUSE serves the folders on an open /dev/fuse, until it is mounted nowhere any
	// more; when ctx ends, what waits for a person is to fail. Nil for a sandbox without
	// folders. When it returns earlier, the sandbox has failed.
	ServeFUSE func(ctx context.Context, device *os.File) error

	// State says that what ServeFUSE serves has a state (share.Set.AddState), which
	// programs find at wire.StateDir.
	State bool

	Door *hosted.Door // the network of programs; nil for none

	// Groups bound what programs use; nil where nothing does.
	Groups *Groups

	Timing   hosted.Timing     // the zero value is the usual one
	OnStatus vmhost.StatusFunc // may be nil
	Log      *slog.Logger      // nil is slog.Default()

	freeSpace func(dir string) (uint64, error) // nil is the system's
	processes int                              // how many programs may have at once; 0 is as many as the agent says
}

// New returns an idle sandbox.
func New(c Config) (*hosted.Runtime, error) {
	for _, dir := range []string{c.Dir, c.Root, c.Agent} {
		if !filepath.IsAbs(dir) {
			return nil, fmt.Errorf("sandbox: %q is not absolute", dir)
		}
	}
	if c.State && c.ServeFUSE == nil {
		return nil, errors.New("sandbox: a state that nobody serves")
	}
	c.Log = cmp.Or(c.Log, slog.Default())
	caps := Capabilities(c.Groups)
	caps.Networks = c.Door.Networks()
	return hosted.New(hosted.Config{
		Capabilities: caps, Network: c.Door.Params(doorPath), InitData: c.Env.InitData(runtimeName, runtimeName, c.Folders, c.PackVersion), Env: c.Env, Open: c.open,
		AppVersion: c.AppVersion, Timing: c.Timing, OnStatus: c.OnStatus, Log: c.Log,
	}), nil
}

// Capabilities are those of every sandbox on this computer. Memory and processor time are
// bounded by cgroups, which not every system gives people.
func Capabilities(g *Groups) vmhost.Capabilities {
	return vmhost.Capabilities{
		Name: runtimeName, Isolation: vmhost.IsolationNamespace, Domain: vmhost.DomainContainer,
		Networks: hosted.EveryNetwork, ReadOnly: true, Tools: true,
		// The kernel counts the processes of everybody but root, and of a cgroup in any case.
		Limits: vmhost.LimitSupport{
			CPU: g.usable(), Memory: g.usable(), Disk: true, Wall: true, Output: true, Processes: g.usable() || os.Getuid() != 0,
		},
	}
}

// ErrSystem is why there is no sandbox on other systems than Linux. macOS can keep programs in
// (sandbox-exec), and has none of the pack's to keep in; nor has Windows.
var ErrSystem = &vmhost.FailedError{Runtime: runtimeName, Reason: vmhost.ReasonSystem, Err: errors.New("the programs of the runtime are for Linux")}

// initData is constant for a Config.

// Find returns what a proof depends on: the file of bubblewrap, since a sandbox says best why
// there is none, and whether cgroups bound programs.
func (g *Groups) Find(context.Context) (string, *vmhost.Engine, error) {
	program, err := exec.LookPath(Program)
	if err != nil {
		program = "none"
	} else if file, err := os.Stat(program); err == nil { // another version
		program = fmt.Sprintf("%s %d %d", program, file.Size(), file.ModTime().UnixNano())
	}
	if g.usable() {
		program += " in cgroups"
	}
	return program, nil, nil
}
