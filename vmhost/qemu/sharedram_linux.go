package qemu

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// SharedRAM is memory for one machine that a device outside of QEMU can see too
// (memfd_create(2)). It is on no disk: what a guest has in it is written nowhere,
// nothing is left of it when its users have ended, however they end, and what is
// not used of it takes no memory. It is sealed: nobody can cut it off below those
// who have it mapped.
type SharedRAM struct{ f *os.File }

// NewSharedRAM makes memory of a size, in MiB. All of it is zero and none of it
// is taken yet. It is closed by its owner; machines keep what they use.
func NewSharedRAM(memoryMB int) (*SharedRAM, error) {
	size := int64(memoryMB) << 20
	fd, err := unix.MemfdCreate("piwork-ram", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("make memory to share: %w", err)
	}
	f := os.NewFile(uintptr(fd), "the machine's memory")
	if err = f.Truncate(size); err == nil {
		_, err = unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make %d MiB of memory to share: %w", memoryMB, err), f.Close())
	}
	return &SharedRAM{f}, nil
}

// File is for StartOptions.RAM.
func (r *SharedRAM) File() *os.File { return r.f }

// Close gives the memory up. Machines that were started with it keep it.
func (r *SharedRAM) Close() error { return r.f.Close() }

// ramPage is the unit in which memory is taken, bytes.
const ramPage = 4 << 10

// ramStep is how much is copied at a time, bytes: less than a processor's cache.
const ramStep = 256 << 10

// Load copies the memory of a template: what the file has, without its holes and
// without pages that are nothing but zeros, which would take memory here. It
// returns the bytes that were copied. It can go on while the machine starts, and
// must be over before the machine is given its state.
func (r *SharedRAM) Load(template string) (n int64, err error) {
	from, err := os.Open(template)
	if err != nil {
		return 0, fmt.Errorf("copy the memory: %w", err)
	}
	defer from.Close()
	fi, err := from.Stat()
	if err != nil {
		return 0, fmt.Errorf("copy the memory: %w", err)
	}
	if have, err := r.f.Stat(); err != nil || have.Size() != fi.Size() {
		return 0, fmt.Errorf("copy the memory: %w: %s has %d bytes (%w)", ErrBadState, template, fi.Size(), err)
	}
	buf := make([]byte, ramStep)
	for off := int64(0); ; {
		data, err := unix.Seek(int(from.Fd()), off, unix.SEEK_DATA)
		if errors.Is(err, unix.ENXIO) {
			return n, nil // nothing but a hole to the end
		}
		if err == nil {
			off, err = unix.Seek(int(from.Fd()), data, unix.SEEK_HOLE)
		}
		for err == nil && data < off {
			part := buf[:min(off-data, ramStep)]
			if _, err = io.ReadFull(io.NewSectionReader(from, data, int64(len(part))), part); err == nil {
				var m int64
				m, err = r.put(part, data)
				n += m
			}
			data += int64(len(part))
		}
		if err != nil {
			return n, fmt.Errorf("copy the memory of %s: %w", template, err)
		}
	}
}

// put writes the pages of b that are not zero.
func (r *SharedRAM) put(b []byte, at int64) (n int64, err error) {
	for begin := 0; begin < len(b); {
		end := min(begin+ramPage, len(b))
		if zero(b[begin:end]) {
			begin = end
			continue
		}
		for end < len(b) && !zero(b[end:min(end+ramPage, len(b))]) {
			end = min(end+ramPage, len(b))
		}
		m, err := r.f.WriteAt(b[begin:end], at+int64(begin))
		n += int64(m)
		if err != nil {
			return n, err
		}
		begin = end
	}
	return n, nil
}

var zeros [ramPage]byte

func zero(page []byte) bool { return bytes.Equal(page, zeros[:len(page)]) }
