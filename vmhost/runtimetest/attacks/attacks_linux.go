package attacks

import (
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"piwork/vmhost"
	"piwork/vmhost/hosted/hostedtest"
)

// Target is a place that is ready, without a network.
type Target struct {
	Runtime  vmhost.Runtime
	World    *World
	Attacker string // the path of the program there; "" is one that is in PATH
	Agent    string // the file of the agent there
	// NotClaimed says why a kind does not claim to refuse something, by its name in the list, or
	// "kill", "bomb" or "disk" for what comes after it. That is not tried.
	NotClaimed map[string]string
	More       map[string]string // scripts that are refused besides
	Bomb       int               // how many processes one try starts, more than are allowed
	DiskMB     int               // more than fits in /work; 0 leaves it to another test
}

// list are scripts for sh that must not succeed, by what they would be. $NAMES are of the
// target.
var list = map[string]string{
	// To write outside.
	"write to the tree":              "echo x >/usr/bin/x",
	"write to a file of the tree":    "echo x >>/etc/passwd",
	"write to the root":              "echo x >/x",
	"make a directory in the root":   "mkdir /home/other",
	"write to the agent":             "echo x >>$AGENT",
	"write to the kernel":            "p=$(cat /proc/sys/kernel/core_pattern) && echo \"$p\" >/proc/sys/kernel/core_pattern",
	"have the kernel act":            "echo h >/proc/sysrq-trigger",
	"write to a control group":       "for f in $(find /sys/fs/cgroup -name cgroup.procs -o -name '*.max' 2>/dev/null); do echo max >$f && exit 0; done; exit 1",
	"keep files beside the devices":  "echo x >/dev/x",
	"leave by a link to the scratch": "ln -s / /work/root; echo x >/work/root/usr/x",
	"change the secret":              "echo x >>$SECRET",

	// To read what is others'.
	"read a file of this computer":  "cat $SECRET",
	"read it through the agent":     "cat /proc/1/root$SECRET",
	"read it through its directory": "cat /proc/1/cwd/../../../../../../..$SECRET",
	"read the agent's environment":  "cat /proc/1/environ",
	"read this computer's disks":    "cat /dev/sda /dev/vda /dev/mem",
	"read this computer's memory":   "head -c 1 /proc/kcore",
	"find the keys of the person":   "ls /root/.ssh || ls -d /home/*/.ssh",
	"read the passwords":            "grep : /etc/shadow",
	"leave by the directory above":  "cat /work/../../../../..$SECRET",
	"leave by a link":               "ln -s $SECRET /work/link; cat /work/link",
	"find the token of a service":   "ls /var/run/secrets /run/secrets | grep .",

	// To reach a network that is off.
	"reach the network":             "$ATTACKER dial tcp 198.51.100.1:80",
	"reach the network over UDP":    "$ATTACKER send udp 198.51.100.1:53",
	"reach the network over IPv6":   "$ATTACKER dial tcp6 [2001:db8::1]:80",
	"reach this computer":           "$ATTACKER dial tcp $TCP",
	"reach this computer over UDP":  "$ATTACKER converse udp $UDP",
	"reach this computer over IPv6": "$ATTACKER dial tcp6 $6TCP",
	"reach a name server":           "$ATTACKER dial tcp 127.0.0.53:53",
	"reach an abstract socket":      "$ATTACKER dial unix $ABSTRACT",
	"have a network card":           "grep -v 'lo:' /proc/net/dev | grep :",

	// To reach what acts for the person.
	"reach an engine":       "$ATTACKER dial unix $ENGINE",
	"find an engine":        "ls /run/podman /var/run/docker.sock /run/docker.sock | grep .",
	"know of the SSH agent": "test -n \"$SSH_AUTH_SOCK\"",
	"reach the SSH agent":   "$ATTACKER dial unix $SSHAGENT",

	// To end, trace or read what is not its own.
	"find a process of the person":    "cat /proc/$VICTIM/cmdline",
	"kill a process of the person":    "$ATTACKER kill $VICTIM",
	"trace a process of the person":   "$ATTACKER trace $VICTIM",
	"read the memory of the person's": "$ATTACKER peek $VICTIM",
	"kill this program":               "$ATTACKER kill $SELF",
	"trace the agent":                 "$ATTACKER trace 1",
	"read the agent's memory":         "$ATTACKER peek 1",
	"write the agent's memory":        "echo x >/proc/1/mem",
	"type into a terminal":            "$ATTACKER inject",

	// To have more rights.
	"become root in a namespace": "$ATTACKER namespace",
	"mount":                      "$ATTACKER mount",
	"make a device":              "$ATTACKER device",
	"have rights":                `! { grep -q 'CapEff:\s*0000000000000000' /proc/self/status && grep -q 'CapBnd:\s*0000000000000000' /proc/self/status && grep -q 'NoNewPrivs:\s*1' /proc/self/status && grep -q 'Seccomp:\s*2' /proc/self/status; }`,
}

// Run tries the list in a place, and then what ends or fills it, after which it still works.
func Run(t *testing.T, g Target) {
	t.Helper()
	w := g.World
	if g.Attacker == "" {
		g.Attacker = "attacker"
	}
	words := strings.NewReplacer(
		"$ATTACKER", g.Attacker, "$AGENT", g.Agent, "$SECRET", w.Secret, "$ENGINE", w.Engine, "$SSHAGENT", w.Agent, "$ABSTRACT", w.Abstract,
		"$TCP", w.TCP, "$6TCP", w.TCP6, "$UDP", w.UDP, "$VICTIM", strconv.Itoa(w.Victim), "$SELF", strconv.Itoa(os.Getpid()),
	)
	all := maps.Clone(list)
	maps.Copy(all, g.More)
	for name, why := range g.NotClaimed {
		t.Logf("%s: not claimed, %s", name, why)
		if all[name] == "" && name != "kill" && name != "bomb" && name != "disk" {
			t.Errorf("%q is not in the list", name)
		}
	}
	if got := hostedtest.Run(t, g.Runtime, words.Replace("$ATTACKER nothing")); got.ExitCode != 2 {
		t.Fatalf("the attacker is not there: %+v %s", got, got.Stderr)
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if g.NotClaimed[name] != "" || name == "reach this computer over IPv6" && w.TCP6 == "" {
			continue
		}
		script := words.Replace(all[name])
		if got := hostedtest.Run(t, g.Runtime, script); got.ExitCode == 0 {
			t.Errorf("%s: %s succeeds: %.300s", name, script, got.Stdout)
		}
	}
	if g.NotClaimed["kill"] == "" {
		for _, script := range []string{"kill -9 1; kill -15 1", "$ATTACKER kill 1", "kill -9 -1"} {
			hostedtest.Run(t, g.Runtime, words.Replace(script))
			g.works(t, script)
		}
	}
	if g.NotClaimed["bomb"] == "" {
		g.bomb(t, words.Replace("$ATTACKER bomb "+strconv.Itoa(g.Bomb)+" 2>&1"))
	}
	if g.NotClaimed["disk"] == "" && g.DiskMB > 0 {
		g.fill(t)
	}
	if err := w.Unharmed(); err != nil {
		t.Error(err)
	}
}

// works has the place do what programs may.
func (g Target) works(t *testing.T, after string) {
	t.Helper()
	got := hostedtest.Run(t, g.Runtime, "echo x >/work/mine && echo x >/tmp/mine && echo x >~/mine && echo x >/dev/null && cat /work/mine && rm /work/mine /tmp/mine ~/mine")
	if got.ExitCode != 0 || string(got.Stdout) != "x\n" {
		t.Errorf("after %s: %+v %s", after, got, got.Stderr)
	}
}

// bomb starts processes until that is refused; all end with the program that started them.
func (g Target) bomb(t *testing.T, script string) {
	t.Helper()
	got := hostedtest.Run(t, g.Runtime, script)
	if said := string(got.Stdout) + string(got.Stderr); !strings.Contains(said, "resource temporarily unavailable") && !strings.Contains(said, "fork") {
		t.Errorf("a fork bomb finds no bound: %+v %s", got, got.Stderr)
	}
	for began := time.Now(); ; <-time.After(50 * time.Millisecond) {
		if got := hostedtest.Run(t, g.Runtime, "ls /proc | grep -c '^[0-9]'"); len(got.Stdout) > 0 && len(strings.TrimSpace(string(got.Stdout))) < 3 {
			break
		}
		if time.Since(began) > 30*time.Second {
			t.Fatal("the processes of a fork bomb are left")
		}
	}
	g.works(t, "a fork bomb")
}

// fill writes until there is no space.
func (g Target) fill(t *testing.T) {
	t.Helper()
	got := hostedtest.Run(t, g.Runtime, "head -c "+strconv.Itoa(g.DiskMB<<20)+" /dev/zero >/work/full")
	if got.ExitCode == 0 || !strings.Contains(string(got.Stderr), "No space left") {
		t.Errorf("a disk is not full: %+v %s", got, got.Stderr)
	}
	if got := hostedtest.Run(t, g.Runtime, "rm /work/full"); got.ExitCode != 0 {
		t.Errorf("a full disk stays: %+v %s", got, got.Stderr)
	}
	g.works(t, "a full disk")
}
