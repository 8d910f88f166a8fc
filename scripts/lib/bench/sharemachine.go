package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/cavaliergopher/cpio"

	"piwork/app/capacity"
	"piwork/scripts/lib/bench/sharework"
	"piwork/vmhost/qemu"
	"piwork/vmhost/share"
	"piwork/vmhost/share/ninep"
	"piwork/vmhost/share/virtiofs"
	"piwork/vmhost/wire"
)

// orderLimit bounds one order to the guest: a slow machine needs minutes for a
// clone over the port, a broken one must not hold the bench.
const orderLimit = 10 * time.Minute

// shareSpec is the machine in which folders are measured: one QEMU with ours and
// theirs, so that both have the same guest, the same boot and the same moments.
type shareSpec struct {
	tools  shareTools
	m      machine
	dir    string // sockets
	initrd string
	theirs string // the directory that QEMU and virtiofsd serve
	daemon bool   // there is a virtiofsd
}

// Options of mounting QEMU's own server in the guest: what its manual advises for
// speed (the largest message; https://wiki.qemu.org/Documentation/9psetup), with
// the cache that programs need to map files.
const theirMount = "trans=virtio,version=9p2000.L,msize=1048576,cache=mmap"

// args is the command line.
func (s shareSpec) args() []string {
	usr := filepath.Join(s.tools.root, "usr")
	size := capacity.SizeOf(capacity.Host{MemoryMB: plainMemoryMB, CPUs: runtime.NumCPU()}, capacity.Choice{MemoryMB: plainMemoryMB})
	ram := fmt.Sprintf("%dM", plainMemoryMB)
	args := append(s.tools.command("usr/bin/qemu-system-x86_64"),
		"-L", usr+"/share/qemu", "-L", usr+"/share/seabios", "-nodefaults", "-no-user-config", "-display", "none", "-nic", "none",
		"-machine", "pc,usb=off,vmport=off,smbus=off,smm=off,memory-backend=ram", "-accel", string(s.m.accel),
		"-cpu", qemu.Ladder(s.m.accel, "x86_64")[0], "-smp", fmt.Sprint(size.CPUs), "-m", ram,
		"-object", "memory-backend-memfd,id=ram,share=on,size="+ram, "-no-reboot",
		"-kernel", s.tools.kernel, "-initrd", s.initrd,
		"-append", "console=ttyS0 panic=-1 cryptomgr.notests audit=0 no_timer_check rcupdate.rcu_expedited=1",
		"-serial", "file:"+s.dir+"/console.log",
		"-blockdev", "driver=raw,node-name=root,read-only=on,file.driver=file,file.filename="+s.m.image.RootFS,
		"-device", "virtio-blk-pci,drive=root,disable-legacy=on",
		"-device", "virtio-serial-pci,id=ports,max_ports=4,disable-legacy=on")
	for i, name := range sharePorts {
		args = append(args, "-chardev", fmt.Sprintf("socket,id=port%d,path=%s", i+1, s.socket(name)),
			"-device", fmt.Sprintf("virtserialport,bus=ports.0,nr=%d,chardev=port%[1]d,name=%s", i+1, name))
	}
	args = append(args, fileDevice(sharework.TagOurs, s.socket(sharework.TagOurs))...)
	args = append(args, "-fsdev", "local,id=theirs,security_model=none,path="+s.theirs,
		"-device", "virtio-9p-pci,fsdev=theirs,disable-legacy=on,mount_tag="+sharework.TagTheirs)
	if s.daemon {
		args = append(args, fileDevice(sharework.TagDaemon, s.socket(sharework.TagDaemon))...)
	}
	return args
}

// sharePorts are the ports of the machine, in the order of their numbers.
var sharePorts = []string{sharework.PortOrders, wire.PortFS, sharework.PortRaw}

func (s shareSpec) socket(name string) string { return filepath.Join(s.dir, name) }

func fileDevice(tag, socket string) []string {
	return []string{"-chardev", "socket,id=" + tag + ",path=" + socket,
		"-device", "vhost-user-fs-pci,queue-size=1024,chardev=" + tag + ",tag=" + tag}
}

// daemonArgs is virtiofsd's command line. Nothing that it serves is worth a
// sandbox.
func (s shareSpec) daemonArgs() []string {
	return append(s.tools.command("usr/libexec/virtiofsd"), "--sandbox", "none", "--cache", "never", "--allow-direct-io",
		"--log-level", "error", "--socket-path", s.socket(sharework.TagDaemon), "--shared-dir", s.theirs)
}

// shareMachine is a running one, with the servers of its folders.
type shareMachine struct {
	spec   shareSpec
	cmd    *exec.Cmd
	orders net.Conn
	lines  *bufio.Reader
	raw    net.Conn
	served chan error
	stop   context.CancelFunc
	daemon *exec.Cmd
}

// startShares starts a machine whose device serves fast and whose port serves
// slow, and mounts both and theirs. The sets stay the caller's.
func startShares(ctx context.Context, s shareSpec, fast, slow *share.Set) (_ *shareMachine, err error) {
	ctx, stop := context.WithCancel(ctx)
	v := &shareMachine{spec: s, stop: stop, served: make(chan error, 2)}
	defer func() {
		if err != nil {
			err = errors.Join(err, v.console(), v.end())
		}
	}()
	listeners := map[string]*net.UnixListener{}
	for _, name := range append([]string{sharework.TagOurs}, sharePorts...) {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: s.socket(name)})
		if err != nil {
			return nil, err
		}
		listeners[name] = l
		if name == sharework.TagOurs {
			continue // its server's
		}
		defer l.Close()
		if err := l.SetDeadline(time.Now().Add(rawTimeout)); err != nil {
			return nil, err
		}
	}
	if s.daemon {
		args := s.daemonArgs()
		v.daemon = exec.CommandContext(ctx, args[0], args[1:]...)
		v.daemon.Stderr = os.Stderr
		if err := v.daemon.Start(); err != nil {
			return nil, fmt.Errorf("start virtiofsd: %w", err)
		}
		for began := time.Now(); ; <-time.After(10 * time.Millisecond) {
			if _, err := os.Stat(s.socket(sharework.TagDaemon)); err == nil {
				break
			} else if time.Since(began) > rawTimeout {
				return nil, fmt.Errorf("virtiofsd does not listen: %w", err)
			}
		}
	}
	go func() { v.served <- virtiofs.Serve(ctx, listeners[sharework.TagOurs], fast, virtiofs.Options{}) }()
	args := s.args()
	v.cmd = exec.CommandContext(ctx, args[0], args[1:]...)
	v.cmd.Env = s.tools.env()
	v.cmd.Stderr = os.Stderr
	if err := v.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start Debian's QEMU: %w", err)
	}
	var port net.Conn
	for name, to := range map[string]*net.Conn{sharework.PortOrders: &v.orders, sharework.PortRaw: &v.raw, wire.PortFS: &port} {
		if *to, err = listeners[name].Accept(); err != nil {
			return nil, fmt.Errorf("QEMU does not connect: %w", err)
		}
	}
	go func() { v.served <- ninep.Serve(ctx, port, slow, ninep.Options{}) }()
	v.lines = bufio.NewReader(v.orders)
	return v, v.mountAll()
}

// Where the guest mounts what.
const (
	mountOurs   = "/root/m/ours"
	mountPort   = "/root/m/port"
	mountTheirs = "/root/m/theirs"
	mountDaemon = "/root/m/daemon"
)

func (v *shareMachine) mountAll() error {
	orders := []sharework.Order{
		{Do: "mount", Dir: mountOurs, Argv: []string{sharework.TagOurs, "virtiofs", ""}},
		{Do: "pump", Dir: mountPort},
		{Do: "mount", Dir: mountTheirs, Argv: []string{sharework.TagTheirs, "9p", theirMount}},
	}
	if v.spec.daemon {
		orders = append(orders, sharework.Order{Do: "mount", Dir: mountDaemon, Argv: []string{sharework.TagDaemon, "virtiofs", ""}})
	}
	for _, o := range orders {
		if _, err := v.do(o); err != nil {
			return err
		}
	}
	return nil
}

// do has the guest carry an order out.
func (v *shareMachine) do(o sharework.Order) (sharework.Answer, error) {
	var a sharework.Answer
	line, err := json.Marshal(o)
	if err != nil {
		return a, err
	}
	if err := v.orders.SetDeadline(time.Now().Add(orderLimit)); err != nil {
		return a, err
	}
	if _, err := v.orders.Write(append(line, '\n')); err != nil {
		return a, err
	}
	answer, err := v.lines.ReadBytes('\n')
	if err != nil {
		return a, fmt.Errorf("%s: the guest does not answer: %w", line, err)
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return a, fmt.Errorf("%s: %w", answer, err)
	}
	if a.Error != "" {
		return a, errors.New(a.Error)
	}
	return a, nil
}

// receive measures how long so many bytes take to the guest on the bare port.
func (v *shareMachine) receive(size int64) (time.Duration, error) {
	if err := v.raw.SetDeadline(time.Now().Add(orderLimit)); err != nil {
		return 0, err
	}
	done := make(chan error, 1)
	go func() { done <- v.sendRaw(size) }()
	a, err := v.do(sharework.Order{Do: "receive", Size: size})
	return a.Took, errors.Join(err, <-done)
}

// sendRaw sends bytes when the guest says so.
func (v *shareMachine) sendRaw(size int64) error {
	buf := make([]byte, 1<<20)
	if _, err := io.ReadFull(v.raw, buf[:1]); err != nil {
		return err
	}
	for left := size; left > 0; {
		n, err := v.raw.Write(buf[:min(left, int64(len(buf)))])
		if err != nil {
			return err
		}
		left -= int64(n)
	}
	return nil
}

// end ends the machine, and then what served it.
func (v *shareMachine) end() error {
	if v.cmd != nil && v.cmd.Process != nil {
		_ = v.cmd.Process.Kill() // or it has ended
		_ = v.cmd.Wait()
	}
	v.stop()
	for _, c := range []net.Conn{v.orders, v.raw} {
		if c != nil {
			c.Close()
		}
	}
	if v.daemon != nil && v.daemon.Process != nil {
		_ = v.daemon.Wait()
	}
	var err error
	if v.lines != nil {
		err = errors.Join(<-v.served, <-v.served)
	}
	return err
}

// console is what the guest said last.
func (v *shareMachine) console() error {
	b, _ := os.ReadFile(v.spec.dir + "/console.log")
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return fmt.Errorf("the guest's console: %s", strings.Join(lines[max(0, len(lines)-10):], "\n"))
}

// shareInitramfs is an initramfs with the guest's program.
func shareInitramfs(ctx context.Context, e env) (string, error) {
	program := filepath.Join(e.dir, "shareguest")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, "./scripts/lib/bench/shareguest")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the guest's program: %w: %s", err, out)
	}
	return initramfsOf(program, filepath.Join(e.dir, "share.cpio"))
}

// initramfsOf writes an initramfs with a program as its init.
func initramfsOf(program, file string) (string, error) {
	body, err := os.ReadFile(program)
	if err != nil {
		return "", err
	}
	f, err := os.Create(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	w := cpio.NewWriter(f)
	if err := w.WriteHeader(&cpio.Header{Name: "init", Mode: cpio.TypeReg | 0o755, Size: int64(len(body))}); err != nil {
		return "", err
	}
	if _, err := w.Write(body); err != nil {
		return "", err
	}
	return file, w.Close()
}
