package execution

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"piwork/pack/guest/landlock"
	"piwork/vmhost/wire"
)

// Limits of every program that are not the caller's choice.
const (
	softFiles = 1024   // RLIMIT_NOFILE as programs expect it (select(2))
	hardFiles = 65_536 // up to which they may raise it
)

// Launch becomes the program that the agent described on descriptor 3. It is
// the whole of a process. When it cannot, it tells why on descriptor 4 and
// returns the exit code.
func Launch() int {
	// Credentials and no_new_privs belong to a thread; exec keeps those of the
	// thread that calls it.
	runtime.LockOSThread()
	// Nothing but the standard streams survives exec, whatever was inherited.
	if err := unix.CloseRange(launchSpecFD, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		unix.CloseOnExec(launchStatusFD)
	}
	f := launch()
	status := os.NewFile(launchStatusFD, "status")
	if b, err := json.Marshal(f); err == nil {
		if _, err := status.Write(b); err != nil {
			return 126 // the agent is not there to be told
		}
	}
	return 127
}

func launch() launchFailure {
	spec, err := readSpec()
	if err != nil {
		return failure(stepSpec, "", err)
	}
	if err := setLimits(spec); err != nil {
		return failure(stepLimits, "", err)
	}
	if err := ownIPC(spec); err != nil {
		return failure(stepIdentity, "", err)
	}
	if spec.UID >= 0 {
		if err := dropPrivileges(spec); err != nil {
			return failure(stepIdentity, "", err)
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return failure(stepIdentity, "", err)
	}
	if err := confine(spec); err != nil {
		return failure(stepIdentity, "", err)
	}
	// From here on everything is done with the program's own rights.
	if err := unix.Chdir(spec.Cwd); err != nil {
		return failure(stepCwd, spec.Cwd, err)
	}
	path, err := findProgram(spec.Argv[0], spec.Env)
	if err != nil {
		return failure(stepFind, spec.Argv[0], err)
	}
	path, argv := spec.inTree(path)
	unix.Umask(0o022)
	if spec.Control {
		for _, fd := range []uintptr{wire.ControlIn, wire.ControlOut} {
			if _, err := unix.FcntlInt(fd, unix.F_SETFD, 0); err != nil {
				return failure(stepSpec, "", err)
			}
		}
	}
	return failure(stepExec, path, unix.Exec(path, argv, spec.Env))
}

func readSpec() (launchSpec, error) {
	f := os.NewFile(launchSpecFD, "spec")
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxLaunchSpec))
	if err != nil {
		return launchSpec{}, err
	}
	var spec launchSpec
	if err := json.Unmarshal(b, &spec); err != nil {
		return launchSpec{}, err
	}
	if len(spec.Argv) == 0 || spec.Cwd == "" {
		return launchSpec{}, errors.New("no program or no directory")
	}
	return spec, nil
}

// resourceLimit is one setrlimit(2).
type resourceLimit struct {
	name     string
	resource int
	soft     uint64
	hard     uint64
}

func setLimits(spec launchSpec) error {
	limits := []resourceLimit{
		{"core", unix.RLIMIT_CORE, 0, 0},
		{"files", unix.RLIMIT_NOFILE, softFiles, hardFiles},
	}
	if spec.CPU > 0 { // SIGXCPU, a second later SIGKILL
		limits = append(limits, resourceLimit{"cpu", unix.RLIMIT_CPU, spec.CPU, spec.CPU + 1})
	}
	if spec.FSize > 0 {
		limits = append(limits, resourceLimit{"file size", unix.RLIMIT_FSIZE, spec.FSize, spec.FSize})
	}
	if spec.Processes > 0 {
		limits = append(limits, resourceLimit{"processes", unix.RLIMIT_NPROC, spec.Processes, spec.Processes})
	}
	for _, l := range limits {
		var now syscall.Rlimit
		if err := syscall.Getrlimit(l.resource, &now); err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		hard := min(l.hard, now.Max) // a lower bound of the system stays
		if err := syscall.Setrlimit(l.resource, &syscall.Rlimit{Cur: min(l.soft, hard), Max: hard}); err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
	}
	return nil
}

// ownIPC gives a program that stands apart its own memory, semaphores and queues that are
// found by key or name (ipc_namespaces(7)): those of others of its user would be open to
// it. It takes privileges, which some tests do not have.
func ownIPC(spec launchSpec) error {
	if !spec.Apart {
		return nil
	}
	if err := unix.Unshare(unix.CLONE_NEWIPC); err != nil && (spec.UID >= 0 || !errors.Is(err, unix.EPERM)) {
		return fmt.Errorf("stand apart: %w", err)
	}
	return nil
}

// dropPrivileges makes this thread an ordinary user for good. A program that starts others
// as a user of their own keeps the right to (capabilities(7), "ambient").
func dropPrivileges(spec launchSpec) error {
	uid, gid := spec.UID, spec.GID
	if spec.Programs > 0 {
		gid = spec.Programs
		has, err := capabilities()
		if err != nil {
			return err
		}
		has[0].Inheritable = 1 << unix.CAP_SETUID // while it is in the bounding set
		if err := setCapabilities(has); err != nil {
			return err
		}
		if err := unix.Prctl(unix.PR_SET_KEEPCAPS, 1, 0, 0, 0); err != nil { // until exec
			return fmt.Errorf("keep capabilities: %w", err)
		}
	}
	for capability := range unix.CAP_LAST_CAP + 1 {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(capability), 0, 0, 0)
		if err != nil && !errors.Is(err, unix.EINVAL) { // EINVAL: an older kernel has fewer
			return fmt.Errorf("bounding set: %w", err)
		}
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_SETGROUPS, 0, 0, 0); errno != 0 {
		return fmt.Errorf("setgroups: %w", errno)
	}
	g, u := uintptr(gid), uintptr(uid)
	if _, _, errno := unix.RawSyscall(unix.SYS_SETRESGID, g, g, g); errno != 0 {
		return fmt.Errorf("setresgid: %w", errno)
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, u, u, u); errno != 0 {
		return fmt.Errorf("setresuid: %w", errno)
	}
	if spec.Programs == 0 {
		return nil
	}
	kept := unix.CapUserData{Permitted: 1 << unix.CAP_SETUID, Inheritable: 1 << unix.CAP_SETUID}
	if err := setCapabilities([2]unix.CapUserData{kept}); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_RAISE, unix.CAP_SETUID, 0, 0); err != nil {
		return fmt.Errorf("ambient capability: %w", err)
	}
	return nil
}

// capabilities are those of this thread, the lower half first.
func capabilities() (has [2]unix.CapUserData, err error) {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	if err := unix.Capget(&header, &has[0]); err != nil {
		return has, fmt.Errorf("capget: %w", err)
	}
	return has, nil
}

func setCapabilities(to [2]unix.CapUserData) error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	if err := unix.Capset(&header, &to[0]); err != nil {
		return fmt.Errorf("capset: %w", err)
	}
	return nil
}

// confine takes from this thread what no program needs. Only tests and places without a
// machine, where programs are the agent's user, run on kernels that cannot.
func confine(spec launchSpec) error {
	// What is confined to directories stands apart by the same ruleset: beside one about
	// files, one that is not about them forbids moves between directories.
	if spec.Apart && len(spec.Writable) == 0 {
		if err := standApart(); err != nil && (spec.UID >= 0 || !errors.Is(err, errors.ErrUnsupported)) {
			return fmt.Errorf("stand apart: %w", err)
		}
	}
	version := spec.landlock(landlock.Kernel())
	if len(spec.Writable) > 0 {
		if err := changeOnly(version, spec.Writable, spec.Runnable, spec.Apart); err != nil {
			return err
		}
	}
	return installFilter(spec.Offline, spec.Tree != "" && version > 0 && version < landlock.Truncates)
}

// landlock is the version by which a program is kept, on a kernel with this one. In other places
// the files that are not a task's are not there: nobody pays for more with moves.
func (s launchSpec) landlock(kernel int) int {
	if s.Tree != "" {
		return kernel
	}
	return landlock.Moving(kernel)
}

// findProgram looks a program up as execvp(3) does, in the PATH of the
// program's own environment.
func findProgram(name string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	search := ""
	for _, v := range env {
		if value, ok := strings.CutPrefix(v, "PATH="); ok {
			search = value
		}
	}
	var denied error
	for _, dir := range filepath.SplitList(search) {
		path := filepath.Join(dir, name)
		if dir == "" || !filepath.IsAbs(path) {
			continue
		}
		var st unix.Stat_t
		if unix.Stat(path, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
			continue
		}
		if err := unix.Access(path, unix.X_OK); err != nil {
			denied = err
			continue
		}
		return path, nil
	}
	if denied != nil {
		return "", denied
	}
	return "", unix.ENOENT
}

func failure(step, path string, err error) launchFailure {
	f := launchFailure{Step: step, Path: path, Text: err.Error()}
	if errno, is := errors.AsType[unix.Errno](err); is {
		f.Errno = int(errno)
	}
	return f
}
