package api_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"piwork/app/api"
)

// Another user's program cannot reach the socket; where it could, since somebody opened it to
// all, nothing that it sends is taken.
func TestSocketRefusesOtherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be another user")
	}
	dir := filepath.Join(t.TempDir(), "run")
	ln, err := api.ListenSocket(filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	accepted := make(chan struct{}, 2)
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			accepted <- struct{}{}
			_, _ = c.Write([]byte("x"))
			_ = c.Close()
		}
	}()
	t.Chdir(dir) // what is above it is closed to others
	const nobody = 65534
	if n, err := readAs(nobody, "s"); !errors.Is(err, unix.EACCES) {
		t.Errorf("another user reaches the socket: %d, %v", n, err)
	}
	for name, mode := range map[string]os.FileMode{".": 0o711, "s": 0o666} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := readAs(nobody, "s"); n != 0 || err != nil || len(accepted) != 0 {
		t.Errorf("another user is answered: %d bytes, %v", n, err)
	}
	if n, err := readAs(0, "s"); n != 1 || err != nil {
		t.Errorf("the owner is not: %d bytes, %v", n, err)
	}
}

// readAs connects to a socket as a user, and reads.
func readAs(uid int, path string) (n int, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and no unlock: the thread, which is another user's from now on, ends
		if _, _, e := unix.RawSyscall(unix.SYS_SETRESUID, uintptr(uid), uintptr(uid), uintptr(uid)); e != 0 {
			err = e
			return
		}
		var fd int
		if fd, err = unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0); err != nil {
			return
		}
		defer unix.Close(fd)
		if err = unix.Connect(fd, &unix.SockaddrUnix{Name: path}); err == nil {
			n, err = unix.Read(fd, make([]byte, 1))
		}
	}()
	<-done
	return n, err
}
