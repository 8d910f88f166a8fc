package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"piwork/vmhost"
	"piwork/vmhost/hosted"
)

// Config says what a place on another computer is made of. Name, Computer and Agent are
// needed.
type Config struct {
	Name     string // of the computer, for the person; the runtime's is vmhost.KindRemote, a colon and that
	Computer Computer

	Agent       string // the program piwork-guest, static, of the other computer's kind
	AppVersion  string
	PackVersion string // of the agent's pack

	// Root is the tree of the pack (sandbox/tree), and Digest its name: it is sent there once,
	// and its programs are those of the place. Without it they are the computer's own.
	// OnSend hears how much of it is there, of how much, in bytes; it may be nil.
	Root   string
	Digest string
	OnSend func(done, total int64)

	// Patience is how long a connection may be lost before both sides give up; 0 is
	// UsualPatience.
	Patience time.Duration

	Env     vmhost.ExecutionEnv
	Folders []vmhost.FolderInView // as programs see them; InitData's

	// ServeFUSE serves the folders on a device, until that ends; all files belong to owner, a
	// number of the other computer. When ctx ends, what waits for a person is to fail. Nil for
	// a place without folders. When it returns earlier, the place has failed.
	ServeFUSE func(ctx context.Context, device *os.File, owner int) error

	// State says that what ServeFUSE serves has a state (share.Set.AddState), which
	// programs find at wire.StateDir.
	State bool

	Timing   hosted.Timing     // the zero value is the usual one
	OnStatus vmhost.StatusFunc // may be nil
	Log      *slog.Logger      // nil is slog.Default()
}

// UsualPatience is how long a connection may be lost.
const UsualPatience = 2 * time.Minute

// New returns an idle place.
func New(c Config) (*hosted.Runtime, error) {
	switch {
	case c.Name == "" || c.Computer.Target.Host == "":
		return nil, errors.New("remote: a computer without a name")
	case !filepath.IsAbs(c.Agent):
		return nil, fmt.Errorf("remote: %q is not absolute", c.Agent)
	case c.Root != "" && (!filepath.IsAbs(c.Root) || c.Digest == ""):
		return nil, fmt.Errorf("remote: the tree %q of %q", c.Root, c.Digest)
	case c.ServeFUSE == nil && (c.State || len(c.Folders) > 0):
		return nil, errors.New("remote: folders that nobody serves")
	}
	c.Patience = cmp.Or(c.Patience, UsualPatience)
	if c.Timing == (hosted.Timing{}) {
		c.Timing = hosted.Patient
	}
	// Who is out of reach is not hung.
	c.Timing.Hung += c.Patience
	c.Timing.Write += c.Patience
	c.Timing.Cancel += c.Patience
	c.Log = cmp.Or(c.Log, slog.Default())
	caps := Capabilities(c.Name)
	caps.Tools = c.Root != ""
	return hosted.New(hosted.Config{
		Capabilities: caps, InitData: c.initData(), Env: c.Env, Open: c.open,
		AppVersion: c.AppVersion, Timing: c.Timing, OnStatus: c.OnStatus, Log: c.Log,
	}), nil
}

// Capabilities are those of every place on a computer that has its own programs.
func Capabilities(name string) vmhost.Capabilities {
	return vmhost.Capabilities{
		Name: vmhost.KindRemote + ":" + name, Isolation: vmhost.IsolationNamespace, Domain: vmhost.DomainRemote,
		Networks: []vmhost.NetworkPolicy{vmhost.NetworkDeny, vmhost.NetworkAllow}, ReadOnly: true,
		Limits: vmhost.LimitSupport{Wall: true, Output: true, Processes: true},
	}
}

// initData is constant for a Config.
func (c *Config) initData() vmhost.InitData {
	name := vmhost.KindRemote + ":" + c.Name
	return c.Env.InitData(name, name, c.Folders, c.PackVersion)
}
