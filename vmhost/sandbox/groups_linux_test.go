package sandbox

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"

	"piwork/vmhost"
)

// Only where systemd has all controllers to delegate, and the kernel ends whole cgroups, does
// a sandbox claim limits of memory and of processor time.
func TestDelegated(t *testing.T) {
	const user = "user.slice/user-1000.slice/user@1000.service"
	for name, row := range map[string]struct {
		dir, controllers string
		files            []string
		want             bool
	}{
		"a session of systemd":         {user, "cpuset cpu io memory pids\n", []string{"cgroup.kill"}, true},
		"another person's":             {"user.slice/user-1001.slice/user@1001.service", "cpu memory pids\n", []string{"cgroup.kill"}, false},
		"no processor time, as before": {user, "memory pids\n", []string{"cgroup.kill"}, false},
		"an old kernel":                {user, "cpu memory pids\n", nil, false},
		"version 1":                    {"memory/user.slice", "", nil, false},
	} {
		mount := t.TempDir()
		dir := filepath.Join(mount, row.dir)
		err := os.MkdirAll(dir, 0o700)
		for _, file := range row.files {
			err = errors.Join(err, os.WriteFile(filepath.Join(dir, file), nil, 0o600))
		}
		if row.controllers != "" {
			err = errors.Join(err, os.WriteFile(filepath.Join(dir, "cgroup.controllers"), []byte(row.controllers), 0o600))
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := delegated(mount, 1000); got != row.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Claims are those of what is kept here, and of nothing else.
func TestClaims(t *testing.T) {
	none, failed := Capabilities(nil).Limits, &Groups{}
	failed.failed.Store(true)
	if none.Memory || none.CPU || !none.Disk || none.Processes != (os.Getuid() != 0) || Capabilities(failed).Limits != none {
		t.Errorf("without cgroups: %+v", none)
	}
	if all := Capabilities(&Groups{}).Limits; all != (vmhost.LimitSupport{CPU: true, Memory: true, Disk: true, Wall: true, Output: true, Processes: true}) {
		t.Errorf("with cgroups: %+v", all)
	}
	var caps [2]string
	for i, g := range []*Groups{nil, {}} {
		caps[i], _, _ = g.Find(t.Context())
	}
	if caps[0] == caps[1] {
		t.Error("a proof without cgroups is one with them")
	}
}

// manager is systemd's.
type manager struct{ asked chan asked }

type asked struct {
	name, mode string
	properties map[string]dbus.Variant
}

// StartTransientUnit is that of org.freedesktop.systemd1.Manager.
func (m manager) StartTransientUnit(name, mode string, properties []property, _ []struct {
	Name       string
	Properties []property
}) (dbus.ObjectPath, *dbus.Error) {
	a := asked{name, mode, map[string]dbus.Variant{}}
	for _, p := range properties {
		a.properties[p.Name] = p.Value
	}
	m.asked <- a
	return "/org/freedesktop/systemd1/job/1", nil
}

// A sandbox gets a scope of its own, delegated and bounded, from the systemd that the bus of
// the person has; without one it is told so.
func TestEnterScope(t *testing.T) {
	if _, err := exec.LookPath("dbus-daemon"); err != nil {
		t.Skip("there is no dbus-daemon")
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+filepath.Join(t.TempDir(), "none"))
	if err := enterScope(t.Context(), "x.scope", 1); err == nil {
		t.Error("there is no bus")
	}
	cmd := exec.CommandContext(t.Context(), "dbus-daemon", "--session", "--nofork", "--print-address")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", strings.TrimSpace(line))
	if err := enterScope(t.Context(), "x.scope", 1); err == nil {
		t.Error("there is no systemd")
	}
	conn, err := dbus.Connect(busAddress())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	m := manager{make(chan asked, 1)}
	if err := conn.Export(m, "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager"); err != nil {
		t.Fatal(err)
	}
	if r, err := conn.RequestName("org.freedesktop.systemd1", dbus.NameFlagDoNotQueue); err != nil || r != dbus.RequestNameReplyPrimaryOwner {
		t.Fatal(r, err)
	}
	name := scopeName()
	if err := enterScope(t.Context(), name, 4711); err != nil {
		t.Fatal(err)
	}
	got := <-m.asked
	if got.name != name || got.mode != "fail" || !strings.HasSuffix(name, ".scope") || name == scopeName() {
		t.Errorf("%+v", got)
	}
	memory, _ := got.properties["MemoryMax"].Value().(uint64)
	pids, _ := got.properties["PIDs"].Value().([]uint32)
	if got.properties["Delegate"].Value() != true || got.properties["TasksMax"].Value() != uint64(maxTasks) || memory < 1<<20 || !slices.Equal(pids, []uint32{4711}) {
		t.Errorf("%+v", got.properties)
	}
	for property, signature := range map[string]string{"Description": "s", "PIDs": "au", "Delegate": "b", "CollectMode": "s", "MemoryMax": "t", "TasksMax": "t"} {
		if s := got.properties[property].Signature().String(); s != signature { // systemd takes no other
			t.Errorf("%s is %q", property, s)
		}
	}
}

// Where systemd gives no cgroup after all, or the agent can do nothing with it, that sandbox
// fails and leaves nothing; the next one works, and claims no limits.
func TestGroupsThatFail(t *testing.T) {
	for name, change := range map[string]func(*testing.T, *Config){
		"systemd refuses": func(_ *testing.T, c *Config) {
			c.Groups = &Groups{enter: func(context.Context, string, int) error { return errors.New("no such process") }}
		},
		"the agent can't divide it": func(t *testing.T, c *Config) {
			c.Groups = &Groups{enter: func(context.Context, string, int) error { return nil }}
			c.Agent = filepath.Join(t.TempDir(), "agent")
			script := "#!/bin/sh\ntest \"$1 $2\" = 'mounted --group' || exec sleep 600\necho 'piwork-guest: fatal: cgroup: no such file' >&2\nexit 1\n"
			if err := os.WriteFile(c.Agent, []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := config(t)
			agent := c.Agent
			change(t, &c)
			r := open(t, c)
			if !r.Capabilities().Limits.Memory {
				t.Error("what is to be tried is not claimed")
			}
			var failed *vmhost.FailedError
			if err := r.Connect(soon(t)); !errors.As(err, &failed) || failed.Reason != vmhost.ReasonHost || !strings.Contains(err.Error(), "cgroup") && !strings.Contains(err.Error(), "scope") {
				t.Errorf("Connect: %v", err)
			}
			c.Dir, c.Agent = c.Dir+"-next", agent
			r = connected(t, c)
			if l := r.Capabilities().Limits; l.Memory || l.CPU {
				t.Errorf("it claims %+v", l)
			}
			if got := run(t, r, "echo here"); string(got.Stdout) != "here\n" {
				t.Errorf("%+v", got)
			}
		})
	}
}

// An agent that ends over its cgroup says so first. What is said once programs run, or by
// somebody else, takes no limits off other sandboxes.
func TestGroupsAreLostByTheAgentOnly(t *testing.T) {
	for _, tt := range []struct {
		said  string
		spoke bool
		lost  bool
	}{
		{"piwork-guest: fatal: cgroup: no such file\n", false, true},
		{"bwrap: a warning\npiwork-guest: fatal: cgroup: no such file\n", false, true},
		{"piwork-guest: fatal: cgroup: no such file\n", true, false},
		{"piwork-guest: find fatal: cgroup\n", false, false},
		{"piwork-guest: conversation ended\npiwork-guest: fatal: cgroup", true, false},
	} {
		p := &place{groups: &Groups{}, conn: &connection{}, exit: errors.New("exit status 1")}
		p.conn.spoke.Store(tt.spoke)
		_, _ = p.said.Write([]byte(tt.said))
		if err := p.Exit(); err == nil || p.groups.usable() == tt.lost {
			t.Errorf("%q, spoke %v: %v, usable %v", tt.said, tt.spoke, err, p.groups.usable())
		}
	}
}

// Who gives up meanwhile finds nothing out about cgroups.
func TestGroupsOfOneWhoGivesUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	g := &Groups{enter: func(ctx context.Context, _ string, _ int) error { cancel(); <-ctx.Done(); return ctx.Err() }}
	if err := g.begin(ctx, "x.scope", 1); err == nil || !g.usable() {
		t.Errorf("%v, usable: %v", err, g.usable())
	}
}
