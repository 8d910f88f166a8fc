package pump

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"golang.org/x/sys/unix"

	"piwork/vmhost/wire"
)

// defaultMSize is the largest message when the host does not choose.
const defaultMSize = wire.MaxMSize

// maxOrder bounds an order, in bytes.
const maxOrder = 64 << 10

// First bytes of orders.
const (
	orderMount = 'm' // mount what the host serves
	orderEarly = 'e' // mount before there is a host
	orderServe = 's' // alone, after orderEarly: a host is there
)

// orderFor is what a pump is told: what to do, where to mount, and the options
// of mount(2) without the descriptors, the last two each ended by NUL, which
// neither can contain.
// cache=mmap is the weakest cache in which programs can map files for writing;
// access=any attaches once, for the one user there is.
func orderFor(what byte, p wire.MountParams) string {
	msize := p.MSize
	if msize == 0 {
		msize = defaultMSize
	}
	options := "trans=fd,version=9p2000.L,cache=mmap,access=any,msize=" + strconv.FormatUint(uint64(msize), 10)
	if p.Export != "" {
		options += ",aname=" + p.Export
	}
	return string(rune(what)) + p.Path + "\x00" + options + "\x00"
}

// readOrder reads an order of [orderFor] into buf. io.EOF is no order.
func readOrder(fd int, buf []byte) (what byte, path, options string, err error) {
	n := 0
	for n < min(len(buf), maxOrder) {
		m, err := unix.Read(fd, buf[n:min(len(buf), maxOrder)])
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return 0, "", "", err
		}
		if m == 0 {
			return 0, "", "", io.EOF
		}
		n += m
		first, rest, ok := bytes.Cut(buf[:n], []byte{0})
		if !ok || len(first) == 0 {
			continue
		}
		if second, _, ok := bytes.Cut(rest, []byte{0}); ok {
			return first[0], string(first[1:]), string(second), nil
		}
	}
	return 0, "", "", errors.New("the order is too long")
}
