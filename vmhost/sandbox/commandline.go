package sandbox

import (
	"path"
	"strconv"

	"piwork/vmhost/wire"
)

// Where things are in a sandbox besides those of every runtime.
const (
	agentPath = "/run/piwork/guest"
	home      = "/home/piwork"
)

// userID is the user and the group in a sandbox, as in a machine.
const userID = 1000

// tmpBytes is how much fits in each directory that is in memory.
const tmpBytes = 1 << 30

// layout is what a sandbox is put together of: paths of this computer.
type layout struct {
	root    string  // of the tree
	entries []entry // what is in it
	agent   string
	work    string // becomes wire.WorkDir
	folders string // where the folders are mounted; "" without any
	state   bool   // there is a state in them
}

// entry is a name in the root of the tree: a directory, or a link to somewhere.
type entry struct{ name, link string }

// own are the names in the root that a sandbox has its own of.
var own = map[string]bool{
	"proc": true, "dev": true, "sys": true, "run": true, "tmp": true, "home": true, "boot": true,
	path.Base(wire.WorkDir): true, path.Base(wire.FoldersDir): true, path.Base(wire.StateDir): true,
}

// arguments is the command line of bubblewrap, without its name.
func arguments(l layout) []string {
	args := []string{
		"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--unshare-net",
		"--uid", strconv.Itoa(userID), "--gid", strconv.Itoa(userID), "--hostname", hostname,
		"--cap-drop", "ALL", "--new-session", "--die-with-parent", "--as-pid-1", "--clearenv",
	}
	for _, e := range l.entries {
		switch {
		case own[e.name]:
		case e.link != "":
			args = append(args, "--symlink", e.link, "/"+e.name)
		default:
			args = append(args, "--ro-bind", path.Join(l.root, e.name), "/"+e.name)
		}
	}
	size := strconv.Itoa(tmpBytes)
	args = append(args,
		"--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--size", size, "--tmpfs", "/dev/shm", "--remount-ro", "/dev",
		"--perms", "1777", "--size", size, "--tmpfs", "/tmp", "--perms", "0700", "--size", size, "--tmpfs", home,
		"--ro-bind", l.agent, agentPath, "--bind", l.work, wire.WorkDir,
	)
	writable := []string{wire.WorkDir, "/tmp", home, "/dev"}
	if l.folders != "" {
		args = append(args, "--bind", l.folders, wire.FoldersDir)
		writable = append(writable, wire.FoldersDir)
	}
	if l.state {
		args = append(args, "--bind", path.Join(l.folders, wire.StateName), wire.StateDir)
		writable = append(writable, wire.StateDir)
	}
	args = append(args, "--remount-ro", "/", "--chdir", "/", "--", agentPath, "serve")
	return append(args, writable...)
}

// mounted is the command line of the process that mounts the folders first.
func mounted(agent, folders, bubblewrap string, args []string) []string {
	return append([]string{agent, "mounted", folders, bubblewrap}, args...)
}
