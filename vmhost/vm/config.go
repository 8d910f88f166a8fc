package vm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"time"

	"piwork/vmhost"
	"piwork/vmhost/clock"
	"piwork/vmhost/qemu"
)

// Hardware is what a VM and a machine that a factory makes ahead of it have in
// common, with the versions of their software. Image and Accel are needed.
type Hardware struct {
	Image       qemu.Image
	Accel       qemu.Accel
	CPU         string // -cpu as the proof boot found it (qemu.Proof.CPU); "" tries the ladder
	MemoryMB    int    // MiB, 0 is qemu.DefaultMemoryMB
	CPUs        int    // 0 is 1
	AppVersion  string
	PackVersion string

	// BootTime is how long the proof boot took to the agent, 0 when unknown. It
	// scales how much silence is too much.
	BootTime time.Duration
}

// Config says what a VM is made of. Dir is needed.
type Config struct {
	Hardware // a smaller limit of Env.Limits wins over MemoryMB

	// Dir is private to this VM: its overlay and its logs (qemu.QEMULog,
	// qemu.ConsoleLog). It is made; Close leaves the logs in it.
	Dir string

	// RunDir is a short private directory for sockets, "" for a fresh one in
	// the system's place for such. Close removes it when nothing else is in it.
	RunDir string

	Env     vmhost.ExecutionEnv
	Folders []vmhost.FolderInView // as programs see them; InitData's

	// ServeFS serves the folders, messages of 9p, on conn until that ends or ctx does;
	// nil for a VM without folders. When it returns earlier, the VM has failed.
	ServeFS func(ctx context.Context, conn io.ReadWriteCloser) error

	// State says that what ServeFS serves has a state (share.Set.AddState), which
	// the guest finds at wire.StateDir. There may be no folders beside it.
	State bool

	// ServeDevice, when not nil, serves the same folders to a device of the machine
	// that connects to l (vhost-user), until ctx ends, which is after the machine
	// did; it closes l. It is the faster way, and used where it can be; with
	// whatever is in its way, ServeFS is used in the same Connect, unless the runtime
	// knows no other way (ErrNoWay). When it returns earlier, the VM has failed.
	ServeDevice func(ctx context.Context, l net.Listener) error

	// ServeNet, when not nil, serves what programs in the guest find at
	// wire.GatewayAddr: conn carries the streams of vmhost/wire/mux, of which it is
	// the host's side (mux.Host), until conn or ctx ends. It may be called again
	// after it returned, with another conn.
	ServeNet func(ctx context.Context, conn io.ReadWriteCloser) error

	// NIC, when not nil, is the machine's network card. Without one the guest has
	// no interface but loopback; Env.Network is NetworkDeny then, and is not with
	// one.
	NIC *NIC

	// Cache, when not nil, is the disk that the guest finds at wire.CacheDir.
	Cache *Cache

	// OnLink, when not nil, hears that a link (LinkGateway, LinkNetwork) of a
	// machine that goes on is not served, and why. It must not block.
	OnLink func(link string, err error)

	// OpenFolders, when not nil, waits until ServeDevice would answer at once.
	OpenFolders func() error

	// BeforeBoot, when not nil, is called before the files of Image are booted,
	// also where a machine was to come from a factory and does not. Its error ends
	// connecting. A restored machine reads none of them but its disks.
	BeforeBoot func(ctx context.Context) error

	OnStatus vmhost.StatusFunc // may be nil
	Log      *slog.Logger      // nil is slog.Default()
}

const (
	minMemoryMB = 128 // the guest does not boot with less
	runtimeName = vmhost.KindVM
	hostname    = "piwork"
	locale      = "C.UTF-8" // the one that every image has
)

// Capabilities are those of every virtual machine that has an accelerator, and all policies that one can have: it
// enforces the first, or with a network card the others.
func Capabilities() vmhost.Capabilities {
	return vmhost.Capabilities{
		Name: runtimeName, Isolation: vmhost.IsolationHardware, Domain: vmhost.DomainVM,
		Networks: []vmhost.NetworkPolicy{vmhost.NetworkDeny, vmhost.NetworkRestricted, vmhost.NetworkAllow},
		ReadOnly: true, // the file server on the host sees to it
		// CPU and memory of one action are the agent's to limit; the machine's
		// memory, the time and the output are limited on this side too.
		Limits: vmhost.LimitSupport{CPU: true, Memory: true, Wall: true, Output: true, Processes: true, Size: true},
		Tools:  true,
	}
}

// Isolation is how well a machine with an accelerator is kept apart.
func Isolation(accel qemu.Accel) vmhost.Isolation {
	if accel == qemu.AccelTCG { // QEMU alone stands between the guest and this computer
		return vmhost.IsolationEmulated
	}
	return vmhost.IsolationHardware
}

// capabilities of the VM. What a network card may reach is its server's to enforce.
func (c *Config) capabilities() vmhost.Capabilities {
	all := Capabilities()
	all.Isolation = Isolation(c.Accel)
	if all.Networks = all.Networks[:1]; c.NIC != nil {
		all.Networks = all.Networks[1:3]
	}
	return all
}

func (c *Config) check() error {
	switch {
	case len(c.Image.Program) == 0 || c.Image.Kernel == "" || c.Image.RootFS == "" || c.Image.WorkBase == "":
		return errors.New("vm: the image is not whole")
	case len(c.Image.AddOns) > qemu.MaxLayers:
		return fmt.Errorf("vm: %d add-ons, a machine can have %d", len(c.Image.AddOns), qemu.MaxLayers)
	case c.Accel == "":
		return errors.New("vm: no accelerator is named")
	case !filepath.IsAbs(c.Dir):
		return fmt.Errorf("vm: the directory %q is not absolute", c.Dir)
	case c.State && c.ServeFS == nil:
		return errors.New("vm: a state that nobody serves")
	case c.NIC != nil && c.NIC.check() != nil:
		return fmt.Errorf("vm: the network card: %w", c.NIC.check())
	case c.Cache != nil && c.Cache.check() != nil:
		return fmt.Errorf("vm: the cache: %w", c.Cache.check())
	case c.MemoryMB < 0 || c.CPUs < 0:
		return fmt.Errorf("vm: %d MiB and %d CPUs", c.MemoryMB, c.CPUs)
	}
	return nil
}

// checkEnv returns a *vmhost.UnsupportedError for what no VM enforces.
func (c *Config) checkEnv(caps vmhost.Capabilities) error {
	unsupported := func(what string) error { return &vmhost.UnsupportedError{Runtime: caps.Name, What: what} }
	switch {
	case c.Env.OS != "" && c.Env.OS != "linux":
		return unsupported(fmt.Sprintf("the system %q", c.Env.OS))
	case c.Env.Sandbox != "" && c.Env.Sandbox != "vm":
		return unsupported(fmt.Sprintf("the sandbox %q", c.Env.Sandbox))
	case c.Env.Limits.MemoryMB > 0 && c.Env.Limits.MemoryMB < minMemoryMB:
		return unsupported(fmt.Sprintf("a limit of %d MiB of memory", c.Env.Limits.MemoryMB))
	}
	return c.Env.Check(caps)
}

func (c *Config) memoryMB() int {
	m := c.MemoryMB
	m = cmp.Or(m, qemu.DefaultMemoryMB)
	if limit := c.Env.Limits.MemoryMB; limit > 0 {
		m = int(min(int64(m), limit))
	}
	return max(m, minMemoryMB)
}

// initData is constant for a Config.
func (c *Config) initData() vmhost.InitData {
	return c.Env.InitData(runtimeName, "vm", c.Folders, c.PackVersion).Of(c.capabilities())
}

// hardware is what the VM's machines are made of, with its defaults and limits.
func (c *Config) hardware() Hardware {
	hw := c.Hardware
	hw.MemoryMB, hw.CPUs = c.memoryMB(), max(c.CPUs, 1)
	return hw
}

// timing holds how long a machine is waited for. All but evidence and beat is
// time that the machine had (clock).
type timing struct {
	host     clock.Host    // of tests, the zero value is this computer's
	beat     time.Duration // of the machine's clock
	stall    time.Duration // silence while connecting
	restore  time.Duration // for a saved or waiting machine to become a task's
	hung     time.Duration // silence of the agent after a question
	ping     time.Duration // between questions whether it is there
	write    time.Duration // for the guest to take a message
	cancel   time.Duration // for a cancelled action to end
	shutdown time.Duration // for the guest to power off
	again    time.Duration // before a link is plugged anew
	evidence time.Duration // for a better reason, when a connection ends
}

// patience derives it from how long this machine took to boot. The factors
// leave room for a computer that is ten times busier than it was then. A restore
// is a small part of a boot; when it takes longer than several, booting is
// quicker.
func patience(boot time.Duration) timing {
	patient := min(max(45*time.Second, 10*boot), 10*time.Minute)
	return timing{
		beat: clock.Beat, stall: patient, restore: min(max(8*time.Second, 4*boot), time.Minute),
		hung: patient, ping: 10 * time.Second, write: patient,
		cancel: patient, shutdown: 10 * time.Second, again: time.Second, evidence: time.Second,
	}
}
