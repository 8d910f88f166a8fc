package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cavaliergopher/cpio"

	"piwork/vmhost/qemu"
	"piwork/vmhost/vm/template"
	"piwork/vmhost/wire"
)

// rawTimeout bounds one plain boot to its first reply: slow machines need tens
// of seconds, a broken one must not hold the bench.
const rawTimeout = 3 * time.Minute

// plainMemoryMB is the memory of every machine that is compared, in MiB.
const plainMemoryMB = 1024

// plain is QEMU with a command line as its manual would have it, and nothing
// of piwork around it.
type plain struct {
	cmd       *exec.Cmd
	dir       string // of its own; end removes it
	monitor   io.WriteCloser
	conn      net.Conn   // of its first port
	conns     []net.Conn // of all
	reader    *bufio.Reader
	complaint strings.Builder
}

// startPlain starts QEMU, which finds listeners at the names in dir, tells its monitor
// something, and returns once it has connected the first of them.
func (b *B) startPlain(dir string, args, env []string, monitor string, names ...string) *plain {
	p := &plain{dir: dir}
	failed := func(err error, what string) {
		if err != nil {
			err = fmt.Errorf("%s: %w: %s", what, err, p.complaint.String())
			check(errors.Join(err, p.end()))
		}
	}
	deadline := time.Now().Add(rawTimeout)
	var listeners []*net.UnixListener
	for _, name := range names {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, name)})
		failed(err, "listen for the comparator")
		defer l.Close()
		failed(l.SetDeadline(deadline), "listen for the comparator")
		listeners = append(listeners, l)
	}
	p.cmd = exec.CommandContext(b.ctx, args[0], args[1:]...)
	p.cmd.Env, p.cmd.Stderr = env, &p.complaint
	var err error
	p.monitor, err = p.cmd.StdinPipe()
	failed(err, "start the comparator")
	failed(p.cmd.Start(), "start the comparator")
	_, err = io.WriteString(p.monitor, monitor)
	failed(err, "tell the comparator")
	for _, l := range listeners { // QEMU does not run before it has connected all of them
		conn, err := l.Accept()
		failed(err, "the comparator did not connect its ports")
		if p.conns = append(p.conns, conn); p.conn == nil {
			p.conn = conn
		}
	}
	p.reader = bufio.NewReaderSize(p.conn, 64<<10)
	failed(p.conn.SetDeadline(deadline), "bound the comparator's time")
	return p
}

// roundTrip sends a line and waits for one. The agent's beginning of a
// conversation (package wire) is none.
func (p *plain) roundTrip(line string) string {
	must(p.conn.Write([]byte(line + "\n")))
	for {
		answer, err := p.reader.ReadString('\n')
		checkf(err, "the comparator does not answer: %s", p.complaint.String())
		if !strings.Contains(answer, "\x18") {
			return answer
		}
	}
}

// end kills QEMU and removes its sockets.
func (p *plain) end() error {
	for _, c := range p.conns {
		c.Close()
	}
	if p.cmd != nil && p.cmd.Process != nil {
		if err := p.cmd.Process.Kill(); err == nil || errors.Is(err, os.ErrProcessDone) {
			_ = p.cmd.Wait() // killed
		}
	}
	return os.RemoveAll(p.dir)
}

// plainSpec is what a plain QEMU boots.
type plainSpec struct {
	image          qemu.Image // whose QEMU it is
	accel          qemu.Accel
	kernel, initrd string
}

// plain boots the pack's kernel.
func (m machine) plain(initrd string) plainSpec {
	return plainSpec{image: m.image, accel: m.accel, kernel: m.image.Kernel, initrd: initrd}
}

// args is the comparator's command line.
func (s plainSpec) args(socket string) []string {
	return append(slices.Clone(s.image.Program),
		"-L", s.image.DataDir,
		"-machine", "pc", "-accel", string(s.accel), "-cpu", "max", "-m", fmt.Sprint(plainMemoryMB),
		"-nodefaults", "-display", "none",
		"-kernel", s.kernel, "-initrd", s.initrd,
		"-append", "console=ttyS0", "-serial", "null",
		"-device", "virtio-serial-pci",
		"-chardev", "socket,id=rpc,path="+socket,
		"-device", "virtserialport,chardev=rpc,name="+wire.PortRPC)
}

// bootPlain boots a kernel until its port is connected.
func (b *B) bootPlain(s plainSpec) *plain {
	dir := must(os.MkdirTemp("", "pw-bench"))
	return b.startPlain(dir, s.args(filepath.Join(dir, "rpc")), s.image.Env, "", "rpc")
}

// restoring is QEMU restoring the template with nothing around it: the same
// machine, a copy of the disk, three commands on its monitor.
type restoring struct {
	argv     []string // of a machine that piwork restored
	env      []string
	run      string // its directory of sockets
	overlay  string // its disk
	template string
}

// rawRestore learns the command line from a machine that is restored.
func (w *workshop) rawRestore() *restoring {
	r := w.open(restored)
	defer w.end(r.end)
	for _, pid := range descendants() {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err != nil {
			continue
		}
		x := &restoring{argv: strings.Split(strings.TrimSuffix(string(b), "\x00"), "\x00"), env: w.m.image.Env}
		for _, a := range x.argv {
			if _, path, ok := strings.Cut(a, "path="); ok && strings.HasSuffix(path, "/rpc.sock") {
				x.run = filepath.Dir(path)
			}
			if _, rest, ok := strings.Cut(a, "mem-path="); ok {
				path, _, _ := strings.Cut(rest, ",")
				x.template = filepath.Dir(path)
			}
			if _, rest, ok := strings.Cut(a, "driver=qcow2,"); ok {
				_, rest, _ = strings.Cut(rest, "file.filename=")
				x.overlay, _, _ = strings.Cut(rest, ",")
			}
		}
		if x.run != "" && x.template != "" && x.overlay != "" {
			return x
		}
	}
	failf("no QEMU that restores was found below this process")
	return nil
}

// args is the command line with its own files in dir.
func (r *restoring) args(dir string) []string {
	a := slices.Clone(r.argv)
	for i := range a {
		a[i] = strings.ReplaceAll(strings.ReplaceAll(a[i], r.overlay, dir+"/disk"), r.run+"/", dir+"/")
	}
	return a
}

// hello asks the agent for its first answer: a conversation begins with CAN.
const hello = "\x18\n" + `{"jsonrpc":"2.0","id":1,"method":"` + wire.MethodHello + `","params":{"version":1,"app":"bench"}}`

// stateOffset is where QEMU's own stream begins in a template's state.
const stateOffset = 4096

// start restores the template until its port is connected.
func (r *restoring) start(b *B) *plain {
	dir := must(os.MkdirTemp("", "pw-bench"))
	check(os.WriteFile(filepath.Join(dir, "disk"), must(os.ReadFile(filepath.Join(r.template, template.Disk))), 0o600))
	state := must(json.Marshal(filepath.Join(r.template, template.State)))
	return b.startPlain(dir, r.args(dir), r.env, `{"execute":"qmp_capabilities"}`+"\n"+
		`{"execute":"migrate-set-capabilities","arguments":{"capabilities":[{"capability":"x-ignore-shared","state":true}]}}`+"\n"+
		fmt.Sprintf(`{"execute":"migrate-incoming","arguments":{"channels":[{"channel-type":"main","addr":{"transport":"file","filename":%s,"offset":%d}}]}}`+"\n", state, stateOffset),
		"rpc.sock", "console.sock", "9p.sock")
}

// firstAnswer measures one restore to the agent's first answer.
func (b *B) firstAnswer(r *restoring) time.Duration {
	began := time.Now()
	p := r.start(b)
	defer b.end(p.end)
	answer := p.roundTrip(hello)
	took := time.Since(began)
	if !strings.Contains(answer, `"bootId"`) {
		failf("the raw restore answered %.200q: %s", answer, p.complaint.String())
	}
	return took
}

// commandText is a command line as one would type it, with the pack's own
// directory as $PACK.
func commandText(args []string, packDir string) string {
	words := make([]string, len(args))
	for i, a := range args {
		a = strings.ReplaceAll(a, packDir, "$PACK")
		if strings.ContainsAny(a, " '\"") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		words[i] = a
	}
	return strings.Join(words, " ")
}

// initramfs writes an initramfs whose init is a program of this directory.
func (b *B) initramfs(name string) string {
	program, file := filepath.Join(b.dir, name), filepath.Join(b.dir, name+".cpio")
	build := exec.CommandContext(b.ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, "./scripts/lib/bench/"+name)
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	out, err := build.CombinedOutput()
	checkf(err, "build %s: %s", name, out)
	body := must(os.ReadFile(program))
	f := must(os.Create(file))
	defer f.Close()
	w := cpio.NewWriter(f)
	check(w.WriteHeader(&cpio.Header{Name: "init", Mode: cpio.TypeReg | 0o755, Size: int64(len(body))}))
	must(w.Write(body))
	check(w.Close())
	return file
}
