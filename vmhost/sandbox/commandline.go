package sandbox

import (
	"path"
	"strconv"

	"piwork/vmhost/hosted"
	"piwork/vmhost/wire"
)

// Where things are in a sandbox besides those of every runtime.
const (
	agentPath = "/run/piwork/guest"
	groupPath = "/run/piwork/group" // the cgroup that is the agent's, where there is one
	doorPath  = "/run/piwork/net"   // the way to the network, where there is one
	home      = hosted.Home
)

// userID is the user and the group in a sandbox, as in a machine.
const userID = 1000

// tmpBytes is how much fits in each of the three directories that are in memory in any case;
// less where that were nearly half of this computer's.
const tmpBytes = 1 << 30

// layout is what a sandbox is put together of: paths of this computer.
type layout struct {
	root    string  // of the tree
	entries []entry // what is in it
	agent   string
	work    string // becomes wire.WorkDir
	folders string // where the folders are mounted; "" without any
	door    string // has the way to the network; "" for none
	state   bool   // there is a state in them
	disk    int64  // how many bytes programs may write in all, besides the folders; 0 is as many as there are
	memory  int64  // of this computer, in bytes; 0 is not known
	most    int    // how many processes programs may have at once; 0 is as many as the agent says
	group   string // the name of the cgroup in which bubblewrap is; "" for none of its own
}

// entry is a name in the root of the tree: a directory, or a link to somewhere.
type entry struct{ name, link string }

// own are the names in the root that a sandbox has its own of.
var own = map[string]bool{
	"proc": true, "dev": true, "sys": true, "run": true, "tmp": true, "home": true, "boot": true,
	path.Base(wire.WorkDir): true, path.Base(wire.FoldersDir): true, path.Base(wire.StateDir): true,
}

// arguments is the command line of bubblewrap, without its name. A cgroup's name in it is
// for whoever starts bubblewrap to make a directory ([commandLine]). With one there is no
// namespace of cgroups: from inside of one the agent could bound nobody.
//
// Where people get no user namespaces there is no sandbox, and none of Landlock alone under its
// name. Without a mount namespace a program would see all of this computer's files, and Landlock
// (its version 7, Linux 6.15) has no right for what it then could do to them: change modes,
// times and attributes of each file of the person. A filter cannot tell those files from the
// task's, and the pack's tools set modes and times. It does not cover sockets that are files,
// such as Docker's and the bus of the session, and covers signals to the person's other
// programs only since version 6 (Linux 6.12): Ubuntu 24.04, whose AppArmor denies namespaces,
// came with 6.8. That is what vmhost/host is, which says that it keeps nothing apart.
func arguments(l layout) []string {
	args := []string{
		"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net",
		"--uid", strconv.Itoa(userID), "--gid", strconv.Itoa(userID), "--hostname", hostname,
		"--cap-drop", "ALL", "--new-session", "--die-with-parent", "--as-pid-1", "--clearenv",
	}
	if l.group == "" {
		args = append(args, "--unshare-cgroup-try")
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
	tmpfs := func(mode, dir string) []string {
		return []string{"--perms", mode, "--size", strconv.FormatInt(l.size(dir), 10), "--tmpfs", dir}
	}
	args = append(append(args, "--proc", "/proc", "--dev", "/dev"), tmpfs("1777", "/dev/shm")...)
	args = append(append(args, "--remount-ro", "/dev"), tmpfs("1777", "/tmp")...)
	args = append(append(args, tmpfs("0700", home)...), "--ro-bind", l.agent, agentPath)
	if l.disk > 0 { // nothing bounds what is on the disk of this computer
		args = append(args, tmpfs("0700", wire.WorkDir)...)
	} else {
		args = append(args, "--bind", l.work, wire.WorkDir)
	}
	serve := []string{agentPath, "serve"}
	if l.most > 0 {
		serve = append(serve, "--processes", strconv.Itoa(l.most))
	}
	if l.group != "" {
		args, serve = append(args, "--bind", l.group, groupPath), append(serve, "--group", groupPath)
	}
	if l.door != "" {
		args = append(args, "--ro-bind", l.door, doorPath)
	}
	writable := []string{wire.WorkDir, "/tmp", home, "/dev"}
	if l.folders != "" {
		args = append(args, "--bind", l.folders, wire.FoldersDir)
		writable = append(writable, wire.FoldersDir)
	}
	if l.state {
		args = append(args, "--bind", path.Join(l.folders, wire.StateName), wire.StateDir)
		writable = append(writable, wire.StateDir)
	}
	args = append(append(args, "--remount-ro", "/", "--chdir", "/", "--"), serve...)
	return append(args, writable...)
}

// size is how much fits in a directory that is in memory. With a limit all that programs write
// is, and they have it together.
func (l layout) size(dir string) int64 {
	switch {
	case l.disk > 0:
		return hosted.Share(hosted.Scratch(l.disk, l.memory/2), hosted.ScratchShares[dir])
	case l.memory > 0:
		return min(tmpBytes, l.memory/8)
	}
	return tmpBytes
}

// commandLine is that of a sandbox. Where there are folders, or a cgroup, the agent comes
// before bubblewrap: it mounts them, and divides it.
func commandLine(l layout, bubblewrap string) []string {
	argv := append([]string{bubblewrap}, arguments(l)...)
	switch {
	case l.group != "":
		return append([]string{l.agent, "mounted", "--group", l.group, l.folders}, argv...)
	case l.folders != "":
		return append([]string{l.agent, "mounted", l.folders}, argv...)
	}
	return argv
}
