package remote

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"piwork/vmhost/wire"
	"piwork/vmhost/wire/resume"
)

// spec is what a place is put together of.
type spec struct {
	Dir     string `json:"dir"` // of the place
	Home    string `json:"home"`
	Root    string `json:"root,omitempty"` // the programs of a pack, in place of the computer's
	User    int    `json:"user"`           // and group, in the place
	Folders bool   `json:"folders"`
	State   bool   `json:"state"`
	Online  bool   `json:"online"`

	Sockets []string `json:"sockets,omitempty"` // of services of the computer, in what is shown of it
}

const (
	statusFD  = 3 // where the place says that it is there
	agentPath = "/run/piwork-guest"
	home      = "/home/piwork" // of programs, in every place without a machine
	tmpBytes  = 1 << 30
)

// shown are the names in the root that programs see of the computer. Of Nix and Guix not what
// their daemons have beside the store, for one their sockets.
var shown = []string{"bin", "sbin", "lib", "lib32", "lib64", "libx32", "usr", "etc", "opt", "nix/store", "nix/var/nix/profiles", "gnu/store"}

// hidden is what they do not see of that, whoever may read it.
var hidden = []string{"etc/shadow", "etc/shadow-", "etc/gshadow", "etc/gshadow-", "etc/ssh", "etc/ssl/private", "etc/sudoers", "etc/sudoers.d"}

// placesOwn are the names in the root that every place has its own of, whatever a pack has.
var placesOwn = map[string]bool{
	"proc": true, "dev": true, "sys": true, "run": true, "tmp": true, "home": true, "boot": true,
	filepath.Base(wire.WorkDir): true, filepath.Base(wire.FoldersDir): true, filepath.Base(wire.StateDir): true,
}

// settings are the computer's own: one whose login is root could change them.
var settings = []string{"proc/sys", "proc/sysrq-trigger", "proc/irq", "proc/bus", "proc/fs"}

// insights are those that nothing needs into the computer's kernel and devices, as of a container.
var insights = []string{"proc/acpi", "proc/asound", "proc/dynamic_debug", "proc/kcore", "proc/keys", "proc/latency_stats", "proc/scsi", "proc/timer_list"}

// devices are those of every place.
var devices = []string{"null", "zero", "full", "random", "urandom", "tty"}

// Place puts the root of the place together and becomes the agent in it. It is started in
// namespaces of its own, with the rights to do so. It returns when it cannot.
func Place(args []string) int {
	// Rights belong to a thread; exec keeps those of the thread that calls it.
	runtime.LockOSThread()
	var s spec
	if len(args) != 1 || json.Unmarshal([]byte(args[0]), &s) != nil {
		return 2
	}
	a := &arranger{at: filepath.Join(s.Dir, rootName)}
	device, err := s.arrange(a)
	if !s.say(device, err) {
		return 1
	}
	if err := s.enter(a); err != nil {
		fmt.Fprintf(os.Stderr, "piwork-guest: %v\n", err)
		return 1
	}
	argv := []string{agentPath, "serve", wire.WorkDir, "/tmp", home, "/dev"}
	if s.Folders {
		argv = append(argv, wire.FoldersDir)
	}
	if s.State {
		argv = append(argv, wire.StateDir)
	}
	fmt.Fprintf(os.Stderr, "piwork-guest: %v\n", unix.Exec(agentPath, argv, os.Environ()))
	return 1
}

// say tells the holder whether the place is there, and hands over the device of its folders.
func (s spec) say(device int, err error) bool {
	a := resume.Answer{}
	var rights []byte
	switch {
	case err != nil:
		a = answerFor(err)
	case device >= 0:
		rights = unix.UnixRights(device)
	}
	text, jerr := json.Marshal(a)
	serr := unix.Sendmsg(statusFD, text, rights, nil, 0)
	_ = unix.Close(statusFD)
	if device >= 0 {
		_ = unix.Close(device)
	}
	return errors.Join(err, jerr, serr) == nil
}

// enter makes what was arranged the root. The state is in the folders, which are served by
// now.
func (s spec) enter(a *arranger) error {
	if os.Getuid() != s.User {
		a.do("leave root", func() error { return become(s.User) })
	}
	if s.State {
		a.mkdir(wire.StateDir, 0o755)
		a.bind(a.path(filepath.Join(wire.FoldersDir, wire.StateName)), wire.StateDir, 0)
	}
	a.do("protect the root", func() error {
		return unix.MountSetattr(unix.AT_FDCWD, a.at, 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
	})
	a.do("enter", func() error { return unix.Chdir(a.at) })
	a.do("change the root", func() error { return unix.PivotRoot(".", ".") })
	a.do("leave the root of the computer", func() error { return unix.Unmount(".", unix.MNT_DETACH) })
	a.do("enter", func() error { return unix.Chdir("/") })
	a.do("drop rights", dropRights)
	return a.err
}

// arranger makes the root at a directory.
type arranger struct {
	at  string
	err error
}

func (a *arranger) path(name string) string { return filepath.Join(a.at, name) }

// do does a step, unless one before failed.
func (a *arranger) do(what string, err func() error) {
	if a.err == nil {
		if e := err(); e != nil {
			a.err = fmt.Errorf("%s: %w", what, e)
		}
	}
}

func (a *arranger) mkdir(name string, mode fs.FileMode) {
	a.do("make "+name, func() error {
		if err := os.MkdirAll(a.path(name), 0o755); err != nil {
			return err
		}
		return os.Chmod(a.path(name), mode)
	})
}

func (a *arranger) mount(source, name, kind string, flags uintptr, options string) {
	a.do("mount "+name, func() error { return unix.Mount(source, a.path(name), kind, flags, options) })
}

// memory mounts a directory in memory.
func (a *arranger) memory(name, mode string, size int) {
	a.mkdir(name, 0o755)
	a.mount("tmpfs", name, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, fmt.Sprintf("mode=%s,size=%d", mode, size))
}

// bind shows what is at from, with all that is mounted in it.
func (a *arranger) bind(from, name string, attributes uint64) {
	a.mount(from, name, "", unix.MS_BIND|unix.MS_REC, "")
	if attributes == 0 {
		return
	}
	a.do("protect "+name, func() error {
		return unix.MountSetattr(unix.AT_FDCWD, a.path(name), unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: attributes})
	})
}

const readOnly = unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV

// arrange makes the root. The device of the folders is -1 without any.
func (s spec) arrange(a *arranger) (device int, err error) {
	device = -1
	a.do("make mounts private", func() error { return unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "") })
	a.mount("tmpfs", "", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=755,size=1m")
	s.programs(a)
	a.devices()
	a.mkdir("proc", 0o755)
	a.mount("proc", "proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
	for _, name := range settings {
		if _, err := os.Lstat(a.path(name)); err == nil {
			a.bind(a.path(name), name, readOnly|unix.MOUNT_ATTR_NOEXEC)
		}
	}
	for _, name := range insights {
		a.hide(name)
	}
	a.memory("tmp", "1777", tmpBytes)
	a.memory(home, "700", tmpBytes)
	a.mkdir("run", 0o755)
	a.do("show the agent", func() error { return os.WriteFile(a.path(agentPath), nil, 0o500) })
	a.do("show the agent", func() error {
		program, err := os.Readlink(self)
		if err == nil {
			err = unix.Mount(program, a.path(agentPath), "", unix.MS_BIND, "")
		}
		return err
	})
	a.mkdir(wire.WorkDir, 0o700)
	a.bind(filepath.Join(s.Dir, workName), wire.WorkDir, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV)
	if os.Getuid() != s.User { // for whom this thread becomes then
		a.do("give the place away", func() error {
			work := a.path(wire.WorkDir)
			return errors.Join(os.Chmod(a.path(agentPath), 0o755), os.Chown(a.path(home), s.User, s.User),
				os.Chown(work, s.User, s.User), os.Chown(filepath.Join(work, "out"), s.User, s.User))
		})
	}
	if a.err != nil {
		return device, &codeError{resume.CodeNamespaces, a.err}
	}
	if s.Folders {
		if device, err = s.folders(a); err != nil {
			return device, &codeError{resume.CodeFUSE, err}
		}
	}
	a.do("name the place", func() error { return unix.Sethostname([]byte("piwork")) })
	if !s.Online {
		a.do("loopback", loopback)
	}
	if a.err != nil {
		return device, &codeError{resume.CodeNamespaces, a.err}
	}
	return device, nil
}

// programs shows those of the computer, or those of a pack.
func (s spec) programs(a *arranger) {
	if s.Root != "" {
		a.do("show the programs", func() error {
			all, err := os.ReadDir(s.Root)
			for _, e := range all {
				if !placesOwn[e.Name()] {
					a.show(filepath.Join(s.Root, e.Name()), e.Name())
				}
			}
			return err
		})
		return
	}
	for _, name := range shown {
		a.show("/"+name, name)
	}
	for _, name := range slices.Concat(hidden, s.Sockets) {
		a.hide(name)
	}
	if s.Home != "/" && s.Home != "" {
		a.hide(strings.TrimPrefix(s.Home, "/"))
	}
}

// maxSockets bounds those that are hidden: they are in an argument (execve(2), MAX_ARG_STRLEN).
const maxSockets = 200

// boundIn are the sockets in what is shown of the computer, of a list as /proc/net/unix: whoever
// may write to one reaches its service, though all is read-only and there is no network.
func boundIn(list string) (names []string) {
	for line := range strings.Lines(list) {
		_, path, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " /")
		if !ok || len(names) == maxSockets {
			continue
		}
		path = filepath.Clean("/" + path)
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
		name := strings.TrimPrefix(path, "/")
		if slices.ContainsFunc(shown, func(s string) bool { return strings.HasPrefix(name, s+"/") }) {
			names = append(names, name)
		}
	}
	return names
}

// show shows what the computer has at a path: a directory, or the link that it is.
func (a *arranger) show(from, name string) {
	info, err := os.Lstat(from)
	if err != nil || a.err != nil {
		return
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		a.do("link "+name, func() error {
			to, err := os.Readlink(from)
			if err == nil {
				err = os.Symlink(to, a.path(name))
			}
			return err
		})
		return
	}
	if info.IsDir() {
		a.mkdir(name, 0o755)
		a.bind(from, name, readOnly)
	}
}

// hide puts nothing over what is there.
func (a *arranger) hide(name string) {
	info, err := os.Lstat(a.path(name))
	switch {
	case err != nil || a.err != nil:
	case info.IsDir():
		a.mount("tmpfs", name, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_RDONLY, "mode=755,size=4k")
	case info.Mode().IsRegular(), info.Mode()&fs.ModeSocket != 0:
		a.mount("/dev/null", name, "", unix.MS_BIND, "")
	}
}

// devices makes /dev.
func (a *arranger) devices() {
	a.mkdir("dev", 0o755)
	a.mount("tmpfs", "dev", "tmpfs", unix.MS_NOSUID, "mode=755,size=64k")
	for _, name := range devices {
		at := "dev/" + name
		a.do("make "+at, func() error { return os.WriteFile(a.path(at), nil, 0o600) })
		a.mount("/"+at, at, "", unix.MS_BIND, "")
	}
	a.mkdir("dev/pts", 0o755)
	a.mount("devpts", "dev/pts", "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620")
	for name, to := range map[string]string{"ptmx": "pts/ptmx", "fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2"} {
		a.do("link "+name, func() error { return os.Symlink(to, a.path("dev/"+name)) })
	}
	a.memory("dev/shm", "1777", tmpBytes)
	a.do("protect dev", func() error {
		return unix.MountSetattr(unix.AT_FDCWD, a.path("dev"), 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
	})
}

// folders mounts them: whoever has the device answers for them.
func (s spec) folders(a *arranger) (int, error) {
	device, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return -1, fmt.Errorf("open /dev/fuse: %w", err)
	}
	a.mkdir(wire.FoldersDir, 0o755)
	options := fmt.Sprintf("fd=%d,rootmode=%o,user_id=%d,group_id=%d,max_read=%d", device, unix.S_IFDIR, s.User, s.User, resume.MaxIO)
	a.mount("piwork", wire.FoldersDir, "fuse.piwork", unix.MS_NOSUID|unix.MS_NODEV, options)
	return device, a.err
}

// loopback brings up the only network of a place that has none.
func loopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	r, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	r.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, r)
}

// become has this thread be a user who is not root, with the rights that it has: what
// [dropRights] takes. The kernel forgets at that with whom it is to end.
func become(user int) error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var rights [2]unix.CapUserData
	for _, step := range []func() error{
		func() error { return unix.Capget(&header, &rights[0]) },
		func() error { return unix.Prctl(unix.PR_SET_KEEPCAPS, 1, 0, 0, 0) },
		func() error { return unix.Setgroups(nil) },
		func() error { return unix.Setresgid(user, user, user) },
		func() error { return unix.Setresuid(user, user, user) },
		func() error { return unix.Capset(&header, &rights[0]) },
		func() error { return unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// dropRights takes all rights from this thread, and from what it becomes.
func dropRights() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("ambient capabilities: %w", err)
	}
	for capability := range unix.CAP_LAST_CAP + 1 {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(capability), 0, 0, 0); err != nil && !errors.Is(err, unix.EINVAL) {
			return fmt.Errorf("bounding set: %w", err)
		}
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return fmt.Errorf("capset: %w", err)
	}
	return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
}
