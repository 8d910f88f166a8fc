package execution

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Group is one cgroup v2 (Documentation/admin-guide/cgroup-v2.rst). A nil
// Group stands for a system without cgroups: it bounds and kills nothing.
type Group struct{ dir string }

// GroupLimits bound a cgroup. Zero leaves a bound to the parent.
type GroupLimits struct {
	Memory     int64 // bytes
	Pids       int
	Processors int   // that may be busy at a time
	OOMGroup   bool  // out of memory ends all of it, not one process
	IO         int64 // bytes per second, from and to each disk; shares are none
}

// controllers are what executions are bounded by. A kernel may be without the
// last one, and then nothing bounds what goes to disks.
var controllers = []string{"memory", "pids", "cpu", ioController}

const ioController = "io"

// cpuPeriod is over how long the use of processors is bounded, in microseconds:
// the kernel's own choice.
const cpuPeriod = 100_000

// NewGroup makes the cgroup dir below an existing one, with room for children.
func NewGroup(dir string, limits GroupLimits) (*Group, error) {
	if err := delegate(filepath.Dir(dir)); err != nil {
		return nil, err
	}
	g, err := newGroup(dir, limits)
	if err != nil {
		return nil, err
	}
	if err := delegate(dir); err != nil {
		return nil, err
	}
	return g, nil
}

// delegate lets the children of a cgroup have limits. It allows no processes
// in dir itself but for the root.
func delegate(dir string) error {
	for _, c := range controllers {
		err := writeFile(filepath.Join(dir, "cgroup.subtree_control"), "+"+c)
		if err != nil && (c != ioController || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, unix.EINVAL)) {
			return fmt.Errorf("cgroup controller %s: %w", c, err)
		}
	}
	return nil
}

// Child makes a cgroup below g. parent says whether it will have children
// itself instead of processes.
func (g *Group) Child(name string, parent bool, limits GroupLimits) (*Group, error) {
	if g == nil {
		return nil, nil
	}
	c, err := newGroup(filepath.Join(g.dir, name), limits)
	if err != nil {
		return nil, err
	}
	if parent {
		if err := delegate(c.dir); err != nil {
			return nil, errors.Join(err, c.Remove(context.Background()))
		}
	}
	return c, nil
}

func newGroup(dir string, limits GroupLimits) (*Group, error) {
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("cgroup: %w", err)
	}
	g := &Group{dir: dir}
	if err := g.Bound(limits); err != nil {
		return nil, errors.Join(err, os.Remove(dir))
	}
	return g, nil
}

// Bound sets limits; what is zero stays as it is.
func (g *Group) Bound(limits GroupLimits) error {
	if g == nil {
		return nil
	}
	set := map[string]string{}
	if limits.Memory > 0 {
		set["memory.max"] = strconv.FormatInt(limits.Memory, 10)
	}
	if limits.Pids > 0 {
		set["pids.max"] = strconv.Itoa(limits.Pids)
	}
	if limits.Processors > 0 {
		set["cpu.max"] = fmt.Sprintf("%d %d", limits.Processors*cpuPeriod, cpuPeriod)
	}
	if limits.OOMGroup {
		set["memory.oom.group"] = "1"
	}
	for file, value := range set {
		if err := writeFile(filepath.Join(g.dir, file), value); err != nil {
			return fmt.Errorf("cgroup: %w", err)
		}
	}
	if limits.IO > 0 {
		return g.boundIO(limits.IO)
	}
	return nil
}

// boundIO sets how fast the group reads from and writes to each disk. Where the
// kernel bounds no disks, or a disk is gone meanwhile, there is nothing to set.
func (g *Group) boundIO(rate int64) error {
	file := filepath.Join(g.dir, "io.max")
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	list, err := disks(blockDir)
	if err != nil {
		return fmt.Errorf("cgroup: %w", err)
	}
	for _, disk := range list {
		err := writeFile(file, fmt.Sprintf("%s rbps=%d wbps=%d", disk, rate, rate))
		if err != nil && !errors.Is(err, unix.ENODEV) && !errors.Is(err, unix.EOPNOTSUPP) {
			return fmt.Errorf("cgroup: %w", err)
		}
	}
	return nil
}

// blockDir is where the kernel lists disks.
const blockDir = "/sys/block"

// disks are the numbers of all disks that are not in memory, as "254:0".
func disks(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, "ram") || strings.HasPrefix(name, "zram") || strings.HasPrefix(name, "loop") {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, name, "dev"))
		if errors.Is(err, fs.ErrNotExist) { // it was just taken away
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, strings.TrimSpace(string(b)))
	}
	return out, nil
}

// Open opens the cgroup for starting a process in it (clone3(2),
// CLONE_INTO_CGROUP).
func (g *Group) Open() (*os.File, error) { return os.Open(g.dir) }

// Kill ends every process of the cgroup and of its children at once.
func (g *Group) Kill() error {
	if g == nil {
		return nil
	}
	err := writeFile(filepath.Join(g.dir, "cgroup.kill"), "1")
	if errors.Is(err, fs.ErrNotExist) { // it is removed already
		return nil
	}
	return err
}

// CPU returns the processor time used so far, of ended processes too.
func (g *Group) CPU() (time.Duration, error) {
	if g == nil {
		return 0, errors.ErrUnsupported
	}
	n, err := g.stat("cpu.stat", "usage_usec")
	return time.Duration(n) * time.Microsecond, err
}

// MemoryPeak returns the most memory that its processes had together, in bytes.
func (g *Group) MemoryPeak() (int64, error) {
	if g == nil {
		return 0, errors.ErrUnsupported
	}
	b, err := os.ReadFile(filepath.Join(g.dir, "memory.peak")) // since Linux 5.19
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
}

// IO returns how many bytes the processes that live have read and written, from and to
// files, pipes and devices, with those of the ended processes that they waited for
// (proc_pid_io(5): rchar and wchar). A process that is going, and a kernel that does not
// count, add nothing.
func (g *Group) IO() (sum int64) {
	if g == nil {
		return 0
	}
	pids, err := os.ReadFile(filepath.Join(g.dir, "cgroup.procs"))
	if err != nil {
		return 0
	}
	for pid := range strings.FieldsSeq(string(pids)) {
		b, err := os.ReadFile(filepath.Join("/proc", pid, "io"))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(b)) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			if n, err := strconv.ParseInt(value, 10, 64); err == nil && (name == "rchar" || name == "wchar") {
				sum += n
			}
		}
	}
	return sum
}

// OOMKills returns how many of its processes the kernel killed for want of
// memory.
func (g *Group) OOMKills() (int64, error) {
	if g == nil {
		return 0, nil
	}
	return g.stat("memory.events", "oom_kill")
}

// stat reads one key of a flat keyed file.
func (g *Group) stat(file, key string) (int64, error) {
	b, err := os.ReadFile(filepath.Join(g.dir, file))
	if err != nil {
		return 0, err
	}
	lines := bufio.NewScanner(bytes.NewReader(b))
	for lines.Scan() {
		if k, v, ok := strings.Cut(lines.Text(), " "); ok && k == key {
			return strconv.ParseInt(v, 10, 64)
		}
	}
	return 0, fmt.Errorf("%s has no %s", file, key)
}

// Empty reports whether no process is left in the cgroup and its children. It
// is not known without cgroups: then the program itself is all there is.
func (g *Group) Empty() bool {
	if g == nil {
		return true
	}
	populated, err := g.stat("cgroup.events", "populated")
	return err == nil && populated == 0
}

// AwaitEmpty waits until no process is left in the cgroup and its children.
func (g *Group) AwaitEmpty(ctx context.Context) error {
	if g == nil {
		return nil
	}
	events, err := os.Open(filepath.Join(g.dir, "cgroup.events"))
	if err != nil {
		return err
	}
	defer events.Close()
	buf := make([]byte, 256)
	for {
		n, err := events.ReadAt(buf, 0)
		if n == 0 && err != nil {
			return err
		}
		if bytes.Contains(buf[:n], []byte("populated 0")) {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("processes are left in %s: %w", filepath.Base(g.dir), err)
		}
		// A change of the file is POLLPRI; the time-out only serves ctx.
		fds := []unix.PollFd{{Fd: int32(events.Fd()), Events: unix.POLLPRI}}
		if _, err := unix.Poll(fds, 250); err != nil && !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// Remove kills what is left and removes the cgroup with its children.
func (g *Group) Remove(ctx context.Context) error {
	if g == nil {
		return nil
	}
	err := g.Kill()
	if err == nil {
		err = g.AwaitEmpty(ctx)
	}
	return errors.Join(err, removeGroups(g.dir))
}

// removeGroups removes a cgroup after its children.
func removeGroups(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() {
			if err := removeGroups(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return unix.Rmdir(dir)
}

func writeFile(path, value string) error {
	return os.WriteFile(path, []byte(value), 0)
}
