package container

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"piwork/vmhost"
	"piwork/vmhost/hosted"
	"piwork/vmhost/hosted/folders"
	"piwork/vmhost/wire"
)

// foldersName is where the folders are mounted, in Config.Dir.
const foldersName = "folders"

// doorDir has the way to the network, likewise.
const doorDir = "door"

// serveTime is how long the file server has to end after its mount has.
const serveTime = 10 * time.Second

// place is one container with an agent in it.
type place struct {
	cfg    *Config
	engine *engine
	name   string
	stream *stream // nil until it runs
	said   hosted.Tail
	done   chan struct{}
	exit   error // before done is closed
	user   user
	copies bool               // the folders are copies
	door   func() error       // ends the way to the network; nil before
	at     string             // where the folders are mounted; "" without any
	served chan struct{}      // closed when nothing is served any more; nil before
	stop   context.CancelFunc // of what waits for a person

	mu    sync.Mutex
	lost  error // the folders are served no more
	ended bool  // End was called
}

// open makes the place. Where the engine does not show it the folders, it works on copies of
// them.
func (o *opener) open(ctx context.Context) (hosted.Place, error) {
	o.onCopies = false
	p, err := o.openAs(ctx)
	if _, is := errors.AsType[*unseenError](err); is && o.Copy != nil && !o.onCopies {
		o.Log.Info("a task in a container works on copies of its folders", "why", err)
		o.onCopies = true
		p, err = o.openAs(ctx)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (o *opener) openAs(ctx context.Context) (_ *place, err error) {
	c := o.Config
	p := &place{cfg: c, name: "piwork-" + strings.ToLower(rand.Text()), done: make(chan struct{})}
	if p.engine, err = find(ctx, c); err != nil {
		return nil, err
	}
	o.onCopies = o.onCopies || c.ServeFUSE != nil && p.engine.info.blind
	p.copies = o.onCopies
	live.Store(p.name, true)
	p.user = userFor(p.engine.info, os.Getuid(), os.Getgid())
	c.Log.Info("tasks run in containers", "engine", p.engine.socket, "podman", p.engine.info.podman, "rootless", p.engine.info.rootless)
	for _, step := range []func() error{
		func() error { return p.sweep(ctx) },
		p.makeMountPoint,
		func() error { p.door, err = c.Door.Open(filepath.Join(c.Dir, doorDir), c.Root, c.Log); return err },
		func() error { return p.engine.withImage(ctx, c, func(id string) error { return p.create(ctx, id) }) },
		func() error { return p.run(ctx) },
		func() error { return p.serveFolders(ctx) },
	} {
		if err := step(); err != nil {
			return nil, errors.Join(err, p.clear())
		}
	}
	go p.watch()
	return p, nil
}

// sweep removes what a process that was killed left: its containers, and its mounts.
func (p *place) sweep(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, p.cfg.Answer)
	defer cancel()
	all, err := p.engine.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: make(client.Filters).Add("label", labelOwner+"="+p.cfg.Owner)})
	if err != nil {
		return said("list containers", err)
	}
	for _, id := range leftover(all.Items, p.cfg.Owner) {
		if _, err := p.engine.ContainerRemove(ctx, id, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true}); !isGone(err) {
			return said("remove a container", err)
		}
	}
	return folders.Clear(filepath.Dir(p.cfg.Dir))
}

// leftover are the containers of an owner that are nobody's any more: those of a process
// that was killed, and those of an engine that was lost. One owner has one process at a time.
func leftover(all []container.Summary, owner string) []string {
	var ids []string
	for _, c := range all {
		used := slices.ContainsFunc(c.Names, func(name string) bool {
			_, is := live.Load(strings.TrimPrefix(name, "/"))
			return is
		})
		if c.ID != "" && c.Labels[labelOwner] == owner && !used {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// live are the names of the containers of this process.
var live sync.Map

// user is who a container's programs are.
type user struct {
	id     string // in the container
	owner  int    // on this computer
	others bool   // the kernel has to be told that others than the person get at the folders
}

// userFor is the user of an engine's containers. The kernel shows folders only to the person
// who mounted them, so it is that one; the numbers in a container are those of a machine
// where the engine can have it so. Root mounts for others, too.
func userFor(f facts, uid, gid int) user {
	switch {
	case f.rootless && f.podman:
		return user{id: usual, owner: uid}
	case f.rootless || uid == 0:
		return user{id: usual, owner: userID, others: true}
	}
	return user{id: fmt.Sprintf("%d:%d", uid, gid), owner: uid}
}

// usual is the user and the group in a container, as in a machine.
var usual = fmt.Sprintf("%d:%d", userID, userID)

// makeMountPoint makes the directory that the folders are mounted on.
func (p *place) makeMountPoint() error {
	if p.copies {
		return os.MkdirAll(filepath.Join(p.cfg.Dir, copiesName), 0o700)
	}
	if p.cfg.ServeFUSE == nil {
		return nil
	}
	at := filepath.Join(p.cfg.Dir, foldersName)
	if err := os.MkdirAll(at, 0o700); err != nil {
		return err
	}
	at, err := filepath.EvalSymlinks(at) // as it is in mountinfo
	if err != nil {
		return err
	}
	p.at = at
	if err := folders.Spread(at); err != nil {
		return unseen(err.Error())
	}
	return nil
}

// serveFolders mounts the folders on this computer, from where they come into the container
// that runs: its /folders is a slave of the directory that they are mounted on. They are
// not there before, because an engine without the rights of root makes the container as a
// user to whom the kernel does not show them.
func (p *place) serveFolders(ctx context.Context) error {
	if p.at == "" {
		return nil
	}
	device, err := folders.Mount(ctx, p.at, p.user.others)
	if err != nil {
		return vmhost.NotMounted(runtimeName, err.Error())
	}
	p.served = make(chan struct{})
	serving, stop := context.WithCancel(context.Background())
	p.stop = stop
	go func() {
		defer close(p.served)
		defer device.Close()
		err := p.cfg.ServeFUSE(serving, device, p.user.owner)
		if err == nil {
			err = errors.New("the file server ended")
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		if !p.ended {
			p.lost = err
			go func() { _ = p.kill() }() // what is left, End removes or says
		}
	}()
	return p.ask(ctx, p.seesFolders)
}

// firstProcess is the number of the container's first process, on the computer of the engine; 0
// where it does not run.
func (p *place) firstProcess(ctx context.Context) (int, error) {
	got, err := p.engine.ContainerInspect(ctx, p.name, client.ContainerInspectOptions{})
	if err != nil {
		return 0, said("inspect the container", err)
	}
	if got.Container.State == nil {
		return 0, nil
	}
	return got.Container.State.Pid, nil
}

// seesFolders makes sure that the container has the folders, and not the directory that is
// below them: an engine can be on another computer, or in a machine on this one.
func (p *place) seesFolders(ctx context.Context) error {
	pid, err := p.firstProcess(ctx)
	if err != nil {
		return err
	}
	if pid <= 0 {
		return errors.New("the container does not run")
	}
	is, err := folders.Is(p.at, pid, wire.FoldersDir)
	if err == nil && !is {
		err = errors.New("it is not mounted in the container")
	}
	if err != nil {
		return unseen("the engine does not see what piwork mounts: " + err.Error())
	}
	return nil
}

// doorDir is the directory with the way to the network; "" without.
func (p *place) doorDir() string {
	if p.cfg.Door == nil {
		return ""
	}
	return filepath.Join(p.cfg.Dir, doorDir)
}

// create makes the container of an image.
func (p *place) create(ctx context.Context, image string) error {
	c, e := p.cfg, p.engine
	a := arrangement{
		image: image, owner: c.Owner, engine: e.info,
		user: p.user.id, folders: p.at, copies: p.copies, door: p.doorDir(), disk: c.Env.Limits.DiskMB << 20, processes: c.Size.processes,
	}
	if e.info.memory > 0 {
		a.memory = cmp.Or(int64(c.Size.MemoryMB)<<20, e.info.memory/2)
	}
	if e.info.cpus {
		a.cpus = min(c.Size.CPUs, float64(runtime.NumCPU())) // Docker takes no more than there are
	}
	spec := specification(a)
	spec.Name = p.name
	err := p.ask(ctx, func(ctx context.Context) error { _, err := e.ContainerCreate(ctx, spec); return err })
	if err != nil {
		return p.explain("make a container", err)
	}
	return p.ask(ctx, func(ctx context.Context) error { return p.isOf(ctx, image) })
}

// run attaches to the container and starts it.
func (p *place) run(ctx context.Context) error {
	start := func(ctx context.Context) error {
		_, err := p.engine.ContainerStart(ctx, p.name, client.ContainerStartOptions{})
		return err
	}
	if err := p.ask(ctx, p.attach); err != nil {
		// Podman makes the container ready then, and says best why it could not when it is
		// started.
		if serr := p.ask(ctx, start); serr != nil {
			err = serr
		}
		return p.explain("attach to the container", err)
	}
	if err := p.ask(ctx, start); err != nil {
		return p.explain("start the container", err)
	}
	return p.ask(ctx, p.isFiltered)
}

// isOf makes sure that the container is of the image with the ID, before anything of it runs.
func (p *place) isOf(ctx context.Context, image string) error {
	got, err := p.engine.ContainerInspect(ctx, p.name, client.ContainerInspectOptions{})
	if err != nil {
		return said("inspect the container", err)
	}
	if is := imageID(got.Container.Image); is != image {
		return lost(fmt.Errorf("the engine made a container of %q in place of %q", is, image))
	}
	return nil
}

// ask asks the engine something, in its time.
func (p *place) ask(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, p.cfg.Answer)
	defer cancel()
	return f(ctx)
}

// attach connects to the container's streams, on a connection of their own.
func (p *place) attach(ctx context.Context) error {
	var conn *bounded
	cl, err := newClient(p.engine.socket, func(b *bounded) { conn = b })
	if err != nil {
		return err
	}
	defer cl.Close() // the stream is no connection of it any more
	got, err := cl.ContainerAttach(ctx, p.name, client.ContainerAttachOptions{Stream: true, Stdin: true, Stdout: true, Stderr: true})
	if err != nil {
		return err
	}
	conn.freed.Store(true)
	p.stream = newStream(got.Conn, got.Reader, &p.said)
	return nil
}

// explain is the error of an engine that was to run the container.
func (p *place) explain(what string, err error) error {
	if p.at != "" && strings.Contains(err.Error(), p.at) {
		return unseen("the engine does not take a directory of this computer: " + err.Error())
	}
	return said(what, err)
}

// said is the error of an engine: what it refused, or else that it is lost.
func said(what string, err error) error {
	var refused refusedError
	for _, is := range []func(error) bool{
		errdefs.IsInvalidArgument, errdefs.IsNotFound, errdefs.IsConflict, errdefs.IsUnauthorized, errdefs.IsPermissionDenied,
		errdefs.IsInternal, errdefs.IsNotImplemented, errdefs.IsFailedPrecondition,
	} {
		if is(err) || errors.As(err, &refused) {
			return fmt.Errorf("the container engine: %s: %w", what, err)
		}
	}
	if errors.Is(err, context.Canceled) {
		return err
	}
	return lost(fmt.Errorf("%s: %w", what, err))
}

// watch notices the end of the container by that of its streams, and finds out why.
func (p *place) watch() {
	<-p.stream.over
	ctx, cancel := context.WithTimeout(context.Background(), p.cfg.Answer)
	defer cancel()
	w := p.engine.ContainerWait(ctx, p.name, client.ContainerWaitOptions{Condition: container.WaitConditionNotRunning})
	select {
	case r := <-w.Result:
		p.exit = fmt.Errorf("the container ended with %d", r.StatusCode)
	case err := <-w.Error:
		if p.exit = lost(err); errdefs.IsNotFound(err) {
			p.exit = errors.New("the container ended")
		}
	}
	close(p.done)
}

// kill ends everything in the container and removes it.
func (p *place) kill() error {
	err := p.ask(context.Background(), func(ctx context.Context) error {
		_, err := p.engine.ContainerRemove(ctx, p.name, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
		return err
	})
	if !isGone(err) {
		return said("remove the container", err)
	}
	return nil
}

// Conn implements hosted.Place, as do the others.
func (p *place) Conn() net.Conn        { return p.stream }
func (p *place) Done() <-chan struct{} { return p.done }
func (p *place) Evidence() string      { return p.said.String() }

// Exit says how the container ended, or why it had to.
func (p *place) Exit() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lost != nil {
		return &vmhost.FailedError{Runtime: runtimeName, Reason: vmhost.ReasonShare, Err: p.lost}
	}
	return p.exit
}

// End ends what is left, and removes it.
func (p *place) End() error {
	err := p.clear()
	<-p.done
	return err
}

// clear removes the container, the mount and the directory.
func (p *place) clear() error {
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	defer live.Delete(p.name)
	if p.stop != nil {
		p.stop() // who waits for a person cannot be killed
	}
	err := p.kill()
	if p.stream != nil {
		_ = p.stream.Close()
	}
	_ = p.engine.Close()
	if p.door != nil {
		err = errors.Join(err, p.door())
	}
	if p.copies {
		return errors.Join(err, os.RemoveAll(filepath.Join(p.cfg.Dir, copiesName)), removeEmpty(p.cfg.Dir))
	}
	if p.at == "" {
		if p.cfg.Door != nil {
			err = errors.Join(err, removeEmpty(p.cfg.Dir))
		}
		return err
	}
	if p.served != nil {
		// A container that cannot be removed keeps its mount, and the file server would go on.
		if uerr := folders.Unmount(p.at, err != nil); uerr != nil {
			return errors.Join(err, uerr)
		}
		select {
		case <-p.served:
		case <-time.After(serveTime):
			err = errors.Join(err, errors.New("the folders are still served"))
		}
	}
	folders.Unspread(p.at)
	return errors.Join(err, os.Remove(p.at), removeEmpty(p.cfg.Dir))
}

// removeEmpty removes the directory, unless somebody else has something in it.
func removeEmpty(dir string) error {
	err := os.Remove(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
