package container

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"

	"piwork/vmhost"
	"piwork/vmhost/runtimetest/attacks"
)

// Everything that a program must not do from a container is refused, or ends nothing but
// the container's own.
func TestAttacks(t *testing.T) {
	w := attacks.NewWorld(t, "")
	t.Setenv("SSH_AUTH_SOCK", w.Agent)
	c, _, _ := shared(t, config(t))
	r := connected(t, c)
	attacks.Run(t, attacks.Target{
		Runtime: r, World: w, Agent: agentPath, Bomb: 20000,
		More: map[string]string{
			"find this engine":            "ls " + made.engine.Socket,
			"see what the agent has open": "ls /proc/1/fd/",
			"leave by a link in a folder": "ln -s $SECRET /folders/rw/link; cat /folders/rw/link",
		},
		NotClaimed: map[string]string{"disk": "TestDiskFull tries it, with a small one"},
	})
	if got := run(t, r, "id -u; echo x >/work/out/x && cat /work/out/x"); got.ExitCode != 0 || string(got.Stdout) != "1000\nx\n" {
		t.Errorf("what it may do: %+v %s", got, got.Stderr)
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
