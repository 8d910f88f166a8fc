package app

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"piwork/app/runtimepack"
	"piwork/app/runtimepack/updater"
)

// Environment of the child of TestInstallWithoutNetwork.
const (
	envOfflineBundle = "PIWORK_TEST_OFFLINE_BUNDLE"
	envOfflineBase   = "PIWORK_TEST_OFFLINE_BASE" // with the configuration in it
)

// TestInstallWithoutNetwork installs a bundle in a network namespace of its own,
// which has no interface but a loopback that is down.
func TestInstallWithoutNetwork(t *testing.T) {
	if bundle := os.Getenv(envOfflineBundle); bundle != "" {
		installInNamespace(t, bundle)
		return
	}
	s := newPackWorld(t, "1.0.0")
	s.publish("1.0.0")
	c := s.open()
	s.update(c, updater.Request{AddOns: []string{"media"}})
	b, err := c.BundlePack(t.Context(), runtimepack.BundleRequest{Out: t.TempDir(), AddOns: []string{"media"}, App: os.Args[0]}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.base = t.TempDir()
	s.trusts(s.options())
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestInstallWithoutNetwork$", "-test.v", "-test.timeout=10m")
	cmd.Env = append(os.Environ(), envOfflineBundle+"="+b.File, envOfflineBase+"="+s.base)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if cmd.Process == nil {
		t.Skipf("this computer makes no namespaces: %v", err)
	}
	if err != nil || !strings.Contains(string(out), "--- PASS: TestInstallWithoutNetwork") {
		t.Errorf("%v\n%s", err, out)
	}
}

// installInNamespace is the child.
func installInNamespace(t *testing.T, bundle string) {
	t.Helper()
	all, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range all {
		if i.Flags&net.FlagLoopback == 0 || i.Flags&net.FlagUp != 0 {
			t.Fatalf("the namespace has %s, %v", i.Name, i.Flags)
		}
	}
	if !updater.LookAtNetwork(t.Context()).Offline {
		t.Error("a computer without interfaces is not offline")
	}
	s := &packWorld{world: newWorld(t), t: t}
	s.base = os.Getenv(envOfflineBase)
	c, err := open(t.Context(), s.options(), s.seams)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close(c)
	info, err := c.InstallPack(t.Context(), bundle, nil)
	if err != nil || !info.Current {
		t.Fatalf("%+v, %v", info, err)
	}
	if rep, err := c.Status(t.Context(), true); err != nil || !rep.Ready {
		t.Errorf("%+v, %v", rep, err)
	}
	if list, err := c.AddOns(t.Context()); err != nil || len(list) != 1 || !list[0].Usable {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := os.Stat(filepath.Join(s.base, "data", runtimepack.PacksDir, info.Version)); err != nil {
		t.Error(err)
	}
}
