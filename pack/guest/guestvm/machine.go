//go:build (vm || long) && linux

package guestvm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cavaliergopher/cpio"
	"github.com/creachadair/jrpc2"

	"piwork/pack/packtest"
	"piwork/vmhost/wire"
)

// stall is how long a boot or an answer may take before a test gives up; far
// more than emulation on a busy machine needs, also for guest.warm, which loads the
// AI program.
const stall = 5 * time.Minute

// Options change what is booted.
type Options struct {
	Proof       bool                                        // no disks
	NoRPC       bool                                        // no port piwork.rpc
	Dial        bool                                        // QEMU listens for the RPC connection, so that it can come again
	ServeFS     func(net.Conn)                              // serves the 9p device, nil for none; of a QEMU that has one
	OnNotify    func(method string, params json.RawMessage) // in order
	MemoryMB    int                                         // 0 is 768
	Initramfs   map[string]string                           // more files over the pack's, path → content
	CommandLine string                                      // more words for the kernel
	Pack        string                                      // directory of the pack, "" is what PIWORK_RUNTIME_DIR names
	Arch        string                                      // "aarch64" with this system's qemu-system-aarch64; "" is x86_64 with the pack's
	Root        string                                      // another root image than the pack's
	Disks       []Disk                                      // further read-only disks
	Keep        bool                                        // Save can be called
	From        *Template                                   // restores this instead of booting; the rest must be as it was
}

// folders is how a guest is asked to mount what Options.ServeFS serves.
var folders = wire.MountParams{Kind: wire.KindVirtio9P, Export: "folders", Path: wire.FoldersDir}

// Disk is a read-only disk that the guest finds by its serial number.
type Disk struct{ Serial, File string }

// Machine is a running guest.
type Machine struct {
	T       testing.TB
	Client  *jrpc2.Client // of the first conversation
	Command []string      // QEMU's argv, to repeat a failure by hand

	opts     Options
	template Template
	dir      string
	rpc      net.Listener
	cmd      *exec.Cmd
	exited   chan struct{}
	console  *console
}

// Boot starts a guest that ends with the test, and waits for its first answer,
// or for READY when it has no RPC port.
func Boot(t testing.TB, opts Options) *Machine {
	t.Helper()
	m := Start(t, opts)
	if opts.NoRPC {
		m.AwaitConsole(wire.ConsoleReady)
		return m
	}
	if opts.Dial {
		m.AwaitConsole(wire.ConsoleReady)
		return m
	}
	if opts.From != nil {
		m.restore()
	}
	m.Client = m.Connect()
	return m
}

// Start starts a guest that ends with the test, and waits for nothing.
func Start(t testing.TB, opts Options) *Machine {
	t.Helper()
	m := &Machine{T: t, opts: opts, dir: t.TempDir(), exited: make(chan struct{}), console: newConsole()}
	m.start()
	return m
}

func (m *Machine) start() {
	t := m.T
	pack := m.opts.Pack
	if pack == "" {
		pack = os.Getenv("PIWORK_RUNTIME_DIR")
	}
	if pack == "" {
		t.Fatal("PIWORK_RUNTIME_DIR does not name an unpacked runtime pack")
	}
	memory := cmp.Or(m.opts.MemoryMB, 768)
	line := "console=ttyS0 panic=-1 quiet " + m.opts.CommandLine
	var initramfs string
	if m.opts.From == nil {
		initramfs = m.initramfs(pack)
	} else {
		initramfs = m.opts.From.initramfs
	}
	var program, environment []string
	if m.opts.Arch == "aarch64" {
		line = strings.Replace(line, "ttyS0", "ttyAMA0", 1)
		program = []string{"qemu-system-aarch64", "-M", "virt,accel=tcg,gic-version=max"}
	} else {
		emulator, err := packtest.Open(t, pack).Emulator()
		if err != nil {
			t.Fatal(err)
		}
		program = append(emulator.Command, "-L", emulator.DataDir, "-M", "pc,accel=tcg")
		environment = append([]string{}, emulator.Env...) // nil would be the system's
	}
	args := []string{
		"-cpu", "max", "-m", fmt.Sprint(memory),
		"-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-serial", "stdio",
		"-kernel", filepath.Join(pack, "guest/vmlinux"), "-initrd", initramfs,
	}
	m.template.initramfs = initramfs
	args = append(args, m.templateArgs(memory)...)
	if !m.opts.Proof {
		work, base := filepath.Join(m.dir, "work.qcow2"), filepath.Join(pack, "guest/work.qcow2")
		if m.opts.From != nil {
			base = m.opts.From.work
		}
		copyFile(t, base, work)
		m.template.work = work
		root := m.opts.Root
		if root == "" {
			root = filepath.Join(pack, "guest/rootfs.img")
		}
		args = append(args,
			"-drive", "if=none,id=root,format=raw,readonly=on,file="+root,
			"-device", "virtio-blk-pci,drive=root",
			"-drive", "if=none,id=work,format=qcow2,cache=unsafe,file="+work,
			"-device", "virtio-blk-pci,drive=work")
		line += " piwork.root=/dev/vda piwork.work=/dev/vdb"
	}
	for i, d := range m.opts.Disks {
		id := fmt.Sprintf("disk%d", i)
		args = append(args, "-drive", "if=none,id="+id+",format=raw,readonly=on,file="+d.File,
			"-device", "virtio-blk-pci,drive="+id+",serial="+d.Serial)
	}
	args = append(args, "-device", "virtio-serial-pci", "-append", strings.TrimSpace(line))
	switch {
	case m.opts.NoRPC:
	case m.opts.Dial:
		args = append(args, "-chardev", "socket,id=rpc,server=on,wait=off,path="+filepath.Join(m.dir, "rpc.sock"),
			"-device", "virtserialport,chardev=rpc,name="+wire.PortRPC)
	default:
		m.rpc = m.listen("rpc.sock")
		args = append(args, m.port("rpc", wire.PortRPC)...)
	}
	if m.opts.ServeFS != nil {
		fs := m.listen("fs.sock")
		args = append(args, "-chardev", "socket,id=fs,path="+filepath.Join(m.dir, "fs.sock"),
			"-device", "virtio-9p-chardev-pci,chardev=fs,ioeventfd=off,mount_tag="+folders.Export)
		go func() {
			if conn, err := fs.Accept(); err == nil {
				m.opts.ServeFS(conn)
			}
		}()
	}
	m.Command = append(program, args...)
	ctx, cancel := context.WithCancel(context.Background())
	m.cmd = exec.CommandContext(ctx, m.Command[0], m.Command[1:]...)
	m.cmd.Env = environment
	m.cmd.Stdout, m.cmd.Stderr = m.console, m.console
	m.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := m.cmd.Start(); err != nil {
		cancel()
		t.Fatalf("start QEMU: %v", err)
	}
	go func() {
		_ = m.cmd.Wait() // the console says more than its status
		close(m.exited)
		m.console.Close()
	}()
	t.Cleanup(func() {
		cancel()
		<-m.exited
		if t.Failed() {
			t.Logf("QEMU was: %s\nconsole:\n%s", strings.Join(m.Command, " "), m.console)
		}
	})
}

func (m *Machine) port(id, name string) []string {
	return []string{
		"-chardev", fmt.Sprintf("socket,id=%s,path=%s", id, filepath.Join(m.dir, id+".sock")),
		"-device", fmt.Sprintf("virtserialport,chardev=%s,name=%s", id, name),
	}
}

func (m *Machine) listen(name string) net.Listener {
	l, err := (&net.ListenConfig{}).Listen(m.T.Context(), "unix", filepath.Join(m.dir, name))
	if err != nil {
		m.T.Fatal(err)
	}
	m.T.Cleanup(func() { l.Close() })
	return l
}

// Redial connects to QEMU's RPC socket and starts a conversation.
func (m *Machine) Redial() net.Conn {
	m.T.Helper()
	conn, err := (&net.Dialer{}).DialContext(m.T.Context(), "unix", filepath.Join(m.dir, "rpc.sock"))
	if err != nil {
		m.T.Fatal(err)
	}
	m.Client = jrpc2.NewClient(InOrder{wire.Channel(conn, conn), m.opts.OnNotify}, nil)
	m.T.Cleanup(func() { m.Client.Close() })
	return conn
}

// Connect waits for QEMU on the RPC socket and starts a conversation.
func (m *Machine) Connect() *jrpc2.Client {
	m.T.Helper()
	m.rpc.(*net.UnixListener).SetDeadline(time.Now().Add(stall))
	conn, err := m.rpc.Accept()
	if err != nil {
		m.T.Fatalf("QEMU did not connect: %v", err)
	}
	c := jrpc2.NewClient(InOrder{wire.Channel(conn, conn), m.opts.OnNotify}, nil)
	m.T.Cleanup(func() { c.Close() })
	return c
}

// Call calls a method of the guest and fails the test on an error.
func Call[R any](m *Machine, method string, params any) R {
	m.T.Helper()
	r, err := Try[R](m, method, params)
	if err != nil {
		m.T.Fatalf("%s: %v", method, err)
	}
	return r
}

// Try calls a method of the guest.
func Try[R any](m *Machine, method string, params any) (R, error) {
	var r R
	ctx, cancel := context.WithTimeout(context.Background(), stall)
	defer cancel()
	err := m.Client.CallResult(ctx, method, params, &r)
	return r, err
}

// AwaitConsole waits for a line on the console.
func (m *Machine) AwaitConsole(line string) {
	m.T.Helper()
	if err := m.console.await(line, stall); err != nil {
		m.T.Fatalf("console: %v\n%s", err, m.console)
	}
}

// AwaitStop waits until QEMU ended by itself, after a line on the console that
// contains the words.
func (m *Machine) AwaitStop(words string) {
	m.T.Helper()
	m.AwaitExit()
	if text := m.console.String(); !strings.Contains(text, words) {
		m.T.Errorf("no %q on the console:\n%s", words, text)
	}
}

// End ends the machine at once.
func (m *Machine) End() {
	m.T.Helper()
	_ = m.cmd.Process.Kill() // it may have ended by itself
	m.AwaitExit()
}

// AwaitExit waits until QEMU ended by itself.
func (m *Machine) AwaitExit() {
	m.T.Helper()
	select {
	case <-m.exited:
	case <-time.After(stall):
		m.T.Fatal("QEMU does not end")
	}
}

// initramfs lays the agent of this source tree, and Options.Initramfs, over
// the pack's initramfs: the kernel unpacks both, the last file of a name wins.
func (m *Machine) initramfs(pack string) string {
	t := m.T
	base, err := os.ReadFile(filepath.Join(pack, "guest/initramfs.cpio"))
	if err != nil {
		t.Fatal(err)
	}
	var over bytes.Buffer
	w := cpio.NewWriter(&over)
	add := func(name string, mode cpio.FileMode, data []byte) {
		if err := errors.Join(w.WriteHeader(&cpio.Header{Name: name, Mode: mode, Size: int64(len(data)), Links: 1}), second(w.Write(data))); err != nil {
			t.Fatal(err)
		}
	}
	agent, err := os.ReadFile(buildProgram(t, "piwork-guest", m.opts.Arch))
	if err != nil {
		t.Fatal(err)
	}
	add("init", cpio.TypeReg|0o755, agent)
	for name, data := range m.opts.Initramfs {
		add(name, cpio.TypeReg|0o644, []byte(data))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for len(base)%512 != 0 {
		base = append(base, 0)
	}
	file := filepath.Join(m.dir, "initramfs.cpio")
	if err := os.WriteFile(file, append(base, over.Bytes()...), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// diskUse is the room that a file takes, in bytes.
func diskUse(fi os.FileInfo) int64 { return fi.Sys().(*syscall.Stat_t).Blocks * 512 }

func second[T any](_ T, err error) error { return err }

func copyFile(t testing.TB, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(second(io.Copy(out, in)), out.Close()); err != nil {
		t.Fatal(err)
	}
}
