package pack

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// TestBundleWithoutANetwork installs a bundle in a network namespace in which
// there is nothing (network_namespaces(7)).
func TestBundleWithoutANetwork(t *testing.T) {
	r := newKillRig(t)
	s := r.store(t)
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), envKillAt+"=1000000", envKillDo+"=offline "+r.bundle, envStore+"="+s.dir, envKeys+"="+r.ring)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EINVAL) {
		t.Skipf("this system gives no namespaces: %v", err)
	}
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got, want := r.state(t, s), "current=1.1.0 previous= 1.1.0:sound"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	o, err := addOnStore(s)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.state(t, o), "current=1.1.0 previous= 1.1.0:sound"; got != want {
		t.Errorf("the add-on: %s, want %s", got, want)
	}
}
