package vmhost

import (
	"cmp"
	"fmt"
	"slices"

	"piwork/vmhost/wire"
)

// NetworkPolicy says which connections leave a Runtime.
type NetworkPolicy string

// Network policies. In a task's record they are called off, restricted and on.
const (
	NetworkDeny       NetworkPolicy = "deny"
	NetworkRestricted NetworkPolicy = "restricted"
	NetworkAllow      NetworkPolicy = "allow"
)

// ExecutionEnv is the environment a task asks for: decided before the Runtime
// exists, unchanged while it lives.
type ExecutionEnv struct {
	OS            string        // of the guest, e.g. "linux"
	Cwd           string        // where commands start; "" is the first folder, else /work
	WorkspaceRoot string        // host path of the first folder, "" without one
	Sandbox       string        // "vm", "container", "sandbox", "none"
	Network       NetworkPolicy // "" is NetworkDeny
	ReadOnlyRoots []string      // host paths that may be read
	WritableRoots []string      // host paths that may be read and changed
	Limits        Limits
}

// Limits bound what a Runtime may use. Zero means no limit of its own.
type Limits struct {
	CPUMS       int64 `json:"cpuMs,omitempty"`       // processor time, ms
	MemoryMB    int64 `json:"memoryMb,omitempty"`    // MiB
	DiskMB      int64 `json:"diskMb,omitempty"`      // MiB that the overlay may grow to
	WallMS      int64 `json:"wallMs,omitempty"`      // wall clock, ms
	OutputBytes int64 `json:"outputBytes,omitempty"` // stdout and stderr of one action
}

// InitData is what a Runtime of Linux says once about itself: its name, what isolates its
// commands, the folders as they see them and the version of the pack.
func (e ExecutionEnv) InitData(runtime, sandbox string, folders []FolderInView, pack string) InitData {
	cwd := e.Cwd
	if cwd == "" {
		cwd = wire.WorkDir
		if len(folders) > 0 {
			cwd = folders[0].Path
		}
	}
	return InitData{
		Runtime: runtime, OS: "linux", Cwd: cwd, Sandbox: sandbox, Network: cmp.Or(e.Network, NetworkDeny),
		Folders: slices.Clone(folders), Pack: pack,
	}
}

// Check returns an UnsupportedError for the first part of e that a Runtime
// with these capabilities cannot enforce.
func (e ExecutionEnv) Check(c Capabilities) error {
	network := cmp.Or(e.Network, NetworkDeny)
	switch {
	case !slices.Contains(c.Networks, network):
		return &UnsupportedError{Runtime: c.Name, What: fmt.Sprintf("network policy %q", network)}
	case len(e.ReadOnlyRoots) > 0 && !c.ReadOnly:
		return &UnsupportedError{Runtime: c.Name, What: "read-only folders"}
	}
	return e.Limits.Check(c)
}

// Check returns an UnsupportedError for the first limit that a Runtime with these
// capabilities cannot enforce.
func (l Limits) Check(c Capabilities) error {
	var what string
	switch {
	case l.CPUMS > 0 && !c.Limits.CPU:
		what = "a limit of processor time"
	case l.MemoryMB > 0 && !c.Limits.Memory:
		what = "a limit of memory"
	case l.DiskMB > 0 && !c.Limits.Disk:
		what = "a limit of disk space"
	case l.WallMS > 0 && !c.Limits.Wall:
		what = "a limit of time"
	case l.OutputBytes > 0 && !c.Limits.Output:
		what = "a limit of output"
	default:
		return nil
	}
	return &UnsupportedError{Runtime: c.Name, What: what}
}
