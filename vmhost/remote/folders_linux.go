package remote

import (
	"encoding/binary"
	"errors"
	"net"
	"os"

	"golang.org/x/sys/unix"

	"piwork/vmhost"
	"piwork/vmhost/wire/resume"
)

// serveFolders has the folders served, over a stream of their own.
func (p *place) serveFolders() error {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("socketpair", err)
	}
	for _, fd := range fds {
		if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUF, 2*resume.MaxMessage); err != nil {
			return errors.Join(os.NewSyscallError("setsockopt", err), unix.Close(fds[0]), unix.Close(fds[1]))
		}
	}
	if err := unix.SetNonblock(fds[0], true); err != nil {
		return errors.Join(os.NewSyscallError("fcntl", err), unix.Close(fds[0]), unix.Close(fds[1]))
	}
	near, device := os.NewFile(uintptr(fds[0]), "fuse"), os.NewFile(uintptr(fds[1]), "/dev/fuse")
	ours, theirs := net.Pipe()
	link := resume.New(theirs, false)
	asked := newPending()
	p.parts.Go(func() { p.keep(resume.StreamFUSE, link) })
	p.parts.Go(func() {
		<-p.done
		link.Close()
	})
	p.parts.Go(func() {
		defer near.Close()
		if err := asked.requests(near, ours); err != nil {
			p.cfg.Log.Warn("what another computer asks of the folders makes no sense", "computer", p.cfg.Name, "error", err)
			p.lose(failed(vmhost.ReasonShare, err))
		}
	})
	p.parts.Go(func() {
		defer ours.Close()
		_ = asked.answers(ours, near)
	})
	p.parts.Go(func() { p.serve(device) })
	return nil
}

// Where fuse_init_out has its numbers, behind a header of 16 bytes.
const (
	initMaxWrite = 16 + 20
	initMaxPages = 16 + 28
	pageSize     = 4096 // the smallest one: a page there may be larger, and fewer of them fit
)

func boundInit(b []byte) {
	if len(b) < initMaxPages+2 {
		return
	}
	if w := b[initMaxWrite:]; binary.NativeEndian.Uint32(w) > resume.MaxIO {
		binary.NativeEndian.PutUint32(w, resume.MaxIO)
	}
	if p := b[initMaxPages:]; binary.NativeEndian.Uint16(p) > resume.MaxIO/pageSize {
		binary.NativeEndian.PutUint16(p, resume.MaxIO/pageSize)
	}
}
