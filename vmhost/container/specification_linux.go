package container

import (
	"fmt"
	"path"
	"path/filepath"
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
	proofPath = ownDir + "/folder" // a folder, so that the engine finds it or refuses
	home      = "/home/piwork"
	hostname  = "piwork"
)

// Labels of containers and images.
const (
	labelOwner   = "piwork.owner"   // Config.Owner
	labelProcess = "piwork.process" // of containers: the process that made it
	labelImage   = "piwork.image"   // of images: Config.Digest
)

// userID is the user and the group in a container, as in a machine.
const userID = 1000

// maxTmp is how much fits in each directory that is in memory, in bytes.
const maxTmp = 1 << 30

// maxProcesses bounds the processes and threads of a container.
const maxProcesses = 2048

// arrangement is what a container is put together of.
type arrangement struct {
	image   string // its ID
	owner   string
	process string
	engine  facts
	memory  int64 // in bytes; 0 is no limit
	cpus    float64
	folders string // where the folders are mounted on this computer; "" without any
	first   string // the name of one of them; "" without any
	state   bool
}

// specification is the request for a container.
func specification(a arrangement) client.ContainerCreateOptions {
	user := strconv.Itoa(userID) + ":" + strconv.Itoa(userID)
	none, processes := false, int64(maxProcesses)
	c := &container.Config{
		Image: a.image, Hostname: hostname, User: user, WorkingDir: "/",
		Labels:      map[string]string{labelOwner: a.owner, labelProcess: a.process},
		AttachStdin: true, AttachStdout: true, AttachStderr: true, OpenStdin: true, StdinOnce: true,
		Entrypoint: []string{agentPath}, Cmd: []string{"serve", wire.WorkDir, "/tmp", home, "/dev"},
		Volumes: map[string]struct{}{wire.WorkDir: {}},
	}
	h := &container.HostConfig{
		NetworkMode: "none", ReadonlyRootfs: true, AutoRemove: true, Init: &none, IpcMode: "private",
		CapDrop: []string{"ALL"}, SecurityOpt: []string{"no-new-privileges"},
		LogConfig: container.LogConfig{Type: "none"},
		Tmpfs: map[string]string{
			"/tmp": tmpfs(a.memory), home: tmpfs(a.memory),
		},
		Resources: container.Resources{PidsLimit: &processes, Memory: a.memory, MemorySwap: a.memory, NanoCPUs: int64(a.cpus * 1e9)},
	}
	if a.engine.rootless && a.engine.podman {
		// The person's own number, so that the folders are the program's.
		h.UsernsMode = container.UsernsMode(fmt.Sprintf("keep-id:uid=%d,gid=%d", userID, userID))
	}
	if a.folders != "" {
		h.Mounts = append(h.Mounts, bind(a.folders, wire.FoldersDir))
		c.Cmd = append(c.Cmd, wire.FoldersDir)
		if a.first != "" {
			proof := bind(filepath.Join(a.folders, a.first), proofPath)
			proof.ReadOnly = true
			h.Mounts = append(h.Mounts, proof)
		}
	}
	if a.state {
		h.Mounts = append(h.Mounts, bind(filepath.Join(a.folders, wire.StateName), wire.StateDir))
		c.Cmd = append(c.Cmd, wire.StateDir)
	}
	return client.ContainerCreateOptions{Config: c, HostConfig: h}
}

// tmpfs are the options of a directory in memory. It is full before the memory is:
// otherwise the agent would end. Programs may be run from it, as in a machine.
func tmpfs(memory int64) string {
	size := int64(maxTmp)
	if memory > 0 {
		size = min(size, memory/4)
	}
	return fmt.Sprintf("rw,exec,nosuid,nodev,size=%d,mode=1777", size)
}

func bind(from, to string) mount.Mount {
	return mount.Mount{Type: mount.TypeBind, Source: from, Target: to, BindOptions: &mount.BindOptions{Propagation: mount.PropagationRPrivate}}
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
