package kubernetes

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"

	"piwork/vmhost"
	"piwork/vmhost/hosted"
)

// Config says what a Pod is made of. Name, Cluster and Agent are needed.
type Config struct {
	Name    string // of the cluster, for the person; the runtime's is vmhost.KindKubernetes, a colon and that
	Cluster Cluster

	Agent       string // the program piwork-guest, static; the Pod gets a node of its kind
	AppVersion  string
	PackVersion string // of the agent's pack

	MemoryMB int // that the Pod may use; 0 is as usual
	CPUs     int // likewise

	Env     vmhost.ExecutionEnv
	Folders []vmhost.FolderInView // as programs see them; InitData's

	// Copy returns what keeps the copies of the folders. Contents on their way that are too
	// large for the memory are in Dir, which is made where it is missing. Nil for a Pod
	// without folders.
	Copy func(dir string) (hosted.Folders, error)
	Dir  string

	Timing   hosted.Timing     // the zero value is the usual one
	OnStatus vmhost.StatusFunc // may be nil
	Log      *slog.Logger      // nil is slog.Default()
}

// New returns an idle place.
func New(c Config) (*hosted.Runtime, error) {
	switch {
	case c.Name == "":
		return nil, errors.New("kubernetes: a cluster without a name")
	case !filepath.IsAbs(c.Agent):
		return nil, fmt.Errorf("kubernetes: %q is not absolute", c.Agent)
	case c.Copy == nil && len(c.Folders) > 0:
		return nil, errors.New("kubernetes: folders that nobody copies")
	}
	if err := c.Cluster.Check(); err != nil {
		return nil, err
	}
	if c.Timing == (hosted.Timing{}) {
		c.Timing = hosted.Patient
	}
	c.Log = cmp.Or(c.Log, slog.Default())
	h := hosted.Config{
		Capabilities: Capabilities(c.Name), InitData: c.initData(), Env: c.Env, Open: c.open,
		AppVersion: c.AppVersion, Timing: c.Timing, OnStatus: c.OnStatus, Log: c.Log,
	}
	if c.Copy != nil {
		h.Folders = func() (hosted.Folders, error) { return c.Copy(c.Dir) }
	}
	return hosted.New(h), nil
}

// Capabilities are those of every Pod of a cluster. A network is kept away where the cluster
// can do so, which is found out before a program runs.
func Capabilities(name string) vmhost.Capabilities {
	return vmhost.Capabilities{
		Name: vmhost.KindKubernetes + ":" + name, Isolation: vmhost.IsolationNamespace, Domain: vmhost.DomainRemote,
		Networks: []vmhost.NetworkPolicy{vmhost.NetworkDeny, vmhost.NetworkAllow}, ReadOnly: true,
		Limits: vmhost.LimitSupport{Wall: true, Output: true, Size: true},
	}
}

// initData is constant for a Config.
func (c *Config) initData() vmhost.InitData {
	name := vmhost.KindKubernetes + ":" + c.Name
	return c.Env.InitData(name, name, c.Folders, c.PackVersion)
}

func (c *Config) network() vmhost.NetworkPolicy {
	if c.Env.Network == "" {
		return vmhost.NetworkDeny
	}
	return c.Env.Network
}
