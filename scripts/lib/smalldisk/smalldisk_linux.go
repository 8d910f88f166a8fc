// Package smalldisk gives tests a file system in memory with little room, or one that is
// read-only.
package smalldisk

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// Mount mounts one at dir until the test ends, with options of tmpfs(5): "size=24m" for one.
// Only root may: for others the test is played anew by a process that is root of a user namespace
// of its own, see user_namespaces(7), and this one ends.
func Mount(t testing.TB, dir string, flags uintptr, options string) {
	t.Helper()
	if os.Geteuid() != 0 {
		playAsRoot(t)
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", flags|unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		t.Skipf("root may not mount here, as in many containers: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

// playAsRoot ends the test, which fails where its other process does.
func playAsRoot(t testing.TB) {
	t.Helper()
	name := "^" + strings.ReplaceAll(regexp.QuoteMeta(t.Name()), "/", "$/^") + "$"
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", name, "-test.v", "-test.timeout", "5m")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		Pdeathsig:   syscall.SIGKILL,
	}
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Skipf("only root may mount, and nobody else has a user namespace here: %v", err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("in a user namespace: %v\n%s", err, &said)
	}
	t.Skipf("played in a user namespace, since only root may mount:\n%s", &said)
}

// Fill writes a file in dir until the disk is full.
func Fill(t testing.TB, dir string) (file string) {
	t.Helper()
	file = filepath.Join(dir, "filling")
	f, err := os.Create(file)
	for err == nil {
		_, err = f.Write(bytes.Repeat([]byte("x"), 64<<10))
	}
	if err = errors.Join(err, f.Close()); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	return file
}
