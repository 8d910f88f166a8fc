package sandbox

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"piwork/vmhost"
	"piwork/vmhost/runtimetest/attacks"
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
	w := attacks.NewWorld(t, "")
	t.Setenv("SSH_AUTH_SOCK", w.Agent)
	r := connected(t, config(t))
	more := map[string]string{
		"find a home directory":         "ls /root || ls /home | grep -v '^piwork$'",
		"have other sandboxes wait":     "attacker lease /etc/passwd",
		"take off its own limits":       "for f in $(find / -xdev -name 'cgroup.*' -o -name '*.max' 2>/dev/null); do echo max >$f && exit 0; done; ls /sys/fs/cgroup /run/piwork/group",
		"have more rights by a program": "ls -l /usr/bin/su /bin/mount /usr/bin/sudo",
	}
	if os.Getuid() != 0 { // the list is root's
		more["see what the agent has open"] = "ls /proc/1/fd/"
	}
	attacks.Run(t, attacks.Target{
		Runtime: r, World: w, Agent: "/run/piwork/guest", More: more,
		NotClaimed: map[string]string{"bomb": "TestForkBomb tries it, with few processes", "disk": "TestAttacksOnTheDisk tries it, with a small one"},
	})
	if got := run(t, r, "id -u"); string(got.Stdout) != "1000\n" {
		t.Errorf("who it is: %+v", got)
	}
	if l := r.Capabilities().Limits; l.Memory || l.CPU {
		t.Errorf("nothing here enforces %+v", l)
	}
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
