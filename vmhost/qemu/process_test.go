//go:build unix

package qemu_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/digitalocean/go-qemu/qmp"

	"piwork/vmhost/qemu"
	"piwork/vmhost/qemu/qemutest"
)

// must ends the fake machine loudly: its messages are in the test's failure.
func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "fake guest:", err)
		os.Exit(98)
	}
}

// abort ends the process by a signal, like QEMU's abort(). SIGABRT itself has a
// meaning of its own in Go.
func abort(why string) int {
	fmt.Fprintln(os.Stderr, why)
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

var guests = map[string]qemutest.Guest{
	// A machine that boots and answers on a port.
	"boots": func(m *qemutest.Machine) int {
		must(m.Connect())
		fmt.Fprintln(os.Stderr, "qemu: a warning")
		must(m.Print("Linux version 6\r\n[0.1] starting\r\n"))
		must(m.Print("READY\r\n"))
		for _, c := range m.Ports {
			go func() { _, _ = io.Copy(c, c) }()
		}
		<-m.Quit
		return 0
	},
	// A machine in which whatever is plugged says its name.
	"takes all": func(m *qemutest.Machine) int {
		must(m.Connect())
		for {
			select {
			case p := <-m.Plugged:
				_, err := io.WriteString(p.Conn, p.Name)
				must(err)
			case c := <-m.Folders:
				_, err := io.WriteString(c, "folders")
				must(err)
			case <-m.Quit:
				return 0
			}
		}
	},
	// A machine that greets a device with folders.
	"takes folders": func(m *qemutest.Machine) int {
		if f := os.NewFile(3, "memory"); strings.Contains(strings.Join(m.Args, " "), "mem-path=/proc/self/fd/3") {
			fi, err := f.Stat()
			must(err)
			if fi.Size() != 16<<20 {
				must(fmt.Errorf("%d bytes of memory", fi.Size()))
			}
		}
		must(m.Connect())
		select {
		case c := <-m.Folders:
			_, err := io.WriteString(c, "hello")
			must(err)
			<-m.Quit
		case <-m.Quit:
		}
		return 0
	},
	"takes 9p": func(m *qemutest.Machine) int {
		must(m.Connect())
		_, err := io.WriteString(m.Ninep, "hello")
		must(err)
		<-m.Quit
		return 0
	},
	"takes no device": func(m *qemutest.Machine) int {
		m.Refuse = map[string]string{"device_add": "no such device"}
		must(m.Connect())
		<-m.Quit
		return 0
	},
	"silent": func(m *qemutest.Machine) int {
		must(m.Connect())
		<-m.Quit
		return 0
	},
	// Stops printing in the middle.
	"stalls": func(m *qemutest.Machine) int {
		must(m.Connect())
		must(m.Print("Linux version 6\r\n[0.1] starting\r\n"))
		<-m.Quit
		return 0
	},
	"panics": func(m *qemutest.Machine) int {
		must(m.Connect())
		must(m.Print("Linux version 6\r\n[0.2] Kernel panic - not syncing: no init found\r\n"))
		must(m.Event("SHUTDOWN", `{"guest":true,"reason":"guest-reset"}`))
		return 0
	},
	"stubborn": func(m *qemutest.Machine) int {
		m.Stubborn = true
		must(m.Connect())
		must(m.Print("READY\r\n"))
		select {}
	},
	"refuses": func(*qemutest.Machine) int {
		fmt.Fprintln(os.Stderr, "qemu: Could not access KVM kernel module: Permission denied")
		return 1
	},
	"aborts": func(m *qemutest.Machine) int {
		return abort("qemu: error: failed to set MSR 0x10a")
	},
	// As on a computer whose hypervisor promises too much: one CPU model makes
	// QEMU abort, the others hang before the first byte.
	"hollow": func(m *qemutest.Machine) int {
		if m.Arg("-accel") != "tcg" {
			if m.Arg("-cpu") == "host" {
				return abort("qemu: error: failed to set MSR 0x10a")
			}
			must(m.Connect())
			<-m.Quit
			return 0
		}
		must(m.Connect())
		must(m.Print("Linux version 6\r\nREADY\r\n"))
		<-m.Quit
		return 0
	},
	// Only the poorest CPU model does not hang.
	"modest": func(m *qemutest.Machine) int {
		must(m.Connect())
		if cpu := m.Arg("-cpu"); cpu == "qemu64" || m.Arg("-accel") == "tcg" {
			must(m.Print("Linux version 6\r\nREADY\r\n"))
		}
		<-m.Quit
		return 0
	},
	// The best CPU model is refused, the next one works.
	"second rung": func(m *qemutest.Machine) int {
		if m.Arg("-cpu") == "host" {
			return abort("qemu: error: failed to set MSR 0x10a")
		}
		must(m.Connect())
		must(m.Print("Linux version 6\r\nREADY\r\n"))
		<-m.Quit
		return 0
	},
	// A state that QEMU does not take.
	"chokes": func(m *qemutest.Machine) int {
		m.Choke = true
		must(m.Connect())
		<-m.Quit
		return 0
	},
	// Its disk grows all the time.
	"grows": func(m *qemutest.Machine) int {
		must(m.Connect())
		for {
			select {
			case <-m.Quit:
				return 0
			case <-time.After(10 * time.Millisecond):
				must(m.Event("BLOCK_WRITE_THRESHOLD", `{"node-name":"work-file","amount-exceeded":1,"write-threshold":2}`))
			}
		}
	},
	"silent restore": func(m *qemutest.Machine) int {
		m.Refuse = map[string]string{"migrate-incoming": ""}
		must(m.Connect())
		<-m.Quit
		return 0
	},
	"refuses to save": func(m *qemutest.Machine) int {
		m.Refuse = map[string]string{"migrate": "State blocked by non-migratable device"}
		must(m.Connect())
		<-m.Quit
		return 0
	},
	"never connects": func(*qemutest.Machine) int {
		select {}
	},
	"floods": func(m *qemutest.Machine) int {
		must(m.Connect())
		noise := bytes.Repeat([]byte("x"), 64<<10)
		go func() {
			for {
				if _, err := os.Stderr.Write(noise); err != nil {
					return
				}
			}
		}()
		go func() {
			for {
				if m.Print(string(noise)) != nil {
					return
				}
			}
		}()
		<-m.Quit
		return 0
	},
}

func TestMain(m *testing.M) {
	qemutest.Main(guests)
	parentMain()
	os.Exit(m.Run())
}

func image(t *testing.T, guest string) qemu.Image {
	t.Helper()
	img, err := qemutest.Image(guest)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// machineSpec returns a machine with a console and one port in a fresh directory.
func machineSpec(t *testing.T, guest string) qemu.Spec {
	t.Helper()
	dir, remove, err := qemu.NewRunDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		names, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) || len(names) != 0 { // it may be gone as a leftover
			t.Errorf("left in the directory of the sockets: %v %v", names, err)
		}
		if err := remove(); err != nil {
			t.Error(err)
		}
	})
	return qemu.Spec{
		Host: "linux", Image: image(t, guest), Accel: qemu.AccelTCG,
		Console: filepath.Join(dir, "console.sock"),
		Ports:   []qemu.Port{{Name: "piwork.rpc", Socket: filepath.Join(dir, "rpc.sock")}},
	}
}

func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

func TestProcess(t *testing.T) {
	ctx, logs := soon(t), t.TempDir()
	p, err := qemu.Start(ctx, qemu.StartOptions{Spec: machineSpec(t, "boots"), LogDir: logs})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop(ctx)
	if p.Version() != "10.0.0" || p.Exit() != nil || !alive(p.PID()) {
		t.Errorf("version %q, exit %v", p.Version(), p.Exit())
	}
	select {
	case <-p.Console().Ready():
	case <-ctx.Done():
		t.Fatal("no READY")
	}
	port := p.Port("piwork.rpc")
	if _, err := io.WriteString(port, "hello"); err != nil {
		t.Fatal(err)
	}
	echo := make([]byte, 5)
	if _, err := io.ReadFull(port, echo); err != nil || string(echo) != "hello" {
		t.Errorf("port: %q %v", echo, err)
	}
	if err := p.Monitor().Do(ctx, qmp.Command{Execute: "query-status"}, nil); err != nil {
		t.Error(err)
	}
	if err := p.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	if alive(p.PID()) {
		t.Error("the process is there after Stop")
	}
	if e := p.Exit(); e == nil || e.Code != 0 {
		t.Errorf("exit: %+v", e)
	}
	if err := p.Stop(ctx); err != nil {
		t.Errorf("second Stop: %v", err)
	}
	for name, want := range map[string][]string{
		qemu.ConsoleLog: {"Linux version 6", "READY"},
		qemu.QEMULog:    {"start [", "qemu: a warning", "end: QEMU ended: exit status 0"},
	} {
		b, err := os.ReadFile(filepath.Join(logs, name))
		for _, w := range want {
			if err != nil || !strings.Contains(string(b), w) {
				t.Errorf("%s: no %q in %q %v", name, w, b, err)
			}
		}
	}
}

func TestSocketsArePrivate(t *testing.T) {
	s := machineSpec(t, "never connects")
	ctx, cancel := context.WithCancel(soon(t))
	ended := make(chan error)
	go func() {
		_, err := qemu.Start(ctx, qemu.StartOptions{Spec: s})
		ended <- err
	}()
	for _, path := range []string{filepath.Dir(s.Console), s.Console, s.Ports[0].Socket} {
		var fi os.FileInfo
		for {
			var err error
			if fi, err = os.Stat(path); err == nil && fi.Mode().Perm()&0o077 == 0 {
				break
			}
			if ctx.Err() != nil {
				t.Fatalf("%s: %v %v", path, fi, err)
			}
			time.Sleep(time.Millisecond)
		}
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Start: %v", err)
	}
}

func TestProcessDoesNotStart(t *testing.T) {
	for _, tt := range []struct {
		guest, output, status string
		code                  int
	}{
		{"refuses", "Permission denied", "exit status 1", 1},
		{"aborts", "failed to set MSR 0x10a", "signal: killed", -1},
		{"no such guest", "no guest", "exit status 99", 99},
	} {
		t.Run(tt.guest, func(t *testing.T) {
			_, err := qemu.Start(soon(t), qemu.StartOptions{Spec: machineSpec(t, tt.guest)})
			var start *qemu.StartError
			var exit *qemu.ExitError
			if !errors.As(err, &start) || !errors.As(err, &exit) {
				t.Fatalf("error %v", err)
			}
			if !strings.Contains(start.Output, tt.output) || exit.Code != tt.code || !strings.HasPrefix(exit.Status, tt.status) || len(start.CommandLine) == 0 {
				t.Errorf("%+v; %+v", start, exit)
			}
		})
	}
	t.Run("no such program", func(t *testing.T) {
		s := machineSpec(t, "boots")
		s.Image.Program = []string{filepath.Join(t.TempDir(), "qemu")}
		if _, err := qemu.Start(soon(t), qemu.StartOptions{Spec: s}); !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
	})
	t.Run("no program", func(t *testing.T) {
		if _, err := qemu.Start(soon(t), qemu.StartOptions{}); err == nil {
			t.Error("started nothing")
		}
	})
	t.Run("socket is taken", func(t *testing.T) {
		s := machineSpec(t, "boots")
		if err := os.WriteFile(s.Console, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := qemu.Start(soon(t), qemu.StartOptions{Spec: s}); !errors.Is(err, syscall.EADDRINUSE) {
			t.Error(err)
		}
		if err := os.Remove(s.Console); err != nil {
			t.Error(err)
		}
	})
	t.Run("given up", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(soon(t), 50*time.Millisecond)
		defer cancel()
		if _, err := qemu.Start(ctx, qemu.StartOptions{Spec: machineSpec(t, "never connects")}); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}

func TestProcessEndsByItself(t *testing.T) {
	ctx := soon(t)
	p, err := qemu.Start(ctx, qemu.StartOptions{Spec: machineSpec(t, "panics"), LogDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop(ctx)
	<-p.Done()
	select {
	case <-p.Console().Panicked():
	default:
		t.Error("Done, and the console is not read to its end")
	}
	if e := p.Exit(); e == nil || e.Code != 0 || e.Reason != "guest-reset" {
		t.Errorf("exit: %+v", e)
	}
	if err := p.Monitor().Do(ctx, qmp.Command{Execute: "query-status"}, nil); !errors.Is(err, qemu.ErrMonitorClosed) {
		t.Errorf("monitor: %v", err)
	}
}

func TestStopKillsWhatDoesNotFollow(t *testing.T) {
	ctx := soon(t)
	p, err := qemu.Start(ctx, qemu.StartOptions{Spec: machineSpec(t, "boots")})
	if err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	if err := p.Stop(over); err != nil || alive(p.PID()) {
		t.Errorf("Stop without time: %v", err)
	}

	// A QMP without answers: the handshake does not end, and neither does it
	// hold up the one who gives up.
	short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	if _, err := qemu.Start(short, qemu.StartOptions{Spec: machineSpec(t, "stubborn")}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("stubborn: %v", err)
	}
}

// Floods on the console and in QEMU's messages cost neither memory nor disk.
func TestFloodIsBounded(t *testing.T) {
	ctx, logs := soon(t), t.TempDir()
	p, err := qemu.Start(ctx, qemu.StartOptions{Spec: machineSpec(t, "floods"), LogDir: logs})
	if err != nil {
		t.Fatal(err)
	}
	for n := int64(0); n < 10<<20 && ctx.Err() == nil; n, _ = p.Console().Activity() {
		time.Sleep(time.Millisecond)
	}
	if took := time.Since(p.Started()); took < time.Second {
		t.Errorf("10 MiB went to the disk within %v", took)
	}
	if err := p.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	if n := len(p.Console().Tail()); n > 8<<10 {
		t.Errorf("%d bytes of the console in memory", n)
	}
	if e := p.Exit(); len(e.Output) > 8<<10 {
		t.Errorf("%d bytes of messages in memory", len(e.Output))
	}
	files, err := os.ReadDir(logs)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if fi, err := f.Info(); err != nil || fi.Size() > qemu.LogLimit {
			t.Errorf("%s: %v", f.Name(), fi.Size())
		}
	}
	if len(files) > 4 {
		t.Errorf("%d files", len(files))
	}
}

// parentMain makes this binary a program that starts a machine, prints its
// process id and waits to be killed.
func parentMain() {
	guest := os.Getenv("PIWORK_TEST_PARENT")
	if guest == "" {
		return
	}
	dir, _, err := qemu.NewRunDir()
	must(err)
	img, err := qemutest.Image(guest)
	must(err)
	p, err := qemu.Start(context.Background(), qemu.StartOptions{Spec: qemu.Spec{
		Host: "linux", Image: img, Accel: qemu.AccelTCG, Console: filepath.Join(dir, "console.sock"),
	}})
	must(err)
	must(os.Remove(dir)) // it is empty: the sockets are gone once they are connected
	fmt.Println(strconv.Itoa(p.PID()))
	select {}
}
