package container

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"piwork/vmhost"
)

// Everything that a program must not do from a container is refused, or ends nothing but
// the container's own.
func TestAttacks(t *testing.T) {
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

	comm, err := os.ReadFile("/proc/self/comm")
	if err != nil {
		t.Fatal(err)
	}

	c, _, _ := shared(t, config(t))
	r := connected(t, c)
	for name, script := range map[string]string{
		"write to the tree":              "echo x >/usr/bin/x",
		"write to a file of the tree":    "echo x >>/etc/passwd",
		"write to the root":              "echo x >/x",
		"make a directory in the root":   "mkdir /home/other",
		"write to the agent":             "echo x >>" + agentPath,
		"write to the kernel":            "echo x >/proc/sys/kernel/core_pattern",
		"have the kernel act":            "echo b >/proc/sysrq-trigger",
		"write to a control group":       "echo 1 >/sys/fs/cgroup/cgroup.procs || echo 1 >/sys/fs/cgroup/pids/cgroup.procs",
		"read a file of this computer":   "cat " + secret,
		"read it through the agent":      "cat /proc/1/root" + secret,
		"read the agent's environment":   "cat /proc/1/environ",
		"see what the agent has open":    "ls /proc/1/fd/",
		"read this computer's disks":     "cat /dev/sda /dev/vda /dev/mem",
		"read this computer's memory":    "cat /proc/kcore",
		"find the keys of the person":    "test -n \"$SSH_AUTH_SOCK\"",
		"find the engine":                "ls /run/podman /var/run/docker.sock /run/docker.sock " + made.engine.Socket + " | grep .",
		"find another process":           "cat /proc/[0-9]*/comm | grep -x " + strings.TrimSpace(string(comm)),
		"kill this program":              "attacker kill " + strconv.Itoa(os.Getpid()),
		"trace the agent":                "attacker trace 1",
		"read the agent's memory":        "attacker peek 1",
		"write the agent's memory":       "echo x >/proc/1/mem",
		"become root in a namespace":     "attacker namespace",
		"mount":                          "attacker mount",
		"make a device":                  "attacker device",
		"type into a terminal":           "attacker inject",
		"reach the network":              "attacker dial tcp 198.51.100.1:80",
		"reach this computer":            "attacker dial tcp " + tcp.Addr().String(),
		"reach a name server":            "attacker dial tcp 127.0.0.53:53",
		"reach the controller":           "attacker dial unix " + socket,
		"reach an abstract socket":       "attacker dial unix " + abstract,
		"leave by the directory above":   "cat /work/../../../../.." + secret,
		"leave by a link":                "ln -s " + secret + " /work/link; cat /work/link",
		"leave by a link in a folder":    "ln -s " + secret + " /folders/rw/link; cat /folders/rw/link",
		"leave by a link to the scratch": "ln -s / /work/root; echo x >/work/root/usr/x",
		"have rights":                    "grep -q 'CapEff:\\s*0000000000000000' /proc/self/status && grep -q 'CapBnd:\\s*0000000000000000' /proc/self/status && grep -q 'NoNewPrivs:\\s*1' /proc/self/status && grep -q 'Seccomp:\\s*2' /proc/self/status && exit 1",
	} {
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
	if got := run(t, r, "id -u; cd /work && echo x >x && echo x >/work/out/x && echo x >/tmp/x && echo x >/home/piwork/x && echo x >/dev/null && cat x"); got.ExitCode != 0 || string(got.Stdout) != "1000\nx\n" {
		t.Errorf("what it may do: %+v %s", got, got.Stderr)
	}
	got := run(t, r, "attacker bomb 20000 2>&1")
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

// A program that takes all memory ends, and nothing of this computer does.
func TestMemory(t *testing.T) {
	c := config(t)
	c.Size = Size{MemoryMB: 128, Must: true}
	r := open(t, c)
	var unsupported *vmhost.UnsupportedError
	switch err := r.Connect(soon(t)); {
	case errors.As(err, &unsupported) && os.Getuid() != 0 && strings.Contains(unsupported.What, "memory"):
		t.Skip("without the rights of root this computer's control groups limit nothing")
	case err != nil:
		t.Fatal(err)
	}
	for script, code := range map[string]int{"head -c 400000000 /dev/zero >/tmp/x": 1, "sh -c 'x=x; while :; do x=$x$x; done'": 137} {
		if got := run(t, r, script); got.ExitCode != code {
			t.Errorf("%s: %+v %s", script, got, got.Stderr)
		}
		if got := run(t, r, "rm -f /tmp/x; echo here"); string(got.Stdout) != "here\n" {
			t.Errorf("after %s: %+v", script, got)
		}
	}
}

// A program that writes without end fills its own scratch, which is as large as its limit,
// and nothing of this computer's disk: wherever it can write has a size.
func TestDiskFull(t *testing.T) {
	c := config(t)
	c.Env.Limits.DiskMB = 64
	r := connected(t, c)
	// Each mount that is not read-only, and what fits in it; devices and the kernel's own are
	// no place to write.
	const fill = `
all=0
while read -r _ at type options _; do
	case $type in proc|sysfs|cgroup*|mqueue|devpts) continue;; esac
	case ,$options, in *,ro,*) continue;; esac
	touch "$at/x" 2>/dev/null || continue
	cat /dev/zero >"$at/x" 2>/dev/null && exit 9
	n=$(wc -c <"$at/x")
	all=$((all+n))
	echo "$at $type $n"
done </proc/mounts
echo "all $all"`
	got := run(t, r, fill)
	said := strings.Fields(string(got.Stdout))
	all := 0
	if got.ExitCode == 0 && len(said) > 0 {
		all, _ = strconv.Atoi(said[len(said)-1])
	}
	if all < 32<<20 || all > 64<<20 {
		t.Errorf("%+v: %s %s", got.ExitCode, got.Stdout, got.Stderr)
	}
	for _, dir := range []string{"/work ", "/tmp ", home + " ", "/dev/shm "} {
		if !bytes.Contains(got.Stdout, []byte(dir)) {
			t.Errorf("%s is not there, or nothing can be written to it: %s", dir, got.Stdout)
		}
	}
	if got := run(t, r, "rm -f /work/x /tmp/x && echo x >/work/y && cat /work/y"); string(got.Stdout) != "x\n" {
		t.Errorf("afterwards: %+v %s", got, got.Stderr)
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
