package remote

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/crypto/ssh"

	"piwork/scripts/lib/gobuild"
	"piwork/scripts/lib/tier"
	"piwork/vmhost"
	"piwork/vmhost/remote/sshtest"
	"piwork/vmhost/runtimetest/attacks"
	"piwork/vmhost/wire"
	"piwork/vmhost/wire/resume"
)

// refused connects, which is to fail for a reason.
func refused(t *testing.T, c Config, want vmhost.Reason) *vmhost.FailedError {
	t.Helper()
	r, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	err = r.Connect(soon(t))
	if cerr := r.Close(soon(t)); cerr != nil {
		t.Error(cerr)
	}
	var f *vmhost.FailedError
	if !errors.As(err, &f) || f.Reason != want || f.Runtime != "remote:test" {
		t.Fatalf("%+v is not %q", err, want)
	}
	return f
}

// A computer whose key is another than before is not spoken to, at no time.
func TestHostKeys(t *testing.T) {
	s, there := computer(t)
	c := config(t, there)
	r, err := New(c)
	if err == nil {
		err = r.Connect(soon(t))
	}
	if err != nil {
		t.Fatal(err)
	}
	other, _ := newKey(t)
	first := s.key
	s.setKey(other)
	refused(t, c, vmhost.ReasonHostKeyChanged)
	before := len(s.asked())
	s.cut()
	var f *vmhost.FailedError
	if _, err := r.Execute(soon(t), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"sleep", "600"}}}); !errors.As(err, &f) || f.Reason != vmhost.ReasonHostKeyChanged {
		t.Errorf("%+v", err)
	}
	if n := len(s.asked()); n != before {
		t.Errorf("the other computer was asked for %q", s.asked()[before:])
	}
	s.setKey(first)
	if err := r.Close(soon(t)); err != nil {
		t.Error(err)
	}

	// One that nobody knows is shown, and used once a person confirmed it.
	c.Computer.HostKeys = nil
	if err := os.Truncate(filepath.Join(filepath.Dir(c.Computer.configFile), "known_hosts"), 0); err != nil {
		t.Fatal(err)
	}
	var unknown *HostKeyError
	if err := refused(t, c, vmhost.ReasonHostKeyUnknown); !errors.As(err, &unknown) || unknown.Changed || unknown.Fingerprint != ssh.FingerprintSHA256(first.PublicKey()) {
		t.Errorf("%+v", err)
	}
	address, key := unknown.Pin()
	c.Computer.HostKeys = map[string]string{address: key}
	if err := c.Computer.Look(soon(t)); err != nil {
		t.Error(err)
	}
	s.setKey(other)
	refused(t, c, vmhost.ReasonHostKeyChanged)
}

// Somebody in between, who has the right address and another key, learns nothing.
func TestBetween(t *testing.T) {
	s, there := computer(t)
	evil, private := newKey(t)
	_ = private
	spy, _ := computer(t)
	spy.setKey(evil)
	_, port, _ := net.SplitHostPort(spy.address)
	_, was, _ := net.SplitHostPort(s.address)
	b, err := os.ReadFile(there.configFile)
	if err != nil {
		t.Fatal(err)
	}
	// The name of the computer leads elsewhere now.
	b = bytes.ReplaceAll(b, []byte("Port "+was), []byte("Port "+port+"\n HostKeyAlias was"))
	hosts := filepath.Join(filepath.Dir(there.configFile), "known_hosts")
	line, err := os.ReadFile(hosts)
	if err == nil {
		_, key, _ := strings.Cut(string(line), " ")
		err = errors.Join(os.WriteFile(there.configFile, b, 0o600), os.WriteFile(hosts, []byte("was "+key), 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	refused(t, config(t, there), vmhost.ReasonHostKeyChanged)
	if asked := spy.asked(); len(asked) > 0 {
		t.Errorf("it was asked for %q", asked)
	}
}

// Another computer that says anything in place of an answer is given up, at once.
func TestHostileComputer(t *testing.T) {
	endless := func(w io.Writer) {
		for b := make([]byte, 32<<10); ; {
			if _, err := w.Write(b); err != nil {
				return
			}
		}
	}
	isAgent := func(command string) bool { return strings.HasSuffix(command, `" remote'`) }
	answer := func(ch ssh.Channel, a resume.Answer) { resume.WriteLine(ch, a) }
	attaches := func(ch ssh.Channel) bool {
		var r resume.Request
		return resume.ReadLine(ch, &r) == nil && r.Action == resume.ActionAttach
	}
	digest := func(t *testing.T) string {
		p, err := readProgram(agentProgram(t))
		if err != nil {
			t.Fatal(err)
		}
		return p.digest
	}
	for name, tt := range map[string]struct {
		run    func(t *testing.T, command string, ch ssh.Channel) bool
		reason vmhost.Reason
	}{
		"output without end": {func(_ *testing.T, _ string, ch ssh.Channel) bool { endless(ch); return true }, vmhost.ReasonProtocol},
		"errors without end": {func(_ *testing.T, c string, ch ssh.Channel) bool {
			if isAgent(c) {
				go endless(ch.Stderr())
				endless(ch)
			}
			return isAgent(c)
		}, vmhost.ReasonProtocol},
		"it is no computer": {func(_ *testing.T, _ string, ch ssh.Channel) bool {
			io.WriteString(ch, "PDP-11\n")
			ch.SendRequest("exit-status", false, []byte{0, 0, 0, 0})
			return true
		}, vmhost.ReasonRemoteUnfit},
		"another processor": {func(_ *testing.T, _ string, ch ssh.Channel) bool {
			io.WriteString(ch, "Linux mips\nmissing\n")
			ch.SendRequest("exit-status", false, []byte{0, 0, 0, 0})
			return true
		}, vmhost.ReasonRemoteUnfit},
		"the program did not arrive": {func(_ *testing.T, c string, ch ssh.Channel) bool {
			if strings.Contains(c, "gzip") {
				io.Copy(io.Discard, ch)
				io.WriteString(ch, "no\n")
				ch.SendRequest("exit-status", false, []byte{0, 0, 0, 0})
				return true
			}
			return false
		}, vmhost.ReasonRemoteUnfit},
		"another program answers": {func(_ *testing.T, c string, ch ssh.Channel) bool {
			if isAgent(c) {
				answer(ch, resume.Answer{ID: "0123456789abcdef", SHA256: "0000"})
			}
			return isAgent(c)
		}, vmhost.ReasonProtocol},
		"an older agent": {func(_ *testing.T, c string, ch ssh.Channel) bool {
			if isAgent(c) {
				io.WriteString(ch.Stderr(), "piwork-guest 1.2.3: this program runs as /init of piwork's virtual machine\n")
				ch.CloseWrite()
				ch.SendRequest("exit-status", false, []byte{0, 0, 0, 2})
			}
			return isAgent(c)
		}, vmhost.ReasonVersion},
		"no answer": {func(_ *testing.T, c string, ch ssh.Channel) bool {
			if isAgent(c) {
				io.WriteString(ch, "hello\n")
			}
			return isAgent(c)
		}, vmhost.ReasonProtocol},
		"a long line": {func(_ *testing.T, c string, ch ssh.Channel) bool {
			if isAgent(c) {
				io.WriteString(ch, strings.Repeat("x", 1<<20))
			}
			return isAgent(c)
		}, vmhost.ReasonProtocol},
		"frames that are none": {func(t *testing.T, c string, ch ssh.Channel) bool {
			if !isAgent(c) {
				return false
			}
			if attaches(ch) {
				answer(ch, resume.Answer{})
				io.WriteString(ch, strings.Repeat("garbage", 1000))
				io.Copy(io.Discard, ch)
				return true
			}
			answer(ch, resume.Answer{ID: "0123456789abcdef", SHA256: digest(t)})
			return true
		}, vmhost.ReasonProtocol},
		"an agent that is none": {func(t *testing.T, c string, ch ssh.Channel) bool {
			if !isAgent(c) {
				return false
			}
			if attaches(ch) {
				answer(ch, resume.Answer{})
				there, local := net.Pipe()
				go io.Copy(io.Discard, there)
				go endless(there)
				resume.New(local, false).Attach(ch)
				return true
			}
			answer(ch, resume.Answer{ID: "0123456789abcdef", SHA256: digest(t)})
			return true
		}, vmhost.ReasonProtocol},
	} {
		t.Run(name, func(t *testing.T) {
			s, there := computer(t)
			c := config(t, there)
			s.run = func(command string, ch ssh.Channel) bool {
				if isAgent(command) {
					io.WriteString(ch, mark)
				}
				return tt.run(t, command, ch)
			}
			r, err := New(c)
			if err != nil {
				t.Fatal(err)
			}
			var f *vmhost.FailedError
			if err := r.Connect(soon(t)); !errors.As(err, &f) || f.Reason != tt.reason {
				t.Errorf("%+v", err)
			}
			_ = r.Close(soon(t)) // it may say that something is left there
		})
	}
}

// No text of a person's is taken for an option, or for a command.
func TestParseTarget(t *testing.T) {
	for s, want := range map[string]Target{
		"example.org":                  {Host: "example.org"},
		"anna@example.org":             {User: "anna", Host: "example.org"},
		"anna@example.org:2222":        {User: "anna", Host: "example.org", Port: 2222},
		"my-box":                       {Host: "my-box"},
		"anna@[2001:db8::1]:22":        {User: "anna", Host: "2001:db8::1", Port: 22},
		"[2001:db8::1]":                {Host: "2001:db8::1"},
		"-oProxyCommand=id":            {},
		"anna@-oProxyCommand=id":       {},
		"-l root@example.org":          {},
		"anna@example.org -oX=y":       {},
		"example.org;id":               {},
		"$(id)":                        {},
		"`id`@x":                       {},
		"anna@exam\nple.org":           {},
		"":                             {},
		"@":                            {},
		"anna@":                        {},
		"example.org:0":                {},
		"example.org:99999":            {},
		"../../etc/passwd":             {},
		strings.Repeat("x", 300):       {},
		strings.Repeat("x", 70) + "@x": {},
	} {
		got, err := ParseTarget(s)
		if got != want || (err == nil) != (want != Target{}) {
			t.Errorf("%q: %+v %v", s, got, err)
		}
		if err == nil {
			if again, err := ParseTarget(got.String()); again != got || err != nil {
				t.Errorf("%q: again %+v %v", s, again, err)
			}
		}
	}
}

// What ssh says of a computer is what is used of it.
func TestReadSettings(t *testing.T) {
	known := filepath.Join(t.TempDir(), "known")
	if err := os.WriteFile(known, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := readSettings([]byte("hostname h\nport 2222\nuser u\nidentityfile ~/.ssh/id_%r\nidentitiesonly yes\nidentityagent none\nhostkeyalias a\nuserknownhostsfile "+known+" /no/such\nproxyjump j1,u2@j2:23\n"), "/home/x", "/agent")
	if err != nil || s.address != "h:2222" || s.name != "a:22" || s.nameBefore != "a:2222" || s.user != "u" || s.keys[0] != "/home/x/.ssh/id_u" || !s.onlyKeys || s.agent != "" ||
		len(s.knownHosts) != 1 || len(s.jumps) != 2 || s.jumps[1] != (Target{"u2", "j2", 23}) {
		t.Errorf("%+v %v", s, err)
	}
	for _, bad := range []string{"", "hostname h\n", "hostname h\nuser u\nproxycommand nc %h %p\n", "hostname h\nuser u\nproxyjump -oProxyCommand=id\n"} {
		if _, err := readSettings([]byte(bad), "/", ""); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// Who kills the agent there ends the place, and it is said at once.
func TestKilledThere(t *testing.T) {
	for name, part := range map[string]string{"the holder": "remote-hold", "the agent": "/run/piwork-guest\x00serve"} {
		t.Run(name, func(t *testing.T) {
			s, there := computer(t)
			r := connected(t, s, config(t, there))
			go func() {
				for _, pid := range processes(t, s.home, part) {
					syscall.Kill(pid, syscall.SIGKILL)
				}
			}()
			var f *vmhost.FailedError
			if _, err := r.Execute(soon(t), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"sleep", "600"}}}); !errors.As(err, &f) || f.Reason != vmhost.ReasonExited {
				t.Errorf("%+v", err)
			}
			if err := r.Close(soon(t)); err != nil {
				t.Error(err)
			}
			// What is left of a holder that was killed goes with the next one.
			if err := connected(t, s, config(t, there)).Close(soon(t)); err != nil {
				t.Error(err)
			}
		})
	}
}

// processes are those of a part of the agent that were started with a home.
func processes(t *testing.T, home, part string) (pids []int) {
	t.Helper()
	all, _ := filepath.Glob("/proc/[0-9]*")
	holders := map[int]bool{}
	for _, dir := range all {
		env, _ := os.ReadFile(dir + "/environ")
		line, _ := os.ReadFile(dir + "/cmdline")
		if pid, _ := strconv.Atoi(filepath.Base(dir)); bytes.Contains(env, []byte("HOME="+home)) && bytes.Contains(line, []byte("remote-hold")) {
			holders[pid] = true
		}
	}
	for _, dir := range all {
		line, _ := os.ReadFile(dir + "/cmdline")
		pid, _ := strconv.Atoi(filepath.Base(dir))
		stat, _ := os.ReadFile(dir + "/stat")
		_, rest, _ := strings.Cut(string(stat), ") ")
		fields := strings.Fields(rest)
		if !bytes.Contains(line, []byte(part)) || len(fields) < 2 {
			continue
		}
		if parent, _ := strconv.Atoi(fields[1]); holders[pid] || holders[parent] {
			pids = append(pids, pid)
		}
	}
	return pids
}

// Nobody is let into a place without its token.
func TestToken(t *testing.T) {
	s, there := computer(t)
	connected(t, s, config(t, there))
	runs, _ := filepath.Glob(filepath.Join(s.home, ".cache/piwork/run/*"))
	if len(runs) != 1 {
		t.Fatal(runs)
	}
	for _, token := range []string{"", strings.Repeat("0", 64)} {
		cmd := exec.CommandContext(t.Context(), agentProgram(t), "remote")
		cmd.Env = []string{"HOME=" + s.home}
		cmd.Stdin = strings.NewReader(`{"action":"attach","stream":"rpc","id":"` + filepath.Base(runs[0]) + `","token":"` + token + "\"}\n")
		if out, _ := cmd.CombinedOutput(); len(out) > 0 && !strings.Contains(string(out), "error") {
			t.Errorf("%q", out)
		}
	}
	for _, id := range []string{"../..", "", "0123456789abcdef/..", "0123456789abcdef"} {
		cmd := exec.CommandContext(t.Context(), agentProgram(t), "remote")
		cmd.Env = []string{"HOME=" + s.home}
		cmd.Stdin = strings.NewReader(`{"action":"end","id":"` + id + "\"}\n")
		if out, err := cmd.CombinedOutput(); err == nil {
			t.Errorf("%q: %q", id, out)
		}
	}
}

// A cache directory that leads elsewhere, or in which others write, has no programs of
// piwork's put into it, nor started out of it; and nothing is removed there.
func TestUnsafeCache(t *testing.T) {
	for name, prepare := range map[string]func(home, elsewhere string) error{
		"a link": func(home, elsewhere string) error { return os.Symlink(elsewhere, filepath.Join(home, ".cache")) },
		"a link below": func(home, elsewhere string) error {
			return errors.Join(os.Mkdir(filepath.Join(home, ".cache"), 0o700), os.Symlink(elsewhere, filepath.Join(home, ".cache/piwork")))
		},
		"others write there": func(home, _ string) error {
			return errors.Join(os.Mkdir(filepath.Join(home, ".cache"), 0o700), os.Chmod(filepath.Join(home, ".cache"), 0o777))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, there := computer(t)
			elsewhere := t.TempDir()
			if err := prepare(s.home, elsewhere); err != nil {
				t.Fatal(err)
			}
			refused(t, config(t, there), vmhost.ReasonRemoteUnfit)
			if entries, err := os.ReadDir(elsewhere); err != nil || len(entries) > 0 {
				t.Errorf("%v %v", entries, err)
			}
			if strings.HasPrefix(name, "a link") {
				if err := there.Clean(soon(t)); err == nil {
					t.Error("it is cleaned")
				}
			}
		})
	}
}

// A computer without space says so.
func TestDiskFull(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can make a small disk")
	}
	s, there := computer(t)
	if err := syscall.Mount("tmpfs", s.home, "tmpfs", 0, "size=1m"); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { syscall.Unmount(s.home, syscall.MNT_DETACH) })
	refused(t, config(t, there), vmhost.ReasonRemoteFull)
	if left := s.left(t); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// A computer is reached over another one, whose key counts as much.
func TestJump(t *testing.T) {
	s, there := computer(t)
	over, _ := computer(t)
	b, err := os.ReadFile(there.configFile)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(there.configFile)
	name, port, _ := net.SplitHostPort(over.address)
	b = append([]byte("Host jump\n HostName "+name+"\n Port "+port+"\n User somebody\nHost there\n ProxyJump jump\n"), b...)
	key, _ := os.ReadFile(filepath.Join(dir, "key"))
	user, err := ssh.ParsePrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	over.setUser(user.PublicKey())
	if err := os.WriteFile(there.configFile, b, 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t, config(t, there), vmhost.ReasonHostKeyUnknown)
	there.HostKeys = map[string]string{over.address: string(ssh.MarshalAuthorizedKey(over.key.PublicKey()))}
	r := connected(t, s, config(t, there))
	if got := run(t, r, "echo over"); string(got.Stdout) != "over\n" {
		t.Errorf("%+v", got)
	}
	if asked := strings.Join(over.asked(), " "); strings.Trim(strings.ReplaceAll(asked, "direct-tcpip", ""), " ") != "" {
		t.Errorf("the computer in between was asked for %q", asked)
	}
}

// What programs try from the place is what they try from a sandbox: refused, or the end of
// nothing but the place's own.
func TestAttacksFromInside(t *testing.T) {
	s, there := computer(t)
	attackFromInside(t, s, config(t, there), "")
}

// So it is on a computer of OpenSSH, whose SSH agent has the key of the person.
func TestAttacksOverSSHD(t *testing.T) {
	tier.Rest(t, "TestAttacksFromInside")
	to := sshtest.Start(t)
	there, err := over(to)
	if err != nil {
		t.Fatal(err)
	}
	attackFromInside(t, &server{home: to.Home}, config(t, there), to.Agent)
}

// attackFromInside tries the list on a computer whose home, and with it /work, is a small disk.
func attackFromInside(t *testing.T, s *server, c Config, agent string) {
	t.Helper()
	notClaimed := map[string]string{}
	if c.Root != "" {
		notClaimed["disk"] = "TestAttacksFromInside tries it, with a disk on which the programs of a pack have no space"
	} else if err := syscall.Mount("tmpfs", s.home, "tmpfs", 0, "size=128m,mode=700"); err != nil {
		notClaimed["disk"] = "only root can make a small disk: " + err.Error()
	} else {
		t.Cleanup(func() { syscall.Unmount(s.home, syscall.MNT_DETACH) })
	}
	c, dir, _ := shared(t, c)
	if err := gobuild.Program(filepath.Join(dir, "rw/attacker"), "piwork/vmhost/sandbox/attacker", ""); err != nil {
		t.Fatal(err)
	}
	w := attacks.NewWorld(t, s.home) // which is hidden there
	r := connected(t, s, c)
	if got := run(t, r, "cat attacker >/work/attacker && chmod 700 /work/attacker"); got.ExitCode != 0 { // from there it starts sooner
		t.Fatal(string(got.Stderr))
	}
	more := map[string]string{
		"reach the holder":            "ls " + s.home + "/.cache/piwork/run",
		"leave by a link in a folder": "ln -s $SECRET /folders/rw/link; cat /folders/rw/link",
		"find a file of the home":     "ls -A " + s.home,
	}
	if agent != "" {
		more["reach the agent that has the key"] = "$ATTACKER dial unix " + agent
	}
	attacks.Run(t, attacks.Target{
		Runtime: r, World: w, Attacker: "/work/attacker", Agent: "/run/piwork-guest", More: more, NotClaimed: notClaimed, Bomb: 20000, DiskMB: 200,
	})
	if err := r.Close(soon(t)); err != nil {
		t.Error(err)
	}
}
