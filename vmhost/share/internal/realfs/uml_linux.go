package realfs

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Where a kernel has been started for a test, this variable says so to it.
const inUML = "PIWORK_TEST_IN_UML"

// boot is the first program of that kernel. Its root is only read: what is written lies in memory,
// but for /mnt, a folder of this computer. Its modules are where it does not look for them.
const boot = `
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp TMPDIR=/tmp PIWORK_TEST_IN_UML=1
mount -t sysfs sysfs /sys
for d in /run /tmp /var/lib/nfs; do mount -t tmpfs -o mode=1777 tmpfs $d; done
mkdir /tmp/lib /var/lib/nfs/v4recovery
ln -s /usr/lib/uml/modules /tmp/lib/modules
printf '#!/bin/sh\nexec modprobe -d /tmp "$@"\n' >/tmp/modprobe
chmod +x /tmp/modprobe
echo /tmp/modprobe >/proc/sys/kernel/modprobe
for m in loop cifs nfsv4 nfsd; do /tmp/modprobe $m; done
mount -t nfsd nfsd /proc/fs/nfsd
ip link set lo up
cd /tmp
/mnt/test "$@" >/mnt/out 2>&1
echo $? >/mnt/status
echo o >/proc/sysrq-trigger
sleep 60
`

// playInUML plays a test in a kernel that runs as a program (User Mode Linux): it has the clients
// of SMB and NFS where this one has not, and a network of its own, so that servers are reached
// by nobody else. ./scripts/setup --all unpacks it, with the servers.
func playInUML(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root may mount here")
	}
	root := os.Getenv("PIWORK_TEST_UML")
	if root == "" {
		t.Skip("a kernel with SMB and NFS, and servers of them, are not unpacked, and PIWORK_TEST_UML names none (./scripts/setup --all)")
	}
	scratch, err := os.MkdirTemp("", "pw-uml")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(scratch); err != nil {
			t.Error(err)
		}
	})
	// Built anew: the race detector needs more room than a program has there.
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-tags", "long", "-o", filepath.Join(scratch, "test"), ".") //nolint:gosec // of this package
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.WriteFile(filepath.Join(scratch, "init"), []byte(boot), 0o600); err != nil {
		t.Fatal(err)
	}
	limit := 20 * time.Minute
	if at, ok := t.Deadline(); ok {
		limit = min(limit, time.Until(at)-10*time.Second)
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	name := "^" + strings.ReplaceAll(t.Name(), "/", "$/^") + "$"
	first := fmt.Sprintf("mount -t proc proc /proc && mount -t hostfs -o %s none /mnt && exec /bin/sh /mnt/init -test.v -test.run '%s' -test.timeout %v", scratch, name, limit)
	kernel := exec.CommandContext(ctx, filepath.Join(root, "usr/bin/linux.uml"), "mem=1G", "uml_dir="+scratch+"/", "umid=kernel", //nolint:gosec // of this package
		"root=/dev/root", "rootfstype=hostfs", "rootflags="+root, "ro", "con=null", "con0=null,fd:1", "quiet", "init=/bin/sh", "--", "-c", `"`+first+`"`)
	kernel.Env = append(os.Environ(), "TMPDIR="+scratch)
	kernel.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	kernel.Cancel = func() error { return syscall.Kill(-kernel.Process.Pid, syscall.SIGKILL) }
	kernel.WaitDelay = 10 * time.Second
	console, err := kernel.CombinedOutput()
	out, _ := os.ReadFile(filepath.Join(scratch, "out"))
	status, _ := os.ReadFile(filepath.Join(scratch, "status"))
	switch string(status) {
	case "0\n":
		t.Logf("%s", out)
		if strings.Contains(string(out), "--- SKIP: "+t.Name()+" ") {
			t.SkipNow()
		}
	case "":
		t.Fatalf("User Mode Linux: %v\n%s\n%s", err, console, out)
	default:
		t.Errorf("%s", out)
	}
}
