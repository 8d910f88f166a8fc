package container

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/system"
	"github.com/moby/moby/client"
	"golang.org/x/sys/unix"

	"piwork/vmhost"
	"piwork/vmhost/hosted"
)

// maxAnswer bounds the answers of an engine on one connection, in bytes.
const maxAnswer = 16 << 20

// engine is Docker's or Podman's, at a socket of this computer.
type engine struct {
	*client.Client
	socket string
	root   atomic.Bool // who made the socket has the rights of root
	podman atomic.Bool
	info   facts
}

// facts are what matters of an engine.
type facts struct {
	identity  string // of the engine and its images, over restarts
	name      string
	version   string
	rootless  bool
	podman    bool
	computer  int64 // its memory, in bytes
	memory    int64 // the same; 0 where the engine cannot limit it
	cpus      bool  // it can limit processors
	offline   bool  // its containers see no socket of this computer
	blind     bool  // its containers cannot be shown what is mounted on this computer
	processes bool  // it can bound their number
}

// sockets are where engines may listen, those that run without the rights of root first.
// env is the environment.
func sockets(env func(string) string, uid int) ([]string, error) {
	if host := env("DOCKER_HOST"); host != "" {
		u, err := url.Parse(host)
		if err != nil || u.Scheme != "unix" || u.Path == "" {
			return nil, unsupported("an engine that is not at a socket of this computer (DOCKER_HOST)")
		}
		return []string{u.Path}, nil
	}
	var all []string
	mine := filepath.Join("/run/user", strconv.Itoa(uid))
	for _, dir := range []string{env("XDG_RUNTIME_DIR"), mine} {
		if !filepath.IsAbs(dir) {
			continue
		}
		for _, name := range []string{"podman/podman.sock", "docker.sock"} {
			if s := filepath.Join(dir, name); !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	return append(all, systemSockets[:]...), nil
}

// systemSockets are those of engines with the rights of root.
var systemSockets = [...]string{"/run/podman/podman.sock", "/var/run/docker.sock"}

// Find returns the engine that would be used for containers without folders, and what tells
// this version of it, and what it has stored, from every other one.
func Find(ctx context.Context) (string, *vmhost.Engine, error) {
	e, err := find(ctx, &Config{Answer: findTime})
	if err != nil {
		return "", nil, err
	}
	version := e.info.version[:min(len(e.info.version), maxVersion)]
	return e.info.identity + " " + version, &vmhost.Engine{Name: e.info.name, Version: version, Socket: e.socket, Rootless: e.info.rootless, Sizes: e.info.memory > 0 && e.info.cpus, Copies: e.info.blind, Offline: e.info.offline}, e.Close()
}

// maxVersion bounds what an engine says of its version.
const maxVersion = 64

// findTime is how long each engine has to say what it is, for Find.
const findTime = 10 * time.Second

// find returns the first engine that can do what is asked, one without the rights of root
// before all others: a fault in one that has them gives those. Where one of the person listens
// and does not answer, none with these rights takes its place.
func find(ctx context.Context, c *Config) (*engine, error) {
	all, shared := []string{c.Engine}, []string{c.Engine}
	if c.Engine == "" {
		var err error
		if all, err = sockets(os.Getenv, os.Getuid()); err != nil {
			return nil, err
		}
		shared = all[max(len(all)-len(systemSockets), 0):]
		if all, err = listening(ctx, all); err != nil {
			return nil, err
		}
	}
	return best(ctx, all, shared, c)
}

// best is the one of engines at sockets that is taken; the error is that of the first. Those that
// are not shared are the person's.
func best(ctx context.Context, all, shared []string, c *Config) (*engine, error) {
	var other *engine       // with the rights of root
	var first, silent error // silent is one of the person's
	for _, socket := range all {
		e, err := meetInTime(ctx, socket, c)
		switch {
		case err != nil:
			first = cmp.Or(first, err)
			if failed, is := errors.AsType[*vmhost.FailedError](err); is && failed.Reason == vmhost.ReasonEngineLost && !slices.Contains(shared, socket) {
				silent = cmp.Or(silent, err)
			}
		case e.info.rootless:
			if other != nil {
				other.Close()
			}
			return e, nil
		case other == nil:
			other = e
		default:
			e.Close()
		}
	}
	switch {
	case other == nil:
		return nil, first
	case silent != nil:
		return nil, errors.Join(silent, other.Close())
	}
	return other, nil
}

func meetInTime(ctx context.Context, socket string, c *Config) (*engine, error) {
	ctx, cancel := context.WithTimeout(ctx, c.Answer)
	defer cancel()
	return meet(ctx, socket, c)
}

// listening are the sockets that somebody listens at.
func listening(ctx context.Context, all []string) ([]string, error) {
	var said []error
	var found []string
	for _, socket := range all {
		c, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "unix", socket)
		if err == nil {
			err = c.Close()
			found = append(found, socket)
		}
		said = append(said, err)
	}
	if len(found) > 0 {
		return found, nil
	}
	err := errors.Join(said...)
	return nil, &vmhost.FailedError{Runtime: runtimeName, Step: hosted.StepPlace, Reason: vmhost.ReasonEngineMissing, Detail: err.Error(), Err: err}
}

// bounded is a connection out of which only so much comes, unless it is freed.
type bounded struct {
	net.Conn
	left  int64
	freed atomic.Bool
}

var errTooLong = errors.New("the engine's answer is too long")

func (b *bounded) Read(p []byte) (int, error) {
	if b.freed.Load() {
		return b.Conn.Read(p)
	}
	if b.left <= 0 {
		return 0, errTooLong
	}
	n, err := b.Conn.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// ofRoot tells whether root listens at the other end.
func (b *bounded) ofRoot() bool {
	c, ok := b.Conn.(syscall.Conn)
	if !ok {
		return true
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return true
	}
	root := true
	_ = raw.Control(func(fd uintptr) { // an error leaves it
		if peer, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
			root = peer.Uid == 0
		}
	})
	return root
}

// CloseWrite implements client.CloseWriter.
func (b *bounded) CloseWrite() error {
	if c, ok := b.Conn.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return nil
}

// newClient returns a client; made hears of each connection.
func newClient(socket string, made func(*bounded), more ...client.Opt) (*client.Client, error) {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		c, err := (&net.Dialer{}).DialContext(ctx, "unix", socket)
		if err != nil {
			return nil, err
		}
		b := &bounded{Conn: c, left: maxAnswer}
		if made != nil {
			made(b)
		}
		return b, nil
	}
	return client.New(append(more, client.WithHost("unix://"+socket), client.WithDialContext(dial))...)
}

// meet finds out what an engine can do. An engine that does not keep programs in is
// refused.
func meet(ctx context.Context, socket string, c *Config) (*engine, error) {
	e := &engine{socket: socket}
	cl, err := newClient(socket, func(b *bounded) { e.root.Store(b.ofRoot()) }, client.WithHTTPResponseHook(func(r *http.Response) {
		e.podman.Store(r.Header.Get("Libpod-Api-Version") != "")
	}))
	if err != nil {
		return nil, err
	}
	e.Client = cl
	if err := e.meet(ctx, c); err != nil {
		return nil, errors.Join(err, cl.Close())
	}
	return e, nil
}

func (e *engine) meet(ctx context.Context, c *Config) error {
	got, err := e.Info(ctx, client.InfoOptions{})
	if err != nil {
		return lost(err)
	}
	e.info, err = learn(got.Info, e.podman.Load(), e.root.Load(), c)
	e.info.identity = identity(got.Info, e.socket, e.info)
	e.info.name, e.info.version = "Docker", got.Info.ServerVersion
	if e.info.podman {
		e.info.name = "Podman"
	}
	return err
}

// learn checks what an engine says of itself against what is asked of it. Podman before 5
// does not tell Docker's clients whether it has the rights of root.
func learn(i system.Info, podman, root bool, c *Config) (facts, error) {
	has := func(name string) bool {
		return slices.ContainsFunc(i.SecurityOptions, func(s string) bool { return s == "name="+name || strings.HasPrefix(s, "name="+name+",") })
	}
	f := facts{rootless: has("rootless") || podman && !root, podman: podman, computer: i.MemTotal}
	// Without the rights of root nobody has control groups of version 1. Podman says that it has.
	if !f.rootless || i.CgroupVersion != "1" {
		f.cpus, f.processes = i.CPUCfsQuota, i.PidsLimit
		if i.MemoryLimit {
			f.memory = i.MemTotal
		}
	}
	strange := f.rootless && !f.podman || has("userns")
	switch {
	case i.OSType != "linux":
		return f, unsupported(fmt.Sprintf("anything: the engine's containers are of %q", i.OSType))
	case !has("seccomp") || slices.Contains(i.SecurityOptions, "name=seccomp,profile=unconfined"):
		return f, unsupported("anything: the engine filters no system calls (seccomp)")
	case !f.processes && !f.rootless: // the agent bounds them where users have numbers of their own
		return f, unsupported("anything: the engine cannot bound the number of processes")
	case c.Size.Must && c.Size.MemoryMB > 0 && f.memory == 0:
		return f, unsupported("a limit of memory: the engine cannot")
	case c.Size.Must && c.Size.CPUs > 0 && !f.cpus:
		return f, unsupported("a limit of processors: the engine cannot")
	case c.Door != nil && has("selinux"):
		return f, unsupported("network: SELinux keeps containers from where piwork listens")
	case c.ServeFUSE != nil && c.Copy == nil && has("selinux"):
		return f, unseen("SELinux keeps containers from what piwork serves")
	case c.ServeFUSE != nil && c.Copy == nil && strange:
		return f, unseen("the engine gives programs users that this computer does not know (Docker without root, or userns-remap)")
	}
	f.offline = has("selinux")
	f.blind = has("selinux") || strange
	return f, nil
}

// unseenError is that a container cannot be shown folders that are mounted on this computer.
type unseenError struct{ err error }

func (e *unseenError) Error() string { return e.err.Error() }
func (e *unseenError) Unwrap() error { return e.err }

func unseen(why string) error { return &unseenError{unsupported("folders: " + why)} }

// identity names an engine and what it has stored, over its restarts: another one can listen
// at the same socket. Podman makes its ID anew for each answer.
func identity(i system.Info, socket string, f facts) string {
	id := i.ID
	if f.podman {
		id = i.Name + " " + i.DockerRootDir
	}
	return fmt.Sprintf("%s podman=%t rootless=%t %s", socket, f.podman, f.rootless, id)
}

func unsupported(what string) error {
	return &vmhost.UnsupportedError{Runtime: runtimeName, What: what}
}

// lost is the error of an engine that was there and no longer answers, or not what an
// engine answers.
func lost(err error) error {
	return &vmhost.FailedError{Runtime: runtimeName, Reason: vmhost.ReasonEngineLost, Err: err}
}

// isGone tells whether the engine says that something is not there, or about to go.
func isGone(err error) bool { return err == nil || errdefs.IsNotFound(err) || errdefs.IsConflict(err) }
