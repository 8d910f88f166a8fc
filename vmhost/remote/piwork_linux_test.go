package remote

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"piwork/scripts/lib/gobuild"
	"piwork/vmhost"
)

// installed is a program that says a version, and on dial-stdio what it hears.
const installed = `#!/bin/sh
case "$1" in
version) echo '{"version":"1.2.3"}' ;;
dial-stdio) env >"$HOME/env"; exec cat ;;
esac
`

// install writes a program there.
func (s *server) install(t testing.TB, path, text string) {
	t.Helper()
	path = filepath.Join(s.home, path)
	err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o700))
	if err != nil {
		t.Fatal(err)
	}
}

// why is the reason for which piwork there cannot be used; "" for another error.
func why(err error) string {
	var p *ProgramError
	if !errors.As(err, &p) {
		return ""
	}
	return p.Why
}

// piworkThere connects to the piwork there.
func piworkThere(t *testing.T, there Computer) *Piwork {
	t.Helper()
	p, err := there.FindPiwork(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// hears sends a text, and says what comes back.
func hears(t *testing.T, c net.Conn, text string) string {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, len(text))
	if _, err := io.ReadFull(c, buf); err != nil {
		t.Fatal(err)
	}
	return string(buf)
}

// piwork is found at the usual places, or where the person says: whatever is in that name, it
// is a name, and no shell runs it.
func TestFindPiwork(t *testing.T) {
	s, there := computer(t)
	if _, err := there.FindPiwork(soon(t)); why(err) != ProgramMissing && why(err) != "" {
		t.Errorf("none: %v", err)
	}
	for _, place := range []string{"bin/piwork", ".local/bin/piwork"} {
		s.install(t, place, installed)
		want := Found{filepath.Join(s.home, place), s.home, "1.2.3"}
		if p := piworkThere(t, there); p.Found != want && p.Program != "/usr/local/bin/piwork" {
			t.Errorf("%+v, want %+v", p.Found, want)
		}
	}
	for _, name := range []string{"a b/piwork", `q'"/piwork`, "$(touch made)/`touch made`", "; touch made", "-oProxyCommand", "*", `back\nslash`, "{a,b}", "ä ö"} {
		s.install(t, name, installed)
		for _, program := range []string{filepath.Join(s.home, name), "~/" + name} {
			there.Program = program
			if p := piworkThere(t, there); p.Program != filepath.Join(s.home, name) {
				t.Errorf("%q is found as %q", program, p.Program)
			} else if c, err := p.Dial(soon(t)); err != nil || hears(t, c, "go on") != "go on" {
				t.Errorf("%q: %v", program, err)
			}
		}
	}
	if _, err := os.Lstat(filepath.Join(s.home, "made")); err == nil {
		t.Error("a name was run")
	}
	for program, want := range map[string]string{
		"piwork": ProgramMissing, "../piwork": ProgramMissing, "-x": ProgramMissing, "/a\nb": ProgramMissing, "/\x1b[31m": ProgramMissing, "/" + strings.Repeat("a", maxPath): ProgramMissing,
		"/nowhere/piwork": ProgramMissing, "/etc/passwd": ProgramMissing, "/": ProgramMissing, "/bin/true": ProgramFails, "/bin/echo": ProgramFails,
	} {
		there.Program = program
		if _, err := there.FindPiwork(soon(t)); why(err) != want {
			t.Errorf("%.20q: %v", program, err)
		}
	}
}

// A stream is half closed by either side, and several go over one connection. Nothing is asked
// for with it: no agent, no terminal, no variable.
func TestDial(t *testing.T) {
	t.Setenv("PIWORK_SECRET", "of this computer")
	s, there := computer(t)
	s.install(t, ".local/bin/piwork", installed)
	p := piworkThere(t, there)
	a, err := p.Dial(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	b, err := p.Dial(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if got := hears(t, a, "one") + hears(t, b, "two"); got != "onetwo" {
			t.Errorf("%q", got)
		}
	}
	if _, err := io.WriteString(a, "the rest"); err != nil {
		t.Fatal(err)
	}
	if err := a.(*stream).CloseWrite(); err != nil {
		t.Error(err)
	}
	if rest, err := io.ReadAll(a); err != nil || string(rest) != "the rest" {
		t.Errorf("%q %v", rest, err)
	}
	if hears(t, b, "two") != "two" {
		t.Error("one that ends takes the other with it")
	}
	env, err := os.ReadFile(filepath.Join(s.home, "env"))
	if err != nil || bytes.Contains(env, []byte("SECRET")) || bytes.Contains(env, []byte("SSH_AUTH_SOCK")) {
		t.Errorf("%s %v", env, err)
	}
	kinds := slices.Compact(slices.Sorted(slices.Values(s.asked())))
	if !slices.Equal(kinds, []string{"exec", "session"}) {
		t.Errorf("the other computer was asked for %q", kinds)
	}
	p.Close()
	if _, err := p.Dial(soon(t)); !errors.Is(err, net.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

// A program that ends without a word says why.
func TestDialFails(t *testing.T) {
	s, there := computer(t)
	for text, want := range map[string]string{
		"echo 'unknown command \x1b[31mdial-stdio' >&2; exit 2": ProgramOld,
		"echo it does not start >&2; exit 1":                    ProgramFails,
		"head -c 100000 /dev/zero | tr '\\0' x >&2; exit 1":     ProgramFails,
	} {
		s.install(t, ".local/bin/piwork", "#!/bin/sh\n[ \"$1\" = version ] && { echo '{\"version\":\"1.0.0\"}'; exit; }\n"+text+"\n")
		c, err := piworkThere(t, there).Dial(soon(t))
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Read(make([]byte, 1))
		if why(err) != want || strings.Contains(err.Error(), "\x1b") || len(err.Error()) > 2*maxDetail {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A connection that is lost is made again, and who looks on hears of it. One to a computer
// whose key is another by then is not.
func TestConnectsAgain(t *testing.T) {
	s, there := computer(t)
	s.install(t, ".local/bin/piwork", installed)
	p := piworkThere(t, there)
	lost := 0
	p.OnLost = func() { lost++ }
	for n := range 3 {
		c, err := p.Dial(soon(t))
		if err != nil || hears(t, c, "on") != "on" {
			t.Fatalf("%d: %v", n, err)
		}
		s.cut()
		if _, err := c.Read(make([]byte, 1)); err == nil {
			t.Error("it reads on")
		}
	}
	if lost != 2 {
		t.Errorf("it was lost %d times", lost)
	}
	other, _ := newKey(t)
	s.setKey(other)
	before := len(s.asked())
	s.cut()
	var f *vmhost.FailedError
	if _, err := p.Dial(soon(t)); !errors.As(err, &f) || f.Reason != vmhost.ReasonHostKeyChanged {
		t.Errorf("%v", err)
	}
	if n := len(s.asked()); n != before {
		t.Errorf("the other computer was asked for %q", s.asked()[before:])
	}
}

// Who cannot be reached any more is given up.
func TestGivesUp(t *testing.T) {
	s, there := computer(t)
	s.install(t, ".local/bin/piwork", installed)
	p := piworkThere(t, there)
	p.patience = 50 * time.Millisecond
	s.setDown(true)
	s.cut()
	var f *vmhost.FailedError
	if _, err := p.Dial(soon(t)); !errors.As(err, &f) || f.Reason != vmhost.ReasonRemoteUnreachable {
		t.Errorf("%v", err)
	}
}

// A computer that falls silent is noticed.
func TestKeepAlive(t *testing.T) {
	s, there := computer(t)
	client, err := there.dial(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	over := make(chan struct{})
	go func() {
		keepAlive(client, time.Millisecond, 2*time.Second)
		close(over)
	}()
	for !slices.Contains(s.asked(), "keepalive@openssh.com") {
		select {
		case <-over:
			t.Fatal("one that answers is given up")
		case <-time.After(time.Millisecond):
		}
	}
	s.silence()
	select {
	case <-over:
	case <-soon(t).Done():
		t.Fatal("it waits for good")
	}
}

// A computer can answer anything.
func TestParseFound(t *testing.T) {
	good := "/home/anna\n/usr/bin/piwork\n" + `{"version":"1.2.3-rc.1+x","os":"linux"} ` + "\n"
	if f, err := parseFound(good); err != nil || f != (Found{"/usr/bin/piwork", "/home/anna", "1.2.3-rc.1+x"}) {
		t.Errorf("%+v %v", f, err)
	}
	for said, want := range map[string]string{
		"":                       ProgramSystem,
		"/h\n/p":                 ProgramSystem,
		"h\n/p\n{}\n":            ProgramSystem,
		"\n/p\n{}\n":             ProgramSystem,
		"/h\x1b[31m\n/p\n{}\n":   ProgramSystem,
		"/h\np\n{}\n":            ProgramSystem,
		"/h\n/p\x00\n{}\n":       ProgramSystem,
		"/h\n-oProxyCommand\n{}": ProgramSystem,
		"/h\n\n\n":               ProgramMissing,
		"/h\n/p\n\n":             ProgramFails,
		"/h\n/p\nnot found\n":    ProgramFails,
		"/h\n/p\n[]\n":           ProgramFails,
		"/h\n/p\n{\"version\":\"\x1b[31m1.0\"}\n":                      ProgramFails,
		"/h\n/p\n{\"version\":\"" + strings.Repeat("1", 100) + "\"}\n": ProgramFails,
		"/h\n/p\n{\"version\":\"latest\"}\n":                           ProgramFails,
		"/h\n/p\n" + strings.Repeat(" ", 5000) + "{\"version\":\"1\"}": ProgramFails,
		strings.Repeat("\x1b]0;evil\a", 1000):                          ProgramSystem,
	} {
		f, err := parseFound(said)
		if why(err) != want || f != (Found{}) || len(err.Error()) > 2*maxDetail || strings.ContainsAny(err.Error(), "\x1b\x00") {
			t.Errorf("%.40q: %+v %v", said, f, err)
		}
	}
}

func FuzzParseFound(f *testing.F) {
	f.Add("/home/anna\n/usr/bin/piwork\n{\"version\":\"1.2.3\"}\n")
	f.Add("/h\n\n\n")
	f.Fuzz(func(t *testing.T, said string) {
		found, err := parseFound(said)
		switch {
		case err == nil:
			if !fitsPath(found.Home) || !fitsPath(found.Program) || found.Home[0] != '/' || found.Program[0] != '/' || found.Version == "" {
				t.Errorf("%+v", found)
			}
		case why(err) == "" || len(err.Error()) > 2*maxDetail:
			t.Error(err)
		}
	})
}

// A computer that answers without end, or not at all, is given up.
func TestHostileAnswers(t *testing.T) {
	s, there := computer(t)
	s.run = func(_ string, ch ssh.Channel) bool {
		for line := bytes.Repeat([]byte("piwork\n"), 1000); ; {
			if _, err := ch.Write(line); err != nil {
				return true
			}
		}
	}
	if _, err := there.FindPiwork(soon(t)); err == nil || why(err) != "" {
		t.Errorf("endless: %v", err)
	}
	s.run = func(_ string, ch ssh.Channel) bool {
		_, _ = io.Copy(io.Discard, ch)
		<-t.Context().Done()
		return true
	}
	ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	if _, err := there.FindPiwork(ctx); err == nil {
		t.Error("it found what says nothing")
	}
}

// sent builds a static program that does as installed does, and notes what else it is told.
func sent(t *testing.T, version string) string {
	t.Helper()
	dir := t.TempDir()
	source := `package main

import (
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	switch os.Args[1] {
	case "version":
		fmt.Println("{\"version\":\"` + version + `\"}")
	case "dial-stdio":
		io.Copy(os.Stdout, os.Stdin)
	default:
		os.WriteFile(os.Getenv("HOME")+"/stopped", []byte(strings.Join(os.Args[1:], " ")), 0o600)
	}
}
`
	err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(source), 0o600)
	if err == nil {
		err = gobuild.Program(filepath.Join(dir, "piwork"), filepath.Join(dir, "main.go"), "")
	}
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "piwork")
}

// A program is sent whole, used where none was installed, replaced by the next one, and removed
// with all else that is from here; what the person has there stays.
func TestInstallPiwork(t *testing.T) {
	s, there := computer(t)
	if found, err := there.FindPiwork(soon(t)); err == nil {
		found.Close()
		there.Program = "~/.cache/piwork/" + programDir + "/piwork" // this computer has one of its own, which would be found before it
	}
	var last Found
	for _, version := range []string{"1.0.0", "1.1.0"} {
		found, err := there.InstallPiwork(soon(t), sent(t, version))
		if err != nil {
			t.Fatal(err)
		}
		if found.Version != version || found.Program != filepath.Join(s.home, ".cache/piwork/program/piwork") {
			t.Errorf("%+v", found)
		}
		if len(s.left(t)) != 2 {
			t.Errorf("left: %q", s.left(t))
		}
		last = found
	}
	if c, err := piworkThere(t, there).Dial(soon(t)); err != nil || hears(t, c, "go on") != "go on" {
		t.Error(err)
	}
	if u, err := there.Usage(soon(t)); err != nil || u.Bytes < 1<<20 || u.Piwork != last {
		t.Errorf("%+v %v", u, err)
	}
	for _, name := range []string{".cache/piwork/trees/x", ".local/share/piwork/tasks/x"} { // of the piwork there
		s.install(t, name, "")
	}
	if err := there.Clean(soon(t)); err != nil {
		t.Fatal(err)
	}
	if left := s.left(t); !slices.Equal(left, []string{"piwork/trees/x"}) {
		t.Errorf("left: %q", left)
	}
	if data, err := os.ReadFile(filepath.Join(s.home, "stopped")); err != nil || strings.TrimSpace(string(data)) != "serve --stop --cancel" {
		t.Errorf("it was not ended: %q %v", data, err)
	}
}

// Another installation at the same moment takes away what has just arrived: it is sent again, and
// what was there before is never taken for nothing.
func TestInstallRaces(t *testing.T) {
	s, there := computer(t)
	there.Program = "~/.cache/piwork/" + programDir + "/piwork"
	if _, err := there.InstallPiwork(soon(t), sent(t, "1.0.0")); err != nil {
		t.Fatal(err)
	}
	before, err := filepath.EvalSymlinks(filepath.Join(s.home, ".cache/piwork/program/piwork"))
	if err != nil {
		t.Fatal(err)
	}
	races := 0
	s.run = func(command string, _ ssh.Channel) bool {
		if !strings.Contains(command, "ln -sfn") || races == maxTurns {
			return false
		}
		races++
		if _, err := os.Stat(before); err != nil {
			t.Errorf("after %d races nothing is there", races)
		}
		all, _ := filepath.Glob(filepath.Join(s.home, ".cache/piwork/program/*"))
		for _, name := range all {
			if name != before && filepath.Base(name) != "piwork" {
				_ = os.Remove(name)
			}
		}
		return false
	}
	program := sent(t, "1.1.0")
	if found, err := there.InstallPiwork(soon(t), program); err != nil || found.Version != "1.1.0" || races != maxTurns {
		t.Errorf("%+v %v, %d races", found, err, races)
	}
	if len(s.left(t)) != 2 {
		t.Errorf("left: %q", s.left(t))
	}
}

// A piwork that the person installed there later may have the same data: its controller and its
// tasks are not ended.
func TestCleanLeavesAnInstalledPiwork(t *testing.T) {
	s, there := computer(t)
	if _, err := there.InstallPiwork(soon(t), sent(t, "1.0.0")); err != nil && why(err) != ProgramFails {
		t.Fatal(err)
	}
	s.install(t, "own/piwork", installed)
	there.Program = "~/own/piwork"
	c, err := piworkThere(t, there).Dial(soon(t))
	if err != nil || hears(t, c, "at work") != "at work" {
		t.Fatal(err)
	}
	if err := there.Clean(soon(t)); err != nil {
		t.Fatal(err)
	}
	if hears(t, c, "still") != "still" {
		t.Error("it was ended")
	}
	if told, err := os.ReadFile(filepath.Join(s.home, "stopped")); err == nil {
		t.Errorf("the controller there was told %q", told)
	}
	if left := s.left(t); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// What would not run there is not sent, and nothing goes through a link.
func TestInstallRefused(t *testing.T) {
	s, there := computer(t)
	if _, err := there.InstallPiwork(soon(t), "/etc/passwd"); !errors.Is(err, ErrNotAlone) {
		t.Errorf("no program: %v", err)
	}
	if _, err := there.InstallPiwork(soon(t), "/bin/ls"); !errors.Is(err, ErrNotAlone) {
		t.Errorf("one that needs others: %v", err)
	}
	if len(s.asked()) > 0 {
		t.Errorf("the other computer was asked for %q", s.asked())
	}
	program := sent(t, "1.0.0")
	s.install(t, ".cache/piwork/x", "")
	if err := os.Symlink(t.TempDir(), filepath.Join(s.home, ".cache/piwork/program")); err != nil {
		t.Fatal(err)
	}
	if _, err := there.InstallPiwork(soon(t), program); !unfitFor(err) {
		t.Errorf("a link: %v", err)
	}
	if err := there.Clean(soon(t)); !unfitFor(err) {
		t.Errorf("a link is cleaned: %v", err)
	}
}
