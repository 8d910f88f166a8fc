package execution

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"piwork/pack/guest/landlock"
	"piwork/scripts/lib/memdir"
	"piwork/vmhost/wire"
)

// What the filter answers, without a kernel.
func TestFilterAnswers(t *testing.T) {
	vm, err := bpf.NewVM(filter(false, false))
	if err != nil {
		t.Fatal(err)
	}
	const allow, eperm, enosys, family = unix.SECCOMP_RET_ALLOW, unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM), unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS), unix.SECCOMP_RET_ERRNO | uint32(unix.EAFNOSUPPORT)
	for name, tt := range map[string]struct {
		arch, call uint32
		args       []uint32
		want       uint32
	}{
		"read":                          {auditArch, unix.SYS_READ, nil, allow},
		"execve":                        {auditArch, unix.SYS_EXECVE, nil, allow},
		"the youngest":                  {auditArch, lastCall, nil, allow},
		"younger":                       {auditArch, lastCall + 1, nil, enosys},
		"x32":                           {auditArch, 0x40000000 + unix.SYS_READ, nil, enosys},
		"a 32-bit program":              {unix.AUDIT_ARCH_I386, unix.SYS_READ, nil, enosys},
		"a thread":                      {auditArch, unix.SYS_CLONE, []uint32{unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_THREAD | unix.CLONE_SIGHAND}, allow},
		"a child":                       {auditArch, unix.SYS_CLONE, []uint32{uint32(unix.SIGCHLD)}, allow},
		"a child in a namespace":        {auditArch, unix.SYS_CLONE, []uint32{uint32(unix.SIGCHLD) | unix.CLONE_NEWUSER}, eperm},
		"a child in a network":          {auditArch, unix.SYS_CLONE, []uint32{unix.CLONE_NEWNET}, eperm},
		"clone3":                        {auditArch, unix.SYS_CLONE3, nil, enosys},
		"io_uring":                      {auditArch, unix.SYS_IO_URING_SETUP, nil, enosys},
		"unshare":                       {auditArch, unix.SYS_UNSHARE, nil, eperm},
		"mount":                         {auditArch, unix.SYS_MOUNT, nil, eperm},
		"ptrace":                        {auditArch, unix.SYS_PTRACE, nil, eperm},
		"a socket of files":             {auditArch, unix.SYS_SOCKET, []uint32{unix.AF_UNIX}, allow},
		"a socket for IPv6":             {auditArch, unix.SYS_SOCKET, []uint32{unix.AF_INET6, unix.SOCK_STREAM}, allow},
		"routes":                        {auditArch, unix.SYS_SOCKET, []uint32{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE}, allow},
		"audit":                         {auditArch, unix.SYS_SOCKET, []uint32{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_AUDIT}, family},
		"ciphers":                       {auditArch, unix.SYS_SOCKET, []uint32{unix.AF_ALG}, family},
		"to the host":                   {auditArch, unix.SYS_SOCKET, []uint32{unix.AF_VSOCK}, family},
		"which personality":             {auditArch, unix.SYS_PERSONALITY, []uint32{0xffffffff}, allow},
		"addresses that are not random": {auditArch, unix.SYS_PERSONALITY, []uint32{0x40000}, eperm},
		"a size of a terminal":          {auditArch, unix.SYS_IOCTL, []uint32{1, unix.TIOCGWINSZ}, allow},
		"its own limits":                {auditArch, unix.SYS_PRLIMIT64, nil, allow},
		"limits of another":             {auditArch, unix.SYS_PRLIMIT64, []uint32{7}, eperm},
		"a lock on a file":              {auditArch, unix.SYS_FCNTL, []uint32{3, unix.F_SETLK}, allow},
		"a lease on a file":             {auditArch, unix.SYS_FCNTL, []uint32{3, unix.F_SETLEASE}, eperm},
		"a key typed":                   {auditArch, unix.SYS_IOCTL, []uint32{1, unix.TIOCSTI}, eperm},
	} {
		data := make([]byte, 64)
		binary.BigEndian.PutUint32(data[callAt:], tt.call) // the virtual machine reads packets
		binary.BigEndian.PutUint32(data[archAt:], tt.arch)
		for i, a := range tt.args {
			binary.BigEndian.PutUint32(data[argsAt+8*i:], a)
		}
		if got, err := vm.Run(data); err != nil || uint32(got) != tt.want {
			t.Errorf("%s: %#x, want %#x, %v", name, got, tt.want, err)
		}
	}
	if raw, err := bpf.Assemble(filter(false, false)); err != nil || len(raw) > 4096 {
		t.Errorf("%d instructions, %v", len(raw), err)
	}
}

// What a Landlock without truncation leaves open, the filter does not: a thread that may not
// write to a file cannot cut it either. Opening to write is Landlock's alone.
func TestUncut(t *testing.T) {
	for version := range min(landlock.Kernel(), landlock.Truncates-1) + 1 {
		t.Run(strconv.Itoa(version), func(t *testing.T) { uncut(t, version) })
	}
}

func uncut(t *testing.T, version int) {
	t.Helper()
	cuts := []int{unix.O_RDONLY, unix.O_ACCMODE}
	if version > 0 {
		cuts = append(cuts, unix.O_WRONLY, unix.O_RDWR)
	}
	dir := memdir.Disk(t)
	own, others := filepath.Join(dir, "own"), filepath.Join(dir, "others")
	for _, d := range []string{own, others} {
		if err := errors.Join(os.Mkdir(d, 0o700), os.WriteFile(filepath.Join(d, "f"), []byte("content"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlock: the thread is restricted
		err := errors.Join(unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), changeOnly(version, []string{own}, nil, false), installFilter(false, true))
		if err != nil {
			t.Error(err)
			return
		}
		name := filepath.Join(others, "f")
		if err := unix.Truncate(name, 0); err == nil {
			t.Error("it is cut by truncate(2)")
		}
		if _, err := unix.Openat2(unix.AT_FDCWD, name, &unix.OpenHow{Flags: unix.O_TRUNC}); !errors.Is(err, unix.ENOSYS) {
			t.Errorf("openat2: %v", err)
		}
		for _, flags := range cuts {
			if fd, err := unix.Open(name, flags|unix.O_TRUNC|unix.O_CLOEXEC, 0); err == nil {
				unix.Close(fd)
				t.Errorf("it is opened with O_TRUNC and %d", flags)
			}
		}
		if b, err := os.ReadFile(name); err != nil || string(b) != "content" {
			t.Errorf("%q %v", b, err)
		}
		if err := os.WriteFile(filepath.Join(own, "f"), []byte("new"), 0o600); err != nil { // with O_TRUNC
			t.Error(err)
		}
		if f, err := os.OpenFile(filepath.Join(own, "f"), os.O_RDWR, 0); err != nil || f.Truncate(1) != nil {
			t.Errorf("its own: %v", err)
		} else {
			f.Close()
		}
	}()
	<-done
}

// A program that is offline has sockets of files, and no others.
func TestFilterOffline(t *testing.T) {
	vm, err := bpf.NewVM(filter(true, false))
	if err != nil {
		t.Fatal(err)
	}
	for family, allow := range map[uint32]bool{unix.AF_UNIX: true, unix.AF_INET: false, unix.AF_INET6: false, unix.AF_PACKET: false, unix.AF_VSOCK: false} {
		data := make([]byte, 64)
		binary.BigEndian.PutUint32(data[callAt:], unix.SYS_SOCKET)
		binary.BigEndian.PutUint32(data[archAt:], auditArch)
		binary.BigEndian.PutUint32(data[argsAt:], family)
		if got, err := vm.Run(data); err != nil || (uint32(got) == unix.SECCOMP_RET_ALLOW) != allow {
			t.Errorf("family %d: %#x, %v", family, got, err)
		}
	}
}

// A program of the agent's that is offline connects to nobody, and neither does what
// it starts.
func TestProgramsOffline(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	s := newTestEngine(t, nil).cfg.Starter
	for offline, want := range map[bool]string{false: "reached\n", true: ""} {
		var said bytes.Buffer
		p, err := s.Start(t.Context(), nil, Program{
			Argv: []string{"bash", "-c", "bash -c ': </dev/tcp/127.0.0.1/" + port + " && echo reached'"}, Cwd: "/", Env: os.Environ(), Offline: offline,
			Output: func(_ context.Context, stream string, data []byte) error {
				if stream == wire.Stdout {
					said.Write(data)
				}
				return nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Wait(t.Context()); err != nil || said.String() != want {
			t.Errorf("offline %v: %q, %v", offline, said.String(), err)
		}
	}
}

// Every program has the filter, and works.
func TestProgramsAreFiltered(t *testing.T) {
	e := newTestEngine(t, nil)
	r, err := e.Run(t.Context(), sh("filtered", "grep ^Seccomp: /proc/self/status; unshare -U true 2>/dev/null && echo a namespace"))
	if err != nil || string(r.Stdout) != "Seccomp:\t2\n" {
		t.Errorf("%q %s %v", r.Stdout, r.Stderr, err)
	}
}

// On a computer itself, the first version is better than none: only there are files that are
// not a task's.
func TestLandlockOfPlaces(t *testing.T) {
	for kernel, want := range map[int]struct{ tree, place int }{0: {0, 0}, 1: {1, 0}, 2: {2, 2}, 6: {6, 6}} {
		if got := (launchSpec{Tree: "/tree"}).landlock(kernel); got != want.tree {
			t.Errorf("a tree, version %d: %d", kernel, got)
		}
		if got := (launchSpec{}).landlock(kernel); got != want.place {
			t.Errorf("a place, version %d: %d", kernel, got)
		}
	}
}
