package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// Everything that a program must not do from a sandbox is refused, or ends nothing but
// the sandbox's own.
func TestAttacks(t *testing.T) { attack(t) }

// People are not root: all of it is for them too.
func TestAttacksOnAPerson(t *testing.T) {
	if !unprivileged(t, false) {
		return
	}
	attack(t)
}

func attack(t *testing.T) {
	t.Helper()
	t.Setenv("SSH_AUTH_SOCK", "/run/secret-agent")
	dir := t.TempDir()
	secret, socket := filepath.Join(dir, "secret"), filepath.Join(dir, "controller.sock")
	if err := os.WriteFile(secret, []byte("of the person"), 0o644); err != nil {
		t.Fatal(err)
	}
	tcp := listen(t, "tcp", "127.0.0.1:0")
	listen(t, "unix", socket)
	abstract := fmt.Sprintf("@piwork-test-%d", os.Getpid())
	listen(t, "unix", abstract)

	r := connected(t, config(t))
	scripts := map[string]string{
		"write to the tree":              "echo x >/usr/bin/x",
		"write to a file of the tree":    "echo x >>/etc/passwd",
		"write to the root":              "echo x >/x",
		"make a directory in the root":   "mkdir /home/other",
		"write to the agent":             "echo x >>/run/piwork/guest",
		"write to the kernel":            "echo x >/proc/sys/kernel/core_pattern",
		"have the kernel act":            "echo b >/proc/sysrq-trigger",
		"read a file of this computer":   "cat " + secret,
		"read it through the agent":      "cat /proc/1/root" + secret,
		"read the agent's environment":   "cat /proc/1/environ",
		"read this computer's disks":     "cat /dev/sda /dev/vda /dev/mem",
		"find a home directory":          "ls /root || ls /home | grep -v '^piwork$'",
		"find the keys of the person":    "test -n \"$SSH_AUTH_SOCK\"",
		"find another process":           "ls /proc | grep -x " + strconv.Itoa(os.Getpid()),
		"kill this program":              "attacker kill " + strconv.Itoa(os.Getpid()),
		"trace the agent":                "attacker trace 1",
		"read the agent's memory":        "attacker peek 1",
		"write the agent's memory":       "echo x >/proc/1/mem",
		"become root in a namespace":     "attacker namespace",
		"mount":                          "attacker mount",
		"make a device":                  "attacker device",
		"keep files beside the devices":  "echo x >/dev/x",
		"have other sandboxes wait":      "attacker lease /etc/passwd",
		"type into a terminal":           "attacker inject",
		"reach the network":              "attacker dial tcp 198.51.100.1:80",
		"reach this computer":            "attacker dial tcp " + tcp.Addr().String(),
		"reach a name server":            "attacker dial tcp 127.0.0.53:53",
		"reach the controller":           "attacker dial unix " + socket,
		"reach an abstract socket":       "attacker dial unix " + abstract,
		"take off its own limits":        "for f in $(find / -xdev -name 'cgroup.*' -o -name '*.max' 2>/dev/null); do echo max >$f && exit 0; done; ls /sys/fs/cgroup /run/piwork/group",
		"have more rights by a program":  "ls -l /usr/bin/su /bin/mount /usr/bin/sudo",
		"leave by the directory above":   "cat /work/../../../../.." + secret,
		"leave by a link":                "ln -s " + secret + " /work/link; cat /work/link",
		"leave by a link to the scratch": "ln -s / /work/root; echo x >/work/root/usr/x",
	}
	if os.Getuid() != 0 { // the list is root's
		scripts["see what the agent has open"] = "ls /proc/1/fd/"
	}
	for name, script := range scripts {
		if got := run(t, r, script); got.ExitCode == 0 {
			t.Errorf("%s: %s succeeds: %.300s", name, script, got.Stdout)
		}
	}

	// What may be tried ends nothing else.
	for _, script := range []string{"kill -9 1; kill -15 1", "attacker kill 1", "kill -9 -1"} {
		run(t, r, script)
		if got := run(t, r, "echo here"); string(got.Stdout) != "here\n" {
			t.Errorf("after %s: %+v", script, got)
		}
	}
	if got := run(t, r, "id -u; echo x >/work/x && echo x >/tmp/x && echo x >/home/piwork/x && echo x >/dev/null && cat /work/x"); got.ExitCode != 0 || string(got.Stdout) != "1000\nx\n" {
		t.Errorf("what it may do: %+v", got)
	}
	if l := r.Capabilities().Limits; l.Memory || l.CPU {
		t.Errorf("nothing here enforces %+v", l)
	}
}

// listen is a server of this computer that nobody is to reach.
func listen(t *testing.T, network, address string) net.Listener {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// A disk with a bound is full for every way to write, all of them together hold no more than
// that, and nothing of it is on the disk of this computer.
func TestAttacksOnTheDisk(t *testing.T) {
	c := config(t)
	c.Env.Limits.DiskMB = 8
	r := connected(t, c)
	all := 0
	for _, dir := range []string{wire.WorkDir, wire.OutDir, "/tmp", "/dev/shm", home} {
		full := run(t, r, "head -c 20000000 /dev/zero >"+dir+"/x; code=$?; wc -c <"+dir+"/x; exit $code")
		if full.ExitCode == 0 || !bytes.Contains(full.Stderr, []byte("No space left")) {
			t.Errorf("%s: %+v %s", dir, full, full.Stderr)
		}
		n, err := strconv.Atoi(strings.TrimSpace(string(full.Stdout)))
		if all += n; err != nil {
			t.Errorf("%s: %v", dir, err)
		}
	}
	if all > 8<<20 || all < 6<<20 {
		t.Errorf("%d bytes fit", all)
	}
	for _, dir := range []string{wire.WorkDir, "/tmp", "/dev/shm", home} {
		if got := run(t, r, "rm "+dir+"/x; head -c 400000 /dev/zero >"+dir+"/x && rm "+dir+"/x"); got.ExitCode != 0 {
			t.Errorf("what fits, in %s: %+v %s", dir, got, got.Stderr)
		}
	}
	if left, err := filepath.Glob(filepath.Join(c.Dir, "work", "*", "*")); err != nil || len(left) > 0 {
		t.Errorf("%q %v", left, err)
	}
}

// A program that starts others without end finds one, and what it started ends with it.
func TestForkBomb(t *testing.T) {
	if !unprivileged(t, false) {
		return
	}
	c := config(t)
	c.processes = 200
	r := connected(t, c)
	got := run(t, r, "attacker bomb 2000 2>&1")
	if !bytes.Contains(got.Stdout, []byte("resource temporarily unavailable")) && !bytes.Contains(got.Stderr, []byte("fork")) {
		t.Errorf("%+v %s", got, got.Stderr)
	}
	for began := time.Now(); ; <-time.After(50 * time.Millisecond) {
		if got := run(t, r, "ls /proc | grep -c '^[0-9]'"); len(got.Stdout) > 0 && len(strings.TrimSpace(string(got.Stdout))) < 3 {
			return
		}
		if time.Since(began) > 30*time.Second {
			t.Fatal("its processes are left")
		}
	}
}

// A program that takes all processes that programs can have leaves the agent enough to start
// others, and to end it.
func TestForkBombLeavesTheAgentRoom(t *testing.T) {
	if !unprivileged(t, false) {
		return
	}
	c := config(t)
	c.processes = 200
	r := connected(t, c)
	ctx, stop := context.WithCancel(soon(t))
	ended := make(chan error)
	go func() {
		_, err := r.Execute(ctx, vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"/bin/attacker", "fill", "/work/full"}}})
		ended <- err
	}()
	full := vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"/bin/ls", "/work/full"}}}
	for began := time.Now(); ; <-time.After(50 * time.Millisecond) {
		obs, err := r.Execute(soon(t), full)
		if err != nil {
			t.Fatalf("beside it nothing starts: %v", err)
		}
		if obs.Exec.ExitCode == 0 {
			break
		}
		if time.Since(began) > 30*time.Second {
			t.Fatal("it finds no bound")
		}
	}
	for range 20 {
		if _, err := r.Execute(soon(t), full); err != nil {
			t.Fatalf("beside it nothing starts: %v", err)
		}
	}
	stop()
	<-ended
	if s := r.Status(); s.State != vmhost.StateReady {
		t.Errorf("%+v", s)
	}
}
