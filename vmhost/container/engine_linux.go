package container

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/system"
	"github.com/moby/moby/client"

	"piwork/vmhost"
	"piwork/vmhost/hosted"
)

// maxAnswer bounds the answers of an engine on one connection, in bytes.
const maxAnswer = 16 << 20

// engine is Docker's or Podman's, at a socket of this computer.
type engine struct {
	*client.Client
	socket string
	info   facts
}

// facts are what matters of an engine.
type facts struct {
	rootless bool
	podman   bool
	memory   int64 // of the computer, in bytes; 0 where the engine cannot limit it
	cpus     bool  // it can limit processors
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
	return append(all, "/run/podman/podman.sock", "/var/run/docker.sock"), nil
}

// Engine returns the socket of an engine that somebody listens at.
func Engine(ctx context.Context) (string, error) {
	all, err := sockets(os.Getenv, os.Getuid())
	if err != nil {
		return "", err
	}
	return firstThatListens(ctx, all)
}

func firstThatListens(ctx context.Context, all []string) (string, error) {
	var said []error
	for _, socket := range all {
		c, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "unix", socket)
		if err == nil {
			return socket, c.Close()
		}
		said = append(said, err)
	}
	err := errors.Join(said...)
	return "", &vmhost.FailedError{Runtime: runtimeName, Step: hosted.StepPlace, Reason: vmhost.ReasonEngineMissing, Detail: err.Error(), Err: err}
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

// CloseWrite implements client.CloseWriter.
func (b *bounded) CloseWrite() error {
	if c, ok := b.Conn.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return nil
}

// newClient returns a client; made hears of each connection.
func newClient(socket string, made func(*bounded)) (*client.Client, error) {
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
	return client.New(client.WithHost("unix://"+socket), client.WithDialContext(dial))
}

// meet finds out what an engine can do. An engine that does not keep programs in is
// refused.
func meet(ctx context.Context, socket string, c *Config) (*engine, error) {
	cl, err := newClient(socket, nil)
	if err != nil {
		return nil, err
	}
	e := &engine{Client: cl, socket: socket}
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
	version, err := e.ServerVersion(ctx, client.ServerVersionOptions{})
	if err != nil {
		return lost(err)
	}
	podman := slices.ContainsFunc(version.Components, func(v system.ComponentVersion) bool { return v.Name == "Podman Engine" })
	e.info, err = learn(got.Info, podman, c)
	return err
}

// learn checks what an engine says of itself against what is asked of it.
func learn(i system.Info, podman bool, c *Config) (facts, error) {
	has := func(name string) bool {
		return slices.ContainsFunc(i.SecurityOptions, func(s string) bool { return s == "name="+name || strings.HasPrefix(s, "name="+name+",") })
	}
	f := facts{rootless: has("rootless"), podman: podman, cpus: i.CPUCfsQuota}
	if i.MemoryLimit {
		f.memory = i.MemTotal
	}
	switch {
	case i.OSType != "linux":
		return f, unsupported(fmt.Sprintf("anything: the engine's containers are of %q", i.OSType))
	case !has("seccomp"):
		return f, unsupported("anything: the engine filters no system calls (seccomp)")
	case !i.PidsLimit:
		return f, unsupported("anything: the engine cannot bound the number of processes")
	case c.MemoryMB > 0 && f.memory == 0:
		return f, unsupported("a limit of memory: the engine cannot")
	case c.CPUs > 0 && !f.cpus:
		return f, unsupported("a limit of processors: the engine cannot")
	case c.ServeFUSE != nil && has("selinux"):
		return f, unsupported("folders: SELinux keeps containers from what piwork serves")
	case c.ServeFUSE != nil && f.rootless && !f.podman:
		return f, unsupported("folders: Docker without root gives programs users that this computer does not know")
	}
	return f, nil
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
