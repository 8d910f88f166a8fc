package container

import (
	"cmp"
	"fmt"
	"path"
	"strconv"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/mount"
	"github.com/moby/moby/client"

	"piwork/vmhost/hosted"
	"piwork/vmhost/wire"
)

// Where things are in a container besides those of every runtime.
const (
	ownDir    = "/piwork"
	agentPath = ownDir + "/guest"
	home      = hosted.Home
	hostname  = "piwork"
)

// Labels of containers and images.
const (
	labelOwner = "piwork.owner" // Config.Owner
	labelImage = "piwork.image" // of images: Config.Digest
)

// userID is the user and the group in a container, as in a machine.
const userID = 1000

// maxProcesses bounds the processes and threads of a container.
const maxProcesses = 2048

// arrangement is what a container is put together of.
type arrangement struct {
	image     string // its ID
	owner     string
	engine    facts
	memory    int64 // in bytes; 0 is no limit
	disk      int64 // what programs may write besides the folders, in bytes; 0 is as memory has it
	cpus      float64
	user      string // and group
	folders   string // where the folders are going to be mounted on this computer; "" without any
	door      string // the directory of this computer with the way to the network; "" for none
	processes int    // how many there may be; 0 is maxProcesses
	copies    bool   // the folders are copies, in memory as all else that programs write
}

// specification is the request for a container.
func specification(a arrangement) client.ContainerCreateOptions {
	none := false
	all := hosted.Scratch(a.disk, a.memory, a.engine.computer/2)
	c := &container.Config{
		Image: a.image, Hostname: hostname, User: a.user, WorkingDir: "/",
		Labels:      map[string]string{labelOwner: a.owner},
		AttachStdin: true, AttachStdout: true, AttachStderr: true, OpenStdin: true, StdinOnce: true,
		Entrypoint: []string{agentPath}, Cmd: []string{"serve"},
	}
	if a.processes > 0 { // the agent bounds them where users have numbers of their own
		c.Cmd = append(c.Cmd, "--processes", strconv.Itoa(a.processes))
	}
	c.Cmd = append(c.Cmd, wire.WorkDir, "/tmp", home, "/dev")
	h := &container.HostConfig{
		NetworkMode: "none", ReadonlyRootfs: true, AutoRemove: true, Init: &none, IpcMode: "private",
		CapDrop: []string{"ALL"}, SecurityOpt: []string{"no-new-privileges"},
		LogConfig: container.LogConfig{Type: "none"},
		Tmpfs:     map[string]string{},
		Resources: container.Resources{Memory: a.memory, MemorySwap: a.memory, NanoCPUs: int64(a.cpus * 1e9)},
	}
	for dir, share := range sharesOf(a) {
		size := hosted.Share(all, share)
		if dir == shm {
			h.ShmSize = size
			continue
		}
		// Programs may be run from it, as in a machine.
		h.Tmpfs[dir] = fmt.Sprintf("rw,exec,nosuid,nodev,size=%d,mode=1777", size)
	}
	if a.engine.processes {
		processes := int64(cmp.Or(a.processes, maxProcesses))
		h.PidsLimit = &processes
	}
	if a.engine.rootless && a.engine.podman {
		// The person's own number, so that the folders are the program's.
		h.UsernsMode = container.UsernsMode(fmt.Sprintf("keep-id:uid=%d,gid=%d", userID, userID))
	}
	if a.folders != "" {
		h.Mounts = append(h.Mounts, mount.Mount{
			Type: mount.TypeBind, Source: a.folders, Target: wire.FoldersDir, BindOptions: &mount.BindOptions{Propagation: mount.PropagationRSlave},
		})
		c.Cmd = append(c.Cmd, wire.FoldersDir)
	}
	if a.door != "" {
		h.Mounts = append(h.Mounts, mount.Mount{Type: mount.TypeBind, Source: a.door, Target: doorPath, ReadOnly: true})
	}
	if a.copies {
		c.Cmd = append(c.Cmd, wire.FoldersDir)
	}
	return client.ContainerCreateOptions{Config: c, HostConfig: h}
}

// sharesOf are the parts of what programs may write, of sixteen. In a container that has
// copies of folders besides, these are most of what is there.
func sharesOf(a arrangement) map[string]int64 {
	if !a.copies {
		return hosted.ScratchShares
	}
	return map[string]int64{wire.WorkDir: 4, "/tmp": 2, home: 1, wire.FoldersDir: 7, wire.FoldersDir + "/" + wire.StateName: 1, shm: 1}
}

// shm is the directory that the engine has a bound of its own for.
const shm = "/dev/shm"

// imageOptions label an image.
func imageOptions(digest, owner string) client.ImageImportOptions {
	label := func(name, value string) string { return "LABEL " + name + "=" + strconv.Quote(value) }
	return client.ImageImportOptions{Changes: []string{label(labelImage, digest), label(labelOwner, owner)}}
}

// own are the names in the root that an image has its own of.
var own = map[string]bool{
	"proc": true, "dev": true, "sys": true, "run": true, "tmp": true, "home": true, "boot": true, path.Base(ownDir): true,
	path.Base(wire.WorkDir): true, path.Base(wire.FoldersDir): true, path.Base(wire.StateDir): true,
}
