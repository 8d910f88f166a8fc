package container

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

const runtimeName = vmhost.KindContainer

// Config says what a container is made of. Dir, Root, Agent, Digest, Owner and
// Imports are needed.
type Config struct {
	// Dir is private to this container: the folders are mounted in it. It is made; Close
	// removes it.
	Dir string

	Root   string // the tree of the runtime pack (tree.Ensure)
	Agent  string // the program piwork-guest, static
	Digest string // names Root and Agent: the image of the engine that is made of them is labelled with it

	// Owner names the one program that uses this directory of runs. Containers and images
	// of the same owner that another process left are removed.
	Owner string

	// Imports is a file in which it is noted which images were made: only those are used. It
	// is made; programs must not get at it.
	Imports string

	Engine      string // the path of the engine's socket; "" is looked for
	AppVersion  string
	PackVersion string

	Size Size // of all programs together

	Env     vmhost.ExecutionEnv
	Folders []vmhost.FolderInView // as programs see them; InitData's

	// ServeFUSE serves the folders on an open /dev/fuse, until it is mounted nowhere any
	// more; all files belong to owner, a number of this computer. When ctx ends, what waits
	// for a person is to fail. Nil for a container without folders. When it returns
	// earlier, the container has failed.
	ServeFUSE func(ctx context.Context, device *os.File, owner int) error

	// Copy returns what keeps copies of the folders in the container, where the engine cannot show
	// it what is mounted on this computer. Contents on their way are in dir. Nil for a container
	// that is not to work on copies; needs ServeFUSE.
	Copy func(dir string) (hosted.Folders, error)

	// State says that what ServeFUSE serves has a state (share.Set.AddState), which
	// programs find at wire.StateDir.
	State bool

	Door *hosted.Door // the network of programs; nil for none

	Timing   hosted.Timing     // the zero value is the usual one
	Answer   time.Duration     // how long the engine has for an answer; 0 is answerTime
	OnStatus vmhost.StatusFunc // may be nil
	Log      *slog.Logger      // nil is slog.Default()
}

// Size is how much of this computer a container may use, where the engine can limit it.
type Size struct {
	MemoryMB int     // 0 is half of this computer's
	CPUs     float64 // 0 is all
	Must     bool    // an engine that cannot limit these, where they are not 0, is refused

	processes int // how many there may be at once; 0 is maxProcesses
}

// answerTime is how long the engine has for an answer; it has importAnswers times as long
// for taking an image.
const (
	answerTime    = 30 * time.Second
	importAnswers = 20
)

// New returns an idle container.
func New(c Config) (*hosted.Runtime, error) {
	for _, dir := range []string{c.Dir, c.Root, c.Agent, c.Imports} {
		if !filepath.IsAbs(dir) {
			return nil, fmt.Errorf("container: %q is not absolute", dir)
		}
	}
	switch {
	case c.Digest == "" || c.Owner == "":
		return nil, errors.New("container: an image without a digest or an owner")
	case c.ServeFUSE == nil && (c.Copy != nil || c.State || len(c.Folders) > 0):
		return nil, errors.New("container: folders that nobody serves")
	}
	c.Answer = cmp.Or(c.Answer, answerTime)
	if c.Timing == (hosted.Timing{}) {
		c.Timing = hosted.Patient
		c.Timing.Evidence = evidenceTime
	}
	c.Log = cmp.Or(c.Log, slog.Default())
	o, caps := &opener{Config: &c}, Capabilities()
	caps.Networks = c.Door.Networks()
	return hosted.New(hosted.Config{
		Capabilities: caps, Network: c.Door.Params(doorPath), InitData: c.Env.InitData(runtimeName, runtimeName, c.Folders, c.PackVersion), Env: c.Env, Open: o.open, Folders: o.copies,
		AppVersion: c.AppVersion, Timing: c.Timing, OnStatus: c.OnStatus, Log: c.Log,
	}), nil
}

// doorPath is where the directory of the door is in a container.
const doorPath = "/piwork/net"

// opener makes the place of a container.
type opener struct {
	*Config
	onCopies bool // the folders are copies in it
}

// copies are those of the folders.
func (o *opener) copies() (hosted.Folders, error) {
	if !o.onCopies {
		return nil, nil
	}
	return o.Copy(filepath.Join(o.Dir, copiesName))
}

// copiesName is where contents are that are on their way to copies of the folders, in Config.Dir.
const copiesName = "copies"

// evidenceTime is how long the engine has to say how a container ended.
const evidenceTime = 5 * time.Second

// ErrSystem is why there is no container on other systems than Linux: engines run there in a
// machine of their own, in which folders cannot be served.
var ErrSystem = &vmhost.FailedError{Runtime: runtimeName, Reason: vmhost.ReasonSystem, Err: errors.New("piwork uses containers on Linux only")}

// Capabilities are those of every container; with Config.Door it has a network, without it
// none. What programs write, besides the folders, is in memory and bounded, and so is the number of processes. Memory and processors are bounded for
// all of them together where the engine can (vmhost.Engine.Sizes); those of one program are not.
func Capabilities() vmhost.Capabilities {
	return vmhost.Capabilities{
		Name: runtimeName, Isolation: vmhost.IsolationNamespace, Domain: vmhost.DomainContainer,
		Networks: hosted.EveryNetwork, ReadOnly: true, Tools: true,
		Limits: vmhost.LimitSupport{Disk: true, Wall: true, Output: true, Processes: true, Size: true},
	}
}

// initData is constant for a Config.
