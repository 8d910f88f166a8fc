package sandbox

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"
	"golang.org/x/sys/unix"

	"piwork/pack/guest/landlock"
	"piwork/vmhost"
	"piwork/vmhost/hosted"
)

// groupsDir is where cgroup v2 is mounted, where it is the only one.
const groupsDir = "/sys/fs/cgroup"

// askTime is how long systemd has for an answer.
const askTime = 5 * time.Second

// FindGroups finds the cgroups that this system gives the person; nil for none. Without
// Landlock there are none: a program that can write to all files of its user could take its
// own limits off.
func FindGroups() *Groups {
	if landlock.Version() == 0 || !delegated(groupsDir, os.Getuid()) {
		return nil
	}
	return &Groups{enter: enterScope}
}

// scopeName is a name that no other scope has.
func scopeName() string {
	b := make([]byte, 8)
	_, _ = rand.Read(b) // it does not fail
	return "piwork-sandbox-" + hex.EncodeToString(b) + ".scope"
}

// begin has a process put into its scope. The process waits for that.
func (g *Groups) begin(ctx context.Context, scope string, pid int) error {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	if err := g.enter(ctx, scope, pid); err != nil {
		return g.lost(ctx, fmt.Errorf("a scope of systemd: %w", err))
	}
	return nil
}

// lost notes that there are no cgroups after all, unless who waited for them gave up.
func (g *Groups) lost(ctx context.Context, err error) error {
	if !errors.Is(ctx.Err(), context.Canceled) {
		g.failed.Store(true)
	}
	return &vmhost.FailedError{Runtime: runtimeName, Step: hosted.StepPlace, Reason: vmhost.ReasonHost, Err: err}
}

// notDivided reports whether it is for its cgroup that an agent ended that never spoke.
func notDivided(said string) bool {
	return strings.Contains("\n"+said, "\npiwork-guest: fatal: cgroup")
}

// property is one of a unit's.
type property struct {
	Name  string
	Value dbus.Variant
}

// scopeProperties are those of a scope with one process, which is delegated to it. All that
// is in it has half of the memory of this computer.
func scopeProperties(pid int, memory uint64) []property {
	p := func(name string, value any) property { return property{name, dbus.MakeVariant(value)} }
	return []property{
		p("Description", "piwork: a sandbox"), p("PIDs", []uint32{uint32(pid)}), p("Delegate", true), p("CollectMode", "inactive-or-failed"),
		p("MemoryMax", memory/2), p("TasksMax", uint64(maxTasks)),
	}
}

// memoryOfComputer is how much this computer has, in bytes.
func memoryOfComputer() (uint64, error) {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 0, os.NewSyscallError("sysinfo", err)
	}
	return info.Totalram * uint64(info.Unit), nil
}

// enterScope asks the person's systemd (org.freedesktop.systemd1) for a scope. It puts the
// process there later, and removes the scope with the last process in it.
func enterScope(ctx context.Context, scope string, pid int) error {
	memory, err := memoryOfComputer()
	if err != nil {
		return err
	}
	bus, err := dbus.Connect(busAddress(), dbus.WithContext(ctx)) // which starts none, as the session's own would
	if err != nil {
		return err
	}
	defer bus.Close()
	type unit struct { // none besides the scope
		Name       string
		Properties []property
	}
	var job dbus.ObjectPath
	return bus.Object("org.freedesktop.systemd1", "/org/freedesktop/systemd1").CallWithContext(
		ctx, "org.freedesktop.systemd1.Manager.StartTransientUnit", 0,
		scope, "fail", scopeProperties(pid, memory), []unit{},
	).Store(&job)
}

// busAddress is where the bus of the person listens.
func busAddress() string {
	if address := os.Getenv("DBUS_SESSION_BUS_ADDRESS"); address != "" {
		return address
	}
	return "unix:path=/run/user/" + strconv.Itoa(os.Getuid()) + "/bus"
}
