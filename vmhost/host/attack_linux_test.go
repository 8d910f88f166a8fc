package host

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"piwork/pack/guest/landlock"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// This kind claims to keep nothing apart. What it does claim holds, and what it does not is
// in this table too, so that nobody takes it for more.
func TestAttacks(t *testing.T) {
	for name, value := range map[string]string{
		"SSH_AUTH_SOCK": "/run/secret-agent", "DOCKER_HOST": "unix:///run/secret.sock", "AWS_SECRET_ACCESS_KEY": "secret", "LD_PRELOAD": "",
		"PERL5LIB": "/secret", "PYTHONPATH": "/secret", "BASH_ENV": "/secret", "GIT_CONFIG_GLOBAL": "/secret",
	} {
		t.Setenv(name, value)
	}
	outside := t.TempDir()
	secret, socket := filepath.Join(outside, "secret"), filepath.Join(outside, "socket")
	if err := os.WriteFile(secret, []byte("of the person"), 0o600); err != nil {
		t.Fatal(err)
	}
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	unixSocket, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer unixSocket.Close()
	abstract := "@piwork-host-" + strconv.Itoa(os.Getpid())
	abstractSocket, err := net.Listen("unix", abstract)
	if err != nil {
		t.Fatal(err)
	}
	defer abstractSocket.Close()
	c := config(t)
	r := connected(t, c)
	has := landlock.Kernel()
	const always = 0
	for name, tt := range map[string]struct {
		script  string
		refused bool
		kernel  int // the first version of Landlock that refuses it
	}{
		"have a variable of the person":      {"env | grep -q secret", true, always},
		"reach the network":                  {"attacker dial tcp 198.51.100.1:80", true, always},
		"reach what listens on this machine": {"attacker dial tcp " + tcp.Addr().String(), true, always},
		"trace another process":              {"attacker trace " + strconv.Itoa(os.Getpid()), true, always},
		"read the memory of another":         {"attacker peek " + strconv.Itoa(os.Getpid()), true, always},
		"become root in a namespace":         {"attacker namespace", true, always},
		"mount":                              {"attacker mount", true, always},
		"make a device":                      {"attacker device", true, always},
		"type into a terminal":               {"attacker inject", true, always},
		"have a lease on a file":             {"attacker lease /etc/passwd", true, always},
		"write outside":                      {"echo x >" + outside + "/new", true, 1},
		"change a file outside":              {"echo x >>" + secret, true, 1},
		"cut a file outside":                 {"attacker cut " + secret, true, 1},
		"empty a file outside":               {"attacker empty " + secret, true, 1},
		"delete a file outside":              {"rm -f " + secret + "; test ! -e " + secret, true, 1},
		"write into the environment":         {"echo x >" + c.Root + "/usr/bin/new", true, 1},
		"run a program of the system":        {"/usr/bin/id -u", true, 1},
		"run it by a link":                   {"ln -s /usr/bin/id i && ./i -u", true, 1},
		"reach an abstract socket":           {"attacker dial unix " + abstract, true, 6},
		"kill this program":                  {"kill -CONT " + strconv.Itoa(os.Getpid()), true, 6},

		// Not claimed: a program is the person.
		"read a file of the person":       {"grep -q person " + secret, false, always},
		"see other processes":             {"ls /proc | grep -qx " + strconv.Itoa(os.Getpid()), false, always},
		"reach Docker or an agent of SSH": {"attacker dial unix " + socket, false, always},
		"use the shell of the system":     {"/bin/sh -c 'exit 0'", false, always},
	} {
		refused := tt.refused && has >= tt.kernel
		if got := run(t, r, tt.script); (got.ExitCode != 0) != refused {
			t.Errorf("%s: %s ends with %d: %.300s%.300s", name, tt.script, got.ExitCode, got.Stdout, got.Stderr)
		}
	}
	if b, err := os.ReadFile(secret); has > 0 && (err != nil || string(b) != "of the person") {
		t.Errorf("%q %v", b, err)
	}
	if l := r.Capabilities(); !l.Limits.Processes || l.Limits.Memory || l.Limits.CPU || l.Limits.Disk || l.Isolation != vmhost.IsolationNone {
		t.Errorf("it claims %+v", l)
	}
}

// A program that starts others without end is ended with them.
func TestForkBomb(t *testing.T) {
	c := config(t)
	c.processes = 200
	r := connected(t, c)
	if got := run(t, r, "attacker bomb 2000 2>&1"); !strings.Contains(string(got.Stdout)+string(got.Stderr), "unavailable") {
		t.Errorf("%+v", got)
	}
}

// The programs of a task are the person's: they run as nobody else, and in no session of this
// program.
func TestIdentity(t *testing.T) {
	r := connected(t, config(t))
	obs, err := r.Execute(soon(t), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"cat", "/proc/self/status", "/proc/self/stat"}}})
	if err != nil {
		t.Fatal(err)
	}
	status := string(obs.Exec.Stdout)
	if !strings.Contains(status, "\nNoNewPrivs:\t1\n") || !strings.Contains(status, "\nUid:\t"+strconv.Itoa(os.Getuid())+"\t") {
		t.Error(status)
	}
	session, err := unix.Getsid(0)
	if f := strings.Fields(status[strings.LastIndexByte(status, ')')+1:]); err != nil || len(f) < 4 || f[3] == strconv.Itoa(session) {
		t.Errorf("session %d %v", session, err)
	}
}
