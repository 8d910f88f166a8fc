package agent

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"piwork/vmhost/wire"
)

// connecting is a connection that waits for its handshake, as one does whose
// question is open: the server's queue is full, so that it hears nothing.
func connecting(t *testing.T, family int) (fd int, c wire.Connection) {
	t.Helper()
	server, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(server) })
	if err := errors.Join(unix.Bind(server, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}), unix.Listen(server, 0)); err != nil {
		t.Fatal(err)
	}
	at, err := unix.Getsockname(server)
	if err != nil {
		t.Fatal(err)
	}
	port := at.(*unix.SockaddrInet4).Port
	to := at
	if family == unix.AF_INET6 {
		to = &unix.SockaddrInet6{Port: port, Addr: netip.MustParseAddr("::ffff:127.0.0.1").As16()}
	}
	for range 3 { // the first of them are taken by the queue
		fd, err = unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
		if errors.Is(err, unix.EAFNOSUPPORT) {
			t.Skip("a kernel without IPv6 has no sockets for it")
		}
		if err != nil {
			t.Fatal(err)
		}
		own := fd
		t.Cleanup(func() { unix.Close(own) })
		if err := unix.Connect(fd, to); err != nil && !errors.Is(err, unix.EINPROGRESS) {
			t.Fatal(err)
		}
	}
	from, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	var own int
	switch a := from.(type) {
	case *unix.SockaddrInet4:
		own = a.Port
	case *unix.SockaddrInet6:
		own = a.Port
	}
	local := netip.MustParseAddr("127.0.0.1")
	return fd, wire.Connection{
		Local:  netip.AddrPortFrom(local, uint16(own)).String(),
		Remote: netip.AddrPortFrom(local, uint16(port)).String(),
	}
}

func TestOwnerOfAConnectionThatIsMade(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, family := range map[string]int{"IPv4": unix.AF_INET, "IPv4 in a socket for IPv6": unix.AF_INET6} {
		t.Run(name, func(t *testing.T) {
			_, c := connecting(t, family)
			o, err := findOwner(t.Context(), "/proc", c)
			if err != nil || o.Exe != self || o.Name == "" || len(o.Args) == 0 || o.Args[0] != os.Args[0] || o.Validate() != nil {
				t.Errorf("%+v, %v", o, err)
			}
			other := c
			other.Local = "127.0.0.2" + strings.TrimPrefix(c.Local, "127.0.0.1")
			if o, err := findOwner(t.Context(), "/proc", other); err != nil || o.Exe != "" {
				t.Errorf("another address: %+v, %v", o, err)
			}
		})
	}
}

// Over the wire, from a listener's other side to the end of its process.
func TestOwnerIsAnotherProcess(t *testing.T) {
	r := newRig(t)
	close(r.ready)
	host, _ := r.connect()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	conn, err := net.Dial("tcp4", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	f, err := conn.(*net.TCPConn).File()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command("sleep", "1000")
	child.ExtraFiles = []*os.File{f}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	c := wire.Connection{Local: conn.LocalAddr().String(), Remote: l.Addr().String()}
	conn.Close()
	f.Close()
	o := must[wire.Owner](t, host, wire.MethodOwner, c)
	if !slices.Equal(o.Args, []string{"sleep", "1000"}) {
		t.Errorf("%+v", o)
	}
	child.Process.Kill()
	child.Wait()
	if o := must[wire.Owner](t, host, wire.MethodOwner, c); o.Exe != "" || o.Args != nil {
		t.Errorf("of nobody: %+v", o)
	}
	_, err = call[wire.Owner](t, host, wire.MethodOwner, wire.Connection{Local: "x"})
	wantCode(t, err, wire.CodeInvalid)
	for range maxOwners {
		r.agent.owners <- struct{}{}
	}
	_, err = call[wire.Owner](t, host, wire.MethodOwner, c)
	wantCode(t, err, wire.CodeBusy)
}

// A process that has thousands of words, and one that has ended.
func TestDescribeAProcess(t *testing.T) {
	proc := t.TempDir()
	for _, err := range []error{
		os.Symlink("/usr/bin/node", filepath.Join(proc, "exe")),
		os.WriteFile(filepath.Join(proc, "comm"), []byte("a\nb\n"), 0o600),
		os.WriteFile(filepath.Join(proc, "cmdline"), []byte("node\x00/work/fetch.mjs\x00"+strings.Repeat("x", 9000)+strings.Repeat("\x00y", 9000)), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	o := describe(proc)
	if o.Exe != "/usr/bin/node" || o.Name != "a\nb" || o.Args[1] != "/work/fetch.mjs" || o.Validate() != nil {
		t.Errorf("%+v", o)
	}
	if o := describe(filepath.Join(proc, "gone")); o.Exe+o.Name+strings.Join(o.Args, "") != "" || o.Validate() != nil {
		t.Errorf("%+v", o)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, c := connecting(t, unix.AF_INET)
	if o, err := findOwner(ended, "/proc", c); err != nil || o.Exe != "" {
		t.Errorf("after the time for it: %+v, %v", o, err)
	}
}
