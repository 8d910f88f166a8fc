package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"piwork/vmhost/qemu"
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
	cmd    *exec.Cmd
	dir    string
	conn   net.Conn
	reader *bufio.Reader
}

// plainSpec is what a plain QEMU boots.
type plainSpec struct {
	image          qemu.Image // whose QEMU it is
	accel          qemu.Accel
	kernel, initrd string
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

// bootPlain starts QEMU and returns once it has connected its port.
func bootPlain(ctx context.Context, s plainSpec) (*plain, error) {
	own, err := os.MkdirTemp("", "pw-bench")
	if err != nil {
		return nil, err
	}
	p := &plain{dir: own}
	socket := filepath.Join(own, "rpc")
	listener, err := (&net.ListenConfig{}).Listen(ctx, "unix", socket)
	if err != nil {
		p.end()
		return nil, err
	}
	defer listener.Close()
	args := s.args(socket)
	p.cmd = exec.CommandContext(ctx, args[0], args[1:]...)
	p.cmd.Env = s.image.Env
	var complaint strings.Builder
	p.cmd.Stderr = &complaint
	if err := p.cmd.Start(); err != nil {
		p.end()
		return nil, fmt.Errorf("start the comparator: %w", err)
	}
	deadline := time.Now().Add(rawTimeout)
	if err := listener.(*net.UnixListener).SetDeadline(deadline); err != nil {
		p.end()
		return nil, err
	}
	p.conn, err = listener.Accept()
	if err != nil {
		p.end()
		return nil, fmt.Errorf("the comparator did not connect its port: %w: %s", err, complaint.String())
	}
	p.reader = bufio.NewReaderSize(p.conn, 64<<10)
	return p, p.conn.SetDeadline(deadline)
}

// roundTrip sends a line and waits for one. The agent's beginning of a
// conversation (package wire) is none.
func (p *plain) roundTrip(line string) (string, error) {
	if _, err := p.conn.Write([]byte(line + "\n")); err != nil {
		return "", err
	}
	for {
		answer, err := p.reader.ReadString('\n')
		if err != nil || !strings.Contains(answer, "\x18") {
			return answer, err
		}
	}
}

// end kills QEMU and removes its socket.
func (p *plain) end() {
	if p.conn != nil {
		p.conn.Close()
	}
	if p.cmd != nil && p.cmd.Process != nil {
		if err := p.cmd.Process.Kill(); err == nil || errors.Is(err, os.ErrProcessDone) {
			_ = p.cmd.Wait()
		}
	}
	os.RemoveAll(p.dir)
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
