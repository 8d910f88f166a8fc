package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"piwork/pack/guest/landlock"
	"piwork/vmhost"
	"piwork/vmhost/hosted"
)

const runtimeName = vmhost.KindHost

// Config says what a place on this computer is made of. Dir, Root and Agent are needed.
type Config struct {
	// Dir is private to this place: its files are in it. It is made; Close removes it.
	Dir string

	Root        string // of the environment (tree.Ensure)
	Agent       string // the program piwork-guest, static
	AppVersion  string
	PackVersion string

	Env     vmhost.ExecutionEnv
	Folders []vmhost.FolderInView // as in other places: below wire.FoldersDir

	// ServeFUSE serves the folders on an open /dev/fuse, until it is mounted nowhere any
	// more; when ctx ends, what waits for a person is to fail. Nil for a place without
	// folders. When it returns earlier, the place has failed.
	ServeFUSE func(ctx context.Context, device *os.File) error

	// State says that what ServeFUSE serves has a state (share.Set.AddState), which
	// programs find at wire.StateDir.
	State bool

	Timing   hosted.Timing     // the zero value is the usual one
	OnStatus vmhost.StatusFunc // may be nil
	Log      *slog.Logger      // nil is slog.Default()

	processes int // how many programs may have at once; 0 is as many as the agent says
}

// New returns an idle place.
func New(c Config) (*Runtime, error) {
	for _, dir := range []string{c.Dir, c.Root, c.Agent} {
		if !filepath.IsAbs(dir) {
			return nil, fmt.Errorf("host: %q is not absolute", dir)
		}
	}
	if c.ServeFUSE == nil && (c.State || len(c.Folders) > 0) {
		return nil, errors.New("host: folders that nobody serves")
	}
	c.Log = cmp.Or(c.Log, slog.Default())
	p := paths{c.Dir}
	return &Runtime{paths: p, Runtime: hosted.New(hosted.Config{
		Capabilities: Capabilities(), InitData: c.initData(p), Env: c.Env, Open: c.open,
		AppVersion: c.AppVersion, Timing: c.Timing, OnStatus: c.OnStatus, Log: c.Log,
	})}, nil
}

// ErrSystem is why there is no such place on other systems than Linux.
var ErrSystem = &vmhost.FailedError{Runtime: runtimeName, Reason: vmhost.ReasonSystem, Err: errors.New("the programs of the runtime are for Linux")}

// Capabilities are those of every place on this computer. Operations are there where Landlock
// keeps the programs that they start from the person's files, and lets them move files.
func Capabilities() vmhost.Capabilities {
	return vmhost.Capabilities{
		Name: runtimeName, Isolation: vmhost.IsolationNone, Domain: vmhost.DomainHost,
		Networks: []vmhost.NetworkPolicy{vmhost.NetworkDeny}, ReadOnly: true, Tools: landlock.Version() > 0,
		Limits: vmhost.LimitSupport{Wall: true, Output: true, Processes: true},
	}
}

// initData is constant for a Config.
func (c *Config) initData(p paths) vmhost.InitData {
	d := c.Env.InitData(runtimeName, runtimeName, c.Folders, c.PackVersion)
	d.Cwd = p.here(d.Cwd)
	for i := range d.Folders {
		d.Folders[i].Path = p.here(d.Folders[i].Path)
	}
	return d
}
