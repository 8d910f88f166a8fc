package desktop

import (
	"bufio"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/godbus/dbus/v5"
)

// systemBus starts a bus of this test and has the program take it for the system's.
func systemBus(t *testing.T) *dbus.Conn {
	t.Helper()
	daemon, err := exec.LookPath("dbus-daemon")
	if err != nil {
		t.Fatalf("./scripts/setup installs dbus-daemon: %v", err)
	}
	cmd := exec.CommandContext(t.Context(), daemon, "--session", "--nofork", "--print-address")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("DBUS_SYSTEM_BUS_ADDRESS", strings.TrimSpace(address))
	return connected(t)
}

func connected(t *testing.T) *dbus.Conn {
	t.Helper()
	bus, err := dbus.ConnectSystemBus()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { bus.Close() })
	return bus
}

// login1 is a logind of a test.
type login1 struct {
	bus   *dbus.Conn
	asked chan inhibited
}

// inhibited is a lock that was asked for.
type inhibited struct {
	what         string
	mine, theirs *os.File // the first is over when nobody holds the second
}

func newLogin1(t *testing.T) *login1 {
	t.Helper()
	return &login1{bus: systemBus(t), asked: make(chan inhibited, 1)}
}

// Inhibit is org.freedesktop.login1.Manager.Inhibit.
func (l *login1) Inhibit(what, _, _, mode string) (dbus.UnixFD, *dbus.Error) {
	mine, theirs, err := os.Pipe()
	if err != nil {
		return 0, dbus.MakeFailedError(err)
	}
	fd := dbus.UnixFD(theirs.Fd())
	l.asked <- inhibited{what + " " + mode, mine, theirs}
	return fd, nil
}

// say says that the computer is about to be switched off, or that it is not after all.
func (l *login1) say(t *testing.T, off bool) {
	t.Helper()
	if err := l.bus.Emit(logindPath, logindManager+"."+goesOff, off); err != nil {
		t.Fatal(err)
	}
}

// A computer that is about to be switched off waits until everything is over, and no
// longer; nothing is begun when it is not to be switched off, and by nobody else.
func TestSwitchedOff(t *testing.T) {
	d := newLogin1(t)
	if err := d.bus.Export(d, logindPath, logindManager); err != nil {
		t.Fatal(err)
	}
	if r, err := d.bus.RequestName(logind, 0); err != nil || r != dbus.RequestNameReplyPrimaryOwner {
		t.Fatal(r, err)
	}
	log := slog.New(slog.DiscardHandler)
	var said, finished atomic.Bool
	var l *logout
	l = newLogout(nil, func() {
		if !said.Load() {
			t.Error("begun before the computer is switched off")
		}
		go func() {
			finished.Store(true)
			l.finished()
		}()
	})
	deaf, err := hearSession(l, log)
	if err != nil {
		t.Fatal(err)
	}
	defer deaf()
	lock := <-d.asked
	lock.theirs.Close() // the program has one of its own
	if lock.what != "shutdown delay" {
		t.Errorf("asked for %q", lock.what)
	}
	d.say(t, false)
	said.Store(true)
	d.say(t, true)
	if n, err := lock.mine.Read(make([]byte, 1)); n != 0 || err != io.EOF || !finished.Load() {
		t.Errorf("the lock: %d %v, over: %v", n, err, finished.Load())
	}

	stranger := connected(t)
	if !fromLogind(stranger, &dbus.Signal{Sender: d.bus.Names()[0]}) || fromLogind(stranger, &dbus.Signal{Sender: stranger.Names()[0]}) {
		t.Error("logind and a stranger are taken for each other")
	}
}

// A program that ends lets go of what it held; without logind it says so.
func TestDeaf(t *testing.T) {
	d := newLogin1(t)
	log := slog.New(slog.DiscardHandler)
	if _, err := hearSession(newLogout(nil, nil), log); err == nil {
		t.Error("no error without logind")
	}
	if err := d.bus.Export(d, logindPath, logindManager); err != nil {
		t.Fatal(err)
	}
	if _, err := d.bus.RequestName(logind, 0); err != nil {
		t.Fatal(err)
	}
	deaf, err := hearSession(newLogout(nil, nil), log)
	if err != nil {
		t.Fatal(err)
	}
	lock := <-d.asked
	lock.theirs.Close()
	deaf()
	if _, err := lock.mine.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the lock is held: %v", err)
	}
}
