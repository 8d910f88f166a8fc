package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"piwork/app/capacity"
	packqemu "piwork/pack/image/qemu"
	"piwork/scripts/lib/bench/sharework"
	"piwork/vmhost/qemu"
	"piwork/vmhost/share"
	"piwork/vmhost/share/ninep"
	"piwork/vmhost/share/virtiofs"
)

// orderLimit bounds one order to the guest: a slow machine needs minutes for a
// clone over 9p, a broken one must not hold the bench.
const orderLimit = 20 * time.Minute

// shareSpec is the machine in which folders are measured: one QEMU with ours and
// theirs, so that both have the same guest, the same boot and the same moments.
type shareSpec struct {
	tools  shareTools
	m      machine
	dir    string // sockets
	initrd string
	theirs string // the directory that QEMU and virtiofsd serve
	own    string // a disk of its own, with an ext4, or ""
}

// Options of mounting QEMU's own server in the guest: what its manual advises for
// speed (the largest message; https://wiki.qemu.org/Documentation/9psetup), with
// the cache that programs need to map files.
const theirMount = "trans=virtio,version=9p2000.L,msize=1048576,cache=mmap"

// Options of mounting ours, as the agent has them.
const deviceMount = "trans=virtio,version=9p2000.L,cache=mmap,access=any,msize=512000"

// Where the guest mounts what.
const (
	mountOurs   = "/root/m/ours"
	mountDevice = "/root/m/device"
	mountTheirs = "/root/m/theirs"
	mountDaemon = "/root/m/daemon"
	mountOwn    = "/root/m/own"
)

// args is the command line.
func (s shareSpec) args() []string {
	size := capacity.SizeOf(capacity.Host{MemoryMB: plainMemoryMB, CPUs: runtime.NumCPU()}, capacity.Choice{MemoryMB: plainMemoryMB})
	ram := fmt.Sprintf("%dM", plainMemoryMB)
	args := append([]string{filepath.Join(s.tools.qemu, packqemu.FilesDir, "bin/qemu-system-x86_64")},
		"-L", filepath.Join(s.tools.qemu, packqemu.FilesDir, "share"), "-nodefaults", "-no-user-config", "-display", "none", "-nic", "none",
		"-machine", "pc,usb=off,vmport=off,smbus=off,smm=off,memory-backend=ram", "-accel", string(s.m.accel),
		"-cpu", qemu.Ladder(s.m.accel, "x86_64")[0], "-smp", qemu.Processors(s.m.accel, "x86_64", size.CPUs), "-m", ram,
		"-object", "memory-backend-memfd,id=ram,share=on,size="+ram, "-no-reboot",
		"-kernel", s.m.image.Kernel, "-initrd", s.initrd,
		"-append", "console=ttyS0 panic=-1 cryptomgr.notests audit=0 no_timer_check rcupdate.rcu_expedited=1",
		"-serial", "file:"+s.dir+"/console.log",
		"-blockdev", "driver=raw,node-name=root,read-only=on,file.driver=file,file.filename="+s.m.image.RootFS,
		"-device", "virtio-blk-pci,drive=root,disable-legacy=on",
		"-device", "virtio-serial-pci,id=ports,max_ports=4,disable-legacy=on")
	if s.own != "" {
		args = append(args, "-blockdev", "driver=raw,node-name=own,discard=unmap,cache.no-flush=on,file.driver=file,file.filename="+s.own,
			"-device", "virtio-blk-pci,drive=own,disable-legacy=on")
	}
	for i, name := range sharePorts {
		args = append(args, "-chardev", fmt.Sprintf("socket,id=port%d,path=%s", i+1, s.socket(name)),
			"-device", fmt.Sprintf("virtserialport,bus=ports.0,nr=%d,chardev=port%[1]d,name=%s", i+1, name))
	}
	args = append(args, "-fsdev", "local,id=theirs,security_model=none,path="+s.theirs,
		"-device", "virtio-9p-pci,fsdev=theirs,disable-legacy=on,mount_tag="+sharework.TagTheirs)
	device := "virtio-9p-chardev-pci,disable-legacy=on,chardev=" + sharework.TagDevice + ",mount_tag=" + sharework.TagDevice
	if s.m.accel == qemu.AccelTCG { // as vmhost/qemu plugs it
		device += ",ioeventfd=off"
	}
	args = append(args, "-chardev", "socket,id="+sharework.TagDevice+",path="+s.socket(sharework.TagDevice), "-device", device)
	for _, tag := range []string{sharework.TagOurs, sharework.TagDaemon} {
		args = append(args, "-chardev", "socket,id="+tag+",path="+s.socket(tag),
			"-device", "vhost-user-fs-pci,queue-size=1024,chardev="+tag+",tag="+tag)
	}
	return args
}

// sharePorts are the ports of the machine, in the order of their numbers.
var sharePorts = []string{sharework.PortOrders}

func (s shareSpec) socket(name string) string { return filepath.Join(s.dir, name) }

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
	served chan error // of capacity 2
	stop   context.CancelFunc
	daemon *exec.Cmd
	done   bool // all was measured: nobody needs the console
}

// start starts a machine whose devices serve fast and device, and
// mounts all of them and theirs. The sets stay the caller's, which calls end in any case.
func (v *shareMachine) start(ctx context.Context, fast, device *share.Set) {
	s := v.spec
	ctx, v.stop = context.WithCancel(ctx)
	listeners := map[string]*net.UnixListener{}
	for _, name := range append([]string{sharework.TagOurs, sharework.TagDevice}, sharePorts...) {
		l := must(net.ListenUnix("unix", &net.UnixAddr{Name: s.socket(name)}))
		listeners[name] = l
		if name != sharework.TagOurs { // its server closes that
			defer l.Close()
			check(l.SetDeadline(time.Now().Add(rawTimeout)))
		}
	}
	run := func(args, env []string) *exec.Cmd {
		c := exec.CommandContext(ctx, args[0], args[1:]...)
		c.Env, c.Stderr = env, os.Stderr
		checkf(c.Start(), "start %s", args[0])
		return c
	}
	v.daemon = run(s.daemonArgs(), nil)
	for began := time.Now(); ; <-time.After(10 * time.Millisecond) {
		if _, err := os.Stat(s.socket(sharework.TagDaemon)); err == nil {
			break
		} else if time.Since(began) > rawTimeout {
			failf("virtiofsd does not listen: %w", err)
		}
	}
	go func() { v.served <- virtiofs.Serve(ctx, listeners[sharework.TagOurs], fast, virtiofs.Options{}) }()
	v.cmd = run(s.args(), nil)
	accept := func(name string) net.Conn {
		conn, err := listeners[name].Accept()
		checkf(err, "QEMU does not connect")
		return conn
	}
	v.orders = accept(sharework.PortOrders)
	conn := qemu.KeepAwake(accept(sharework.TagDevice))
	go func() { v.served <- ninep.Serve(ctx, conn, device, ninep.Options{}) }()
	v.lines = bufio.NewReader(v.orders)
	mounts := []sharework.Order{
		{Do: "mount", Dir: mountOurs, Argv: []string{sharework.TagOurs, "virtiofs", ""}},
		{Do: "mount", Dir: mountDevice, Argv: []string{sharework.TagDevice, "9p", deviceMount}},
		{Do: "mount", Dir: mountTheirs, Argv: []string{sharework.TagTheirs, "9p", theirMount}},
		{Do: "mount", Dir: mountDaemon, Argv: []string{sharework.TagDaemon, "virtiofs", ""}},
	}
	if s.own != "" {
		mounts = append(mounts, sharework.Order{Do: "mount", Dir: mountOwn, Argv: []string{sharework.OwnDisk, "ext4", ""}})
	}
	for _, o := range mounts {
		v.do(o)
	}
}

// do has the guest carry an order out.
func (v *shareMachine) do(o sharework.Order) (a sharework.Answer) {
	line := must(json.Marshal(o))
	check(v.orders.SetDeadline(time.Now().Add(orderLimit)))
	must(v.orders.Write(append(line, '\n')))
	answer, err := v.lines.ReadBytes('\n')
	checkf(err, "%s: the guest does not answer", line)
	checkf(json.Unmarshal(answer, &a), "%s", answer)
	if a.Error != "" {
		failf("%s", a.Error)
	}
	return a
}

// end ends the machine, and then what served it. After a failure it shows what the
// guest said last.
func (v *shareMachine) end() error {
	if v.cmd != nil && v.cmd.Process != nil {
		_ = v.cmd.Process.Kill() // or it has ended
		_ = v.cmd.Wait()
	}
	if !v.done {
		b, _ := os.ReadFile(v.spec.dir + "/console.log")
		lines := strings.Split(strings.TrimSpace(string(b)), "\n")
		fmt.Fprintf(os.Stderr, "the guest's console: %s\n", strings.Join(lines[max(0, len(lines)-10):], "\n"))
	}
	if v.stop != nil {
		v.stop()
	}
	for _, c := range []net.Conn{v.orders} {
		if c != nil {
			c.Close()
		}
	}
	if v.daemon != nil && v.daemon.Process != nil {
		_ = v.daemon.Wait()
	}
	if v.lines == nil {
		return nil
	}
	return errors.Join(<-v.served, <-v.served)
}
