package remote

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"piwork/vmhost/wire/resume"
)

// device is the kernel's FUSE as a stream: each message begins with its length. It has one
// reader and one writer.
type device struct {
	file *os.File
	in   []byte // read, and not given yet
	buf  []byte
	out  []byte // of a message that is not whole yet
}

func newDevice(f *os.File) *device { return &device{file: f, buf: make([]byte, 2*resume.MaxMessage)} }

func (d *device) Close() error { return d.file.Close() }

func (d *device) Read(p []byte) (int, error) {
	for len(d.in) == 0 {
		n, err := d.file.Read(d.buf)
		switch {
		case errors.Is(err, unix.ENOENT), errors.Is(err, unix.EINTR), errors.Is(err, unix.EAGAIN):
			continue // it was taken back
		case err != nil:
			return 0, err
		}
		d.in = d.buf[:n]
	}
	n := copy(p, d.in)
	d.in = d.in[n:]
	return n, nil
}

func (d *device) Write(p []byte) (int, error) {
	d.out = append(d.out, p...)
	for len(d.out) >= 4 {
		n := int(binary.NativeEndian.Uint32(d.out))
		if n < 16 || n > resume.MaxMessage {
			return 0, fmt.Errorf("an answer of FUSE of %d bytes", n)
		}
		if len(d.out) < n {
			break
		}
		// The kernel refuses answers to what it took back, and those that make no sense.
		if _, err := d.file.Write(d.out[:n]); err != nil && !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.EINVAL) {
			return 0, err
		}
		d.out = append(d.out[:0], d.out[n:]...)
	}
	return len(p), nil
}
