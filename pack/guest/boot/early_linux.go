package boot

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// mountSpec is one kernel file system.
type mountSpec struct {
	source, target, kind string
	flags                uintptr
	data                 string
	mode                 fs.FileMode // of the mount point when it has to be made
}

// kernelMounts are mounted in this order before anything else. /dev may be
// mounted already by the kernel (CONFIG_DEVTMPFS_MOUNT).
var kernelMounts = []mountSpec{
	{"devtmpfs", "/dev", "devtmpfs", unix.MS_NOSUID | unix.MS_NOEXEC, "mode=0755", 0o755},
	{"proc", "/proc", "proc", unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC, "", 0o555},
	{"sysfs", "/sys", "sysfs", unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC, "", 0o555},
	{"cgroup2", CgroupDir, "cgroup2", unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC, "", 0o755},
	{"devpts", "/dev/pts", "devpts", unix.MS_NOSUID | unix.MS_NOEXEC, "gid=5,mode=0620,ptmxmode=0666", 0o755},
	{"tmpfs", "/dev/shm", "tmpfs", unix.MS_NOSUID | unix.MS_NODEV, "mode=1777,size=50%", 0o1777},
	{"tmpfs", "/run", "tmpfs", unix.MS_NOSUID | unix.MS_NODEV, "mode=0755,size=16m", 0o755},
}

// CgroupDir is where the cgroup v2 hierarchy is mounted.
const CgroupDir = "/sys/fs/cgroup"

// devLinks are what programs expect in /dev besides devices.
var devLinks = map[string]string{
	"/dev/fd":     "/proc/self/fd",
	"/dev/stdin":  "/proc/self/fd/0",
	"/dev/stdout": "/proc/self/fd/1",
	"/dev/stderr": "/proc/self/fd/2",
}

// settings of the kernel that a distribution's init would make: links and
// FIFOs in shared directories cannot be used against another user.
var settings = map[string]string{
	"/proc/sys/fs/protected_symlinks":    "1",
	"/proc/sys/fs/protected_hardlinks":   "1",
	"/proc/sys/fs/protected_fifos":       "1",
	"/proc/sys/fs/protected_regular":     "1",
	"/proc/sys/kernel/dmesg_restrict":    "1",
	"/proc/sys/kernel/kptr_restrict":     "2",
	"/proc/sys/kernel/yama/ptrace_scope": "1",
	// What piwork's own kernel has from its configuration, and Debian's has not: a
	// fault in the kernel ends the machine, and what root could change it with is off.
	"/proc/sys/kernel/panic_on_oops":             "1",
	"/proc/sys/kernel/kexec_load_disabled":       "1",
	"/proc/sys/kernel/sysrq":                     "0",
	"/proc/sys/kernel/unprivileged_bpf_disabled": "1",
	// Programs are refused both by their filter (package execution), too.
	"/proc/sys/user/max_user_namespaces": "0",
	"/proc/sys/kernel/io_uring_disabled": "2",
}

// Early mounts the kernel's file systems, makes the console the standard streams
// and loads the modules that the RPC port needs. It returns the others, for
// [LoadModules]. Only what makes the agent unreachable is an error.
func Early(log *Log) (opts Options, late []string, err error) {
	log.Mark("init")
	for _, m := range kernelMounts {
		if err := mountKernel(m); err != nil {
			if m.target == "/dev" || m.target == "/proc" || m.target == "/sys" {
				return Options{}, nil, err
			}
			log.Fail("mount", err)
		}
	}
	for link, target := range devLinks {
		if err := os.Symlink(target, link); err != nil && !errors.Is(err, fs.ErrExist) {
			log.Fail("link", err)
		}
	}
	if err := useConsole(); err != nil {
		log.Fail("console", err)
	}
	log.Mark("kernelfs")

	line, err := os.ReadFile("/proc/cmdline")
	if err != nil {
		return Options{}, nil, fmt.Errorf("kernel command line: %w", err)
	}
	if opts, err = ParseOptions(string(line)); err != nil {
		log.Fail("kernel command line", err)
	}
	order, err := readModuleOrder(ModulesDir)
	log.Fail("modules", err)
	loadModules(log, ModulesDir, order.Early)
	return opts, order.Late, nil
}

// openFiles is how many descriptors a process may have at most. The kernel
// gives its first process a few thousand, which would bound all that it starts.
const openFiles = 65_536

// Settle does what is needed before programs run and not before the port
// answers: kernel settings, limits and the loopback interface.
func Settle(log *Log) {
	log.Fail("descriptors", syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: openFiles, Max: openFiles}))
	for path, value := range settings {
		err := os.WriteFile(path, []byte(value), 0)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			log.Fail("setting", err)
		}
	}
	log.Fail("loopback", loopbackUp())
}

func mountKernel(m mountSpec) error {
	if err := os.MkdirAll(m.target, m.mode); err != nil {
		return err
	}
	err := unix.Mount(m.source, m.target, m.kind, m.flags, m.data)
	if err != nil && !errors.Is(err, unix.EBUSY) {
		return fmt.Errorf("mount %s on %s: %w", m.kind, m.target, err)
	}
	return nil
}

// useConsole makes /dev/console the standard streams: the kernel does it only
// when the node was in the initramfs.
func useConsole() error {
	fd, err := unix.Open("/dev/console", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("/dev/console: %w", err)
	}
	defer unix.Close(fd)
	for std := range 3 {
		if err := unix.Dup3(fd, std, 0); err != nil {
			return fmt.Errorf("/dev/console: dup: %w", err)
		}
	}
	return nil
}

func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	req, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	if err := unix.IoctlIfreq(fd, unix.SIOCGIFFLAGS, req); err != nil {
		return fmt.Errorf("SIOCGIFFLAGS: %w", err)
	}
	req.SetUint16(req.Uint16() | unix.IFF_UP)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, req); err != nil {
		return fmt.Errorf("SIOCSIFFLAGS: %w", err)
	}
	return nil
}
