package container

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"piwork/vmhost"
	"piwork/vmhost/hosted"
)

// process names this process to the engine.
var process = rand.Text()

// foldersName is where the folders are mounted, in Config.Dir.
const foldersName = "folders"

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
	mount  string
	served chan struct{}      // closed when nothing is served any more
	stop   context.CancelFunc // of what waits for a person

	mu    sync.Mutex
	lost  error // the folders are served no more
	ended bool  // End was called
}

// open makes the place.
func (c *Config) open(ctx context.Context) (_ hosted.Place, err error) {
	socket := c.Engine
	if socket == "" {
		if socket, err = Engine(ctx); err != nil {
			return nil, err
		}
	}
	p := &place{cfg: c, name: "piwork-" + strings.ToLower(rand.Text()), done: make(chan struct{})}
	if p.engine, err = p.meet(ctx, socket); err != nil {
		return nil, err
	}
	c.Log.Info("tasks run in containers", "engine", socket, "podman", p.engine.info.podman, "rootless", p.engine.info.rootless)
	image := ""
	for _, step := range []func() error{
		func() error { return p.sweep(ctx) },
		func() error { image, err = p.engine.ensureImage(ctx, c); return err },
		func() error { return p.serveFolders(ctx) },
		func() error { return p.run(ctx, image) },
	} {
		if err := step(); err != nil {
			return nil, errors.Join(err, p.clear())
		}
	}
	go p.watch()
	return p, nil
}

func (p *place) meet(ctx context.Context, socket string) (*engine, error) {
	ctx, cancel := context.WithTimeout(ctx, p.cfg.Answer)
	defer cancel()
	return meet(ctx, socket, p.cfg)
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
	return clearMounts(p.cfg.Dir)
}

// leftover are the containers of an owner that another process made. One owner has one
// process at a time.
func leftover(all []container.Summary, owner string) []string {
	var ids []string
	for _, c := range all {
		if c.ID != "" && c.Labels[labelOwner] == owner && c.Labels[labelProcess] != process {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// live are the directories of the containers of this process that have folders.
var live sync.Map

// clearMounts takes away the mounts beside and in dir that a killed process left: they are
// served by nobody.
func clearMounts(dir string) error {
	info, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return err
	}
	for _, at := range mounted(string(info), filepath.Dir(dir)) {
		if _, is := live.Load(at); is {
			continue
		}
		if err := unmount(at, true); err != nil {
			return fmt.Errorf("folders of a container that is no more: %w", err)
		}
		_ = os.Remove(at)
		_ = os.Remove(filepath.Dir(at)) // unless there is more in it
	}
	return nil
}

// serveFolders mounts the folders on this computer.
func (p *place) serveFolders(ctx context.Context) error {
	c := p.cfg
	if c.ServeFUSE == nil {
		return nil
	}
	at := filepath.Join(c.Dir, foldersName)
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return err
	}
	if err := os.Mkdir(at, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	live.Store(at, true)
	// The numbers of users in a rootless container are others: only this one's own is known.
	own := p.engine.info.rootless
	owner := userID
	if own {
		owner = os.Getuid()
	}
	device, err := mountFolders(ctx, at, !own)
	if err != nil {
		live.Delete(at)
		return errors.Join(unsupported("folders: "+err.Error()), os.Remove(at), os.Remove(c.Dir))
	}
	p.mount, p.served = at, make(chan struct{})
	serving, stop := context.WithCancel(context.Background())
	p.stop = stop
	go func() {
		defer close(p.served)
		defer device.Close()
		err := c.ServeFUSE(serving, device, owner)
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
	return nil
}

// run makes the container, attaches to it and starts it.
func (p *place) run(ctx context.Context, image string) error {
	c, e := p.cfg, p.engine
	a := arrangement{
		image: image, owner: c.Owner, process: process, engine: e.info, memory: int64(c.MemoryMB) << 20, cpus: c.CPUs,
		folders: p.mount, state: c.State,
	}
	if a.memory == 0 {
		a.memory = e.info.memory / 2
	}
	if len(c.Folders) > 0 {
		a.first = path.Base(c.Folders[0].Path)
	}
	spec := specification(a)
	spec.Name = p.name
	err := p.ask(ctx, func(ctx context.Context) error { _, err := e.ContainerCreate(ctx, spec); return err })
	if err != nil {
		return p.explain("make a container", err)
	}
	if err := p.ask(ctx, p.attach); err != nil {
		return p.explain("attach to the container", err)
	}
	err = p.ask(ctx, func(ctx context.Context) error {
		_, err := e.ContainerStart(ctx, p.name, client.ContainerStartOptions{})
		return err
	})
	if err != nil {
		return p.explain("start the container", err)
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
	if p.mount != "" && strings.Contains(err.Error(), p.mount) {
		return unsupported("folders: the engine does not find what piwork mounts: " + err.Error())
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
	if p.stop != nil {
		p.stop() // who waits for a person cannot be killed
	}
	err := p.kill()
	if p.stream != nil {
		_ = p.stream.Close()
	}
	_ = p.engine.Close()
	if p.mount == "" {
		return err
	}
	// A container that cannot be removed keeps its mount, and the file server would go on.
	if uerr := unmount(p.mount, err != nil); uerr != nil {
		return errors.Join(err, uerr)
	}
	live.Delete(p.mount)
	select {
	case <-p.served:
	case <-time.After(serveTime):
		err = errors.Join(err, errors.New("the folders are still served"))
	}
	return errors.Join(err, os.Remove(p.mount), removeEmpty(p.cfg.Dir))
}

// removeEmpty removes the directory, unless somebody else has something in it.
func removeEmpty(dir string) error {
	err := os.Remove(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
