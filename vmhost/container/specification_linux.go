package container

import (
	"fmt"
	"path"
	"strconv"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/mount"
	"github.com/moby/moby/client"

	"piwork/vmhost/wire"
)

// Where things are in a container besides those of every runtime.
const (
	ownDir    = "/piwork"
	agentPath = ownDir + "/guest"
	home      = "/home/piwork"
	hostname  = "piwork"
)

// Labels of containers and images.
const (
	labelOwner = "piwork.owner" // Config.Owner
	labelImage = "piwork.image" // of images: Config.Digest
)

// userID is the user and the group in a container, as in a machine.
const userID = 1000

// maxScratch is how much programs can write in all, besides the folders, in bytes: all of it
// is in memory, since engines bound what is on the disk only on some file systems.
const maxScratch = 8 << 30

// maxProcesses bounds the processes and threads of a container.
const maxProcesses = 2048

// arrangement is what a container is put together of.
type arrangement struct {
	image   string // its ID
	owner   string
	engine  facts
	memory  int64 // in bytes; 0 is no limit
	disk    int64 // what programs may write besides the folders, in bytes; 0 is as memory has it
	cpus    float64
	user    string // and group
	folders string // where the folders are going to be mounted on this computer; "" without any
	door    string // the directory of this computer with the way to the network; "" for none
	copies  bool   // the folders are copies, in memory as all else that programs write
}

// specification is the request for a container.
func specification(a arrangement) client.ContainerCreateOptions {
	none := false
	c := &container.Config{
		Image: a.image, Hostname: hostname, User: a.user, WorkingDir: "/",
		Labels:      map[string]string{labelOwner: a.owner},
		AttachStdin: true, AttachStdout: true, AttachStderr: true, OpenStdin: true, StdinOnce: true,
		Entrypoint: []string{agentPath}, Cmd: []string{"serve", wire.WorkDir, "/tmp", home, "/dev"},
	}
	h := &container.HostConfig{
		NetworkMode: "none", ReadonlyRootfs: true, AutoRemove: true, Init: &none, IpcMode: "private",
		CapDrop: []string{"ALL"}, SecurityOpt: []string{"no-new-privileges"},
		LogConfig: container.LogConfig{Type: "none"},
		ShmSize:   space(a, shmShare), Tmpfs: map[string]string{},
		Resources: container.Resources{Memory: a.memory, MemorySwap: a.memory, NanoCPUs: int64(a.cpus * 1e9)},
	}
	for dir, share := range sharesOf(a) {
		// Programs may be run from it, as in a machine.
		h.Tmpfs[dir] = fmt.Sprintf("rw,exec,nosuid,nodev,size=%d,mode=1777", space(a, share))
	}
	if a.engine.processes {
		processes := int64(maxProcesses)
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

// shares are the parts, of sixteen, that directories have of what programs may write, and
// shmShare that of /dev/shm.
var shares = map[string]int64{wire.WorkDir: 8, "/tmp": 4, home: 3}

const shmShare = 1

// sharesOf are shares, or those of a container that has copies of folders besides: these are
// most of what is there.
func sharesOf(a arrangement) map[string]int64 {
	if !a.copies {
		return shares
	}
	return map[string]int64{wire.WorkDir: 4, "/tmp": 2, home: 1, wire.FoldersDir: 7, wire.FoldersDir + "/" + wire.StateName: 1}
}

// space is how much fits in a directory with a share. All are full before the memory is:
// otherwise the agent would end, or this computer be without memory where the engine limits
// none.
func space(a arrangement, share int64) int64 {
	all := int64(maxScratch)
	for _, memory := range []int64{a.memory, a.engine.computer / 2} {
		if memory > 0 {
			all = min(all, memory/2)
		}
	}
	if a.disk > 0 {
		all = min(all, a.disk)
	}
	return max(all*share/16, 4<<10) // of nothing engines make no bound
}

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
