package virtiofs_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"
	"github.com/hugelgupf/p9/linux"

	"piwork/vmhost/share"
	"piwork/vmhost/share/conformance"
	"piwork/vmhost/share/virtiofs/vhostuser/vhostusertest"
)

// attacks are what a guest tries that speaks FUSE by itself. After each the
// server answers, nothing was logged as an error, and outside is as it was.
var attacks = []struct {
	name string
	do   func(t *testing.T, h *host)
}{
	{"names that lead out", func(t *testing.T, h *host) {
		n := h.at("rw")
		for _, name := range []string{"", ".", "..", "../outside", "dir/file", "/", "/etc/passwd", "dir/../../outside", "./file",
			strings.Repeat("x", 256), strings.Repeat("../", 80)} {
			for what, err := range map[string]error{
				"lookup":  second(h.call(opLookup, n, name)),
				"mkdir":   second(h.call(opMkdir, n, uint32(0o755), uint32(0), name)),
				"mknod":   second(h.call(opMknod, n, uint32(0o644), uint32(0), uint32(0), uint32(0), name)),
				"create":  second(h.call(opCreate, n, uint32(2), uint32(0o644), uint32(0), uint32(0), name)),
				"symlink": second(h.call(opSymlink, n, name, "x")),
				"link":    second(h.call(opLink, n, h.at("rw/file"), name)),
				"unlink":  second(h.call(opUnlink, n, name)),
				"rmdir":   second(h.call(opRmdir, n, name)),
				"rename":  second(h.call(opRename2, n, n, uint32(0), uint32(0), "file", name)),
				"from":    second(h.call(opRename2, n, n, uint32(0), uint32(0), name, "y")),
				"rename1": second(h.call(opRename, n, n, "file", name)),
			} {
				if !isErrno(err, linux.EINVAL, linux.ENAMETOOLONG) {
					t.Errorf("%s %q: %v", what, name, err)
				}
			}
		}
		// A NUL ends a name: what is behind it does not count.
		if err := second(h.call(opUnlink, n, "file\x00/../../outside/secret")); err != nil {
			t.Errorf("unlink: %v", err)
		}
	}},
	{"numbers of nodes that nobody was told", func(t *testing.T, h *host) {
		for _, n := range []uint64{0, 2, 99, 1 << 32, math.MaxUint64, math.MaxUint64 - 1, 1 << 63} {
			for what, err := range map[string]error{
				"lookup":   second(h.call(opLookup, n, "file")),
				"getattr":  second(h.call(opGetattr, n, uint32(0), uint32(0), uint64(0))),
				"setattr":  h.setattr(n, attrs{valid: fuse.FATTR_SIZE}),
				"readlink": second(h.call(opReadlink, n)),
				"mkdir":    second(h.call(opMkdir, n, uint32(0o755), uint32(0), "x")),
				"unlink":   second(h.call(opUnlink, n, "file")),
				"rename":   second(h.call(opRename2, h.at("rw"), n, uint32(0), uint32(0), "file", "x")),
				"from":     second(h.call(opRename2, n, h.at("rw"), uint32(0), uint32(0), "file", "x")),
				"link":     second(h.call(opLink, h.at("rw"), n, "x")),
				"open":     second(h.call(opOpen, n, uint32(2), uint32(0))),
				"opendir":  second(h.call(opOpendir, n, uint32(0), uint32(0))),
				"create":   second(h.call(opCreate, n, uint32(2), uint32(0o644), uint32(0), uint32(0), "x")),
				"statfs":   second(h.call(opStatfs, n)),
			} {
				if n == 2 && err == nil {
					continue // it was told of by then
				}
				if !isErrno(err, linux.ESTALE, linux.ENOENT, linux.ENOTDIR, linux.EINVAL, linux.EISDIR, linux.EXDEV, linux.EPERM, linux.ELOOP, linux.EEXIST) {
					t.Errorf("%s of node %d: %v", what, n, err)
				}
			}
			h.forget(n, math.MaxUint64)
		}
	}},
	{"extended attributes of absurd sizes", func(t *testing.T, h *host) {
		n := h.at("rw/file")
		for what, c := range map[string]struct {
			err  error
			want linux.Errno
		}{
			"a length that is not true":    {second(h.call(opSetxattr, n, uint32(math.MaxUint32), uint32(0), "user.x", []byte("abc"))), linux.EINVAL},
			"more than there may be":       {second(h.call(opSetxattr, n, uint32(64<<10+1), uint32(0), "user.x", make([]byte, 64<<10+1))), linux.E2BIG},
			"more than a request is":       {second(h.call(opSetxattr, n, uint32(100<<10), uint32(0), "user.x", make([]byte, 100<<10))), linux.EIO},
			"no end of the name":           {second(h.call(opSetxattr, n, uint32(0), uint32(0), []byte("user.x"))), linux.EINVAL},
			"unknown flags":                {second(h.call(opSetxattr, n, uint32(1), uint32(math.MaxUint32), "user.x", []byte("x"))), linux.EINVAL},
			"room that cannot be":          {second(h.call(opGetxattr, n, uint32(math.MaxUint32), uint32(0), "user.x")), linux.ENODATA},
			"a name that is too long":      {second(h.call(opGetxattr, n, uint32(10), uint32(0), "user."+strings.Repeat("x", 4000))), linux.ERANGE},
			"of a number that is nobody":   {second(h.call(opGetxattr, 1<<40, uint32(10), uint32(0), "user.x")), linux.ESTALE},
			"a list of nobody":             {second(h.call(opListxattr, 1<<40, uint32(10), uint32(0))), linux.ESTALE},
			"removing from the root":       {second(h.call(opRemovexattr, 1, "user.x")), linux.EOPNOTSUPP},
			"removing without an end":      {second(h.call(opRemovexattr, n, []byte("user.x"))), linux.ENODATA},
			"more room than it says it is": {second(h.callRoom(20, opGetxattr, n, uint32(64<<10), uint32(0), "user.x")), linux.EIO},
		} {
			if !isErrno(c.err, c.want) {
				t.Errorf("%s: %v", what, c.err)
			}
		}
		if b, err := h.call(opListxattr, n, uint32(math.MaxUint32), uint32(0)); err != nil || len(b) > 0 {
			t.Errorf("a list into absurd room: %q %v", b, err)
		}
	}},
	{"numbers of files that are not open", func(t *testing.T, h *host) {
		n := h.at("rw/file")
		dir, err := h.opendir(h.at("rw"))
		h.check(err)
		list, err := h.opendir(1)
		h.check(err)
		for _, fh := range []uint64{0, 77, math.MaxUint64, 1 << 63, dir, list} {
			for what, err := range map[string]error{
				"read":      second(h.call(opRead, n, fh, uint64(0), uint32(10), uint32(0), uint64(0), uint32(0), uint32(0))),
				"write":     second(h.call(opWrite, n, fh, uint64(0), uint32(1), uint32(0), uint64(0), uint32(0), uint32(0), []byte("x"))),
				"fallocate": second(h.call(opFallocate, n, fh, uint64(0), uint64(1), uint32(0), uint32(0))),
				"lseek":     second(h.call(opLseek, n, fh, uint64(0), uint32(3), uint32(0))),
			} {
				if !isErrno(err, linux.EBADF, linux.EISDIR) {
					t.Errorf("%s of file %d: %v", what, fh, err)
				}
			}
			if fh != dir && fh != list {
				if _, err := h.call(opReaddir, n, fh, uint64(0), uint32(4096), uint32(0), uint64(0), uint32(0), uint32(0)); !isErrno(err, linux.EBADF) {
					t.Errorf("readdir of file %d: %v", fh, err)
				}
			}
		}
		f, err := h.Open("rw/file", conformance.ReadOnly)
		h.check(err)
		fh := f.(*file).fh
		if _, err := h.call(opReaddirPlus, n, fh, uint64(0), uint32(4096), uint32(0), uint64(0), uint32(0), uint32(0)); !isErrno(err, linux.ENOTDIR) {
			t.Errorf("readdirplus of a file: %v", err)
		}
		for range 3 {
			h.check(f.Close()) // more often than it was opened
		}
	}},
	{"symbolic links out, made by the guest and on the host", func(t *testing.T, h *host) {
		for name, target := range map[string]string{"up": "..", "abs": h.path("outside"), "rel": "../outside", "secret": "../outside/secret",
			"self": "self", "proc": "/proc/self/root"} {
			h.check(os.Symlink(target, h.path("rw/"+name)))
			h.check(h.Symlink(target, "rw/g"+name))
			for _, p := range []string{name, "g" + name} {
				n := h.at("rw/" + p)
				for what, err := range map[string]error{
					"through":  second(h.call(opLookup, n, "secret")),
					"open":     second(h.call(opOpen, n, uint32(0), uint32(0))),
					"write":    second(h.call(opOpen, n, uint32(0o1001), uint32(0))),
					"opendir":  second(h.call(opOpendir, n, uint32(0), uint32(0))),
					"create":   second(h.call(opCreate, n, uint32(2), uint32(0o644), uint32(0), uint32(0), "x")),
					"over":     second(h.call(opCreate, h.at("rw"), uint32(0o1002), uint32(0o644), uint32(0), uint32(0), p)),
					"mkdir":    second(h.call(opMkdir, n, uint32(0o755), uint32(0), "x")),
					"truncate": h.setattr(n, attrs{valid: fuse.FATTR_SIZE}),
					"chmod":    h.setattr(n, attrs{valid: fuse.FATTR_MODE, mode: 0o777}),
				} {
					if err == nil {
						t.Errorf("%s of the link %s", what, p)
					}
				}
				h.check(h.setattr(n, attrs{valid: fuse.FATTR_MTIME, mtime: time.Unix(1, 0)})) // its own
			}
		}
	}},
	{"change a read-only folder in any way", func(t *testing.T, h *host) {
		n, f := h.at("ro"), h.at("ro/file")
		for what, err := range map[string]error{
			"mkdir":    second(h.call(opMkdir, n, uint32(0o755), uint32(0), "x")),
			"mknod":    second(h.call(opMknod, n, uint32(0o644), uint32(0), uint32(0), uint32(0), "x")),
			"create":   second(h.call(opCreate, n, uint32(2), uint32(0o644), uint32(0), uint32(0), "x")),
			"there":    second(h.call(opCreate, n, uint32(0), uint32(0o644), uint32(0), uint32(0), "file")),
			"symlink":  second(h.call(opSymlink, n, "x", "y")),
			"link":     second(h.call(opLink, n, f, "x")),
			"unlink":   second(h.call(opUnlink, n, "file")),
			"rmdir":    second(h.call(opRmdir, n, "dir")),
			"rename":   second(h.call(opRename2, n, n, uint32(0), uint32(0), "file", "x")),
			"write":    second(h.call(opOpen, f, uint32(1), uint32(0))),
			"both":     second(h.call(opOpen, f, uint32(2), uint32(0))),
			"truncate": second(h.call(opOpen, f, uint32(0o1000), uint32(0))),
			"size":     h.setattr(f, attrs{valid: fuse.FATTR_SIZE}),
			"mode":     h.setattr(f, attrs{valid: fuse.FATTR_MODE}),
			"times":    h.setattr(f, attrs{valid: fuse.FATTR_MTIME, mtime: time.Unix(1, 0)}),
			"owner":    h.setattr(f, attrs{valid: fuse.FATTR_UID}),
		} {
			if !isErrno(err, linux.EROFS) {
				t.Errorf("%s: %v", what, err)
			}
		}
		g, err := h.Open("ro/file", conformance.ReadOnly)
		h.check(err)
		fh := g.(*file).fh
		for what, err := range map[string]error{
			"write":     second(h.call(opWrite, f, fh, uint64(0), uint32(1), uint32(0), uint64(0), uint32(0), uint32(0), []byte("x"))),
			"fallocate": second(h.call(opFallocate, f, fh, uint64(0), uint64(1), uint32(0), uint32(0))),
			"punch":     second(h.call(opFallocate, f, fh, uint64(0), uint64(1), uint32(3), uint32(0))),
		} {
			if !isErrno(err, linux.EBADF) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if b, err := os.ReadFile(h.path("ro/file")); string(b) != "secret of ro/file" {
			t.Errorf("%q %v", b, err)
		}
	}},
	{"devices, FIFOs and setuid", func(t *testing.T, h *host) {
		n := h.at("rw")
		for _, typ := range []uint32{syscall.S_IFIFO, syscall.S_IFCHR, syscall.S_IFBLK, syscall.S_IFSOCK, syscall.S_IFDIR, syscall.S_IFLNK, 0o170000} {
			if err := second(h.call(opMknod, n, typ|0o644, uint32(0x501), uint32(0), uint32(0), "x")); !isErrno(err, linux.EPERM) {
				t.Errorf("mknod %o: %v", typ, err)
			}
		}
		h.check(syscall.Mkfifo(h.path("rw/fifo"), 0o644))
		fifo := h.at("rw/fifo")
		for _, flags := range []uint32{0, 1, 2, 0o1001} {
			if err := second(h.call(opOpen, fifo, flags, uint32(0))); !isErrno(err, linux.EPERM) {
				t.Errorf("open of a FIFO: %v", err)
			}
		}
		if err := h.setattr(fifo, attrs{valid: fuse.FATTR_SIZE}); !isErrno(err, linux.EPERM) {
			t.Errorf("size of a FIFO: %v", err)
		}
		h.must(opCreate, n, uint32(2), uint32(0o6755), uint32(0), uint32(0), "s")
		h.check(h.Chmod("rw/s", 0o7777))
		h.must(opMkdir, n, uint32(0o7777), uint32(0), "sd")
		for _, p := range []string{"rw/s", "rw/sd"} {
			if info, err := os.Stat(h.path(p)); err != nil || info.Mode()&(os.ModeSetuid|os.ModeSetgid|os.ModeSticky) != 0 {
				t.Errorf("%s: %v %v", p, info.Mode(), err)
			}
		}
	}},
	{"counts, offsets and lengths", func(t *testing.T, h *host) {
		f, err := h.Open("rw/file", conformance.ReadWrite)
		h.check(err)
		n, fh := f.(*file).node, f.(*file).fh
		write := func(off uint64, size uint32, data string) error {
			return second(h.call(opWrite, n, fh, off, size, uint32(0), uint64(0), uint32(0), uint32(0), []byte(data)))
		}
		for what, err := range map[string]error{
			"more than there is": write(0, 100, "x"),
			"less":               write(0, 0, "x"),
			"2^32-1":             write(0, math.MaxUint32, "x"),
			"offset 2^63":        write(1<<63, 1, "x"),
			"offset -1":          write(math.MaxUint64, 1, "x"),
			"over the end":       write(math.MaxInt64, 1, "x"),
			"size":               h.setattr(n, attrs{valid: fuse.FATTR_SIZE, size: math.MaxUint64}),
			"read at -1":         second(h.call(opRead, n, fh, uint64(math.MaxUint64), uint32(10), uint32(0), uint64(0), uint32(0), uint32(0))),
			"read of 2^32-1":     second(h.call(opRead, n, fh, uint64(0), uint32(math.MaxUint32), uint32(0), uint64(0), uint32(0), uint32(0))),
			"time of year 10^11": h.setattr(n, attrs{valid: fuse.FATTR_MTIME, mtime: time.Unix(1<<62, 0)}),
			"fallocate of -1":    second(h.call(opFallocate, n, fh, uint64(0), uint64(math.MaxUint64), uint32(0), uint32(0))),
			"fallocate of 0":     second(h.call(opFallocate, n, fh, uint64(0), uint64(0), uint32(0), uint32(0))),
			"fallocate at the end": second(h.call(opFallocate, n, fh, uint64(math.MaxInt64), uint64(2), uint32(0),
				uint32(0))),
		} {
			if !isErrno(err, linux.EINVAL, linux.EFBIG, linux.EIO, linux.EOPNOTSUPP) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if b, err := f.(*file).c.call(opRead, n, fh, uint64(1<<62), uint32(10), uint32(0), uint64(0), uint32(0), uint32(0)); len(b) > 0 || err != nil {
			t.Errorf("read behind the end: %x %v", b, err)
		}
		d, err := h.opendir(h.at("rw"))
		h.check(err)
		for _, off := range []uint64{1, 1 << 40, math.MaxInt64, 1 << 63, math.MaxUint64} { // whatever comes, it comes back
			_, _ = h.call(opReaddir, 1, d, off, uint32(4096), uint32(0), uint64(0), uint32(0), uint32(0))
			_, _ = h.call(opReaddirPlus, 1, d, off, uint32(math.MaxUint32), uint32(0), uint64(0), uint32(0), uint32(0))
		}
		for _, size := range []uint32{0, 1, 24, 25} {
			if b, err := h.call(opReaddir, 1, d, uint64(0), size, uint32(0), uint64(0), uint32(0), uint32(0)); len(b) > int(size) || err != nil {
				t.Errorf("readdir of %d bytes: %x %v", size, b, err)
			}
		}
	}},
	{"requests that are none", func(t *testing.T, h *host) {
		le := binary.LittleEndian
		for what, b := range map[string][]byte{
			"one byte":           {1},
			"no whole head":      make([]byte, 39),
			"nothing but a head": make([]byte, 40),
			"a longer head":      message(opLookup, 1, 1, "x")[:41],
			"unknown":            message(9999, 1, 1),
			"2^32-1":             message(math.MaxUint32, 1, 1),
			"a notification":     message(100, 1, 1),
			"short write":        message(opWrite, 1, 1, uint64(1)),
			"short create":       message(opCreate, 1, 1, uint32(1)),
			"short setattr":      message(opSetattr, 1, 1, uint32(1)),
			"lookup of nothing":  message(opLookup, 1, 1),
			"rename of one":      message(opRename2, 1, 1, uint64(1), uint32(0), uint32(0), "x"),
			"symlink to nothing": message(opSymlink, 1, 1, "x"),
			"forget nothing":     message(opBatchForget, 1, 1, uint32(math.MaxUint32), uint32(0)),
			"interrupt":          message(opInterrupt, 1, 0, uint64(77)),
			"a name of 65000":    message(opLookup, 1, 1, strings.Repeat("x", 65000)),
			"a name of 1 MB":     message(opLookup, 1, 1, strings.Repeat("x", 1000000)),
			"extension": func() []byte {
				b := message(opLookup, 1, 1, "x", make([]byte, 16))
				le.PutUint16(b[36:], 0xffff)
				return b
			}(),
			"an old kernel": message(opInit, 1, 0, uint32(6), uint32(0), uint32(0), uint32(0)),
			"an older one":  message(opInit, 1, 0, uint32(7), uint32(1), uint32(0), uint32(0)),
			"short init":    message(opInit, 1, 0, uint32(7)),
		} {
			for _, room := range []int{512, 16, 8, 1, 0} {
				for ring := range h.f.Rings {
					if _, err := h.f.Rings[ring].Do(b, room); err != nil {
						t.Errorf("%s with room for %d: %v", what, room, err)
					}
				}
			}
		}
		for _, op := range []uint32{opLookup, opGetattr, opRead, opReaddir, opReadlink, opStatfs, opOpen, opCreate} {
			if _, err := h.callRoom(17, op, h.at("rw/file"), make([]byte, 100)); err == nil {
				t.Errorf("request %d has a reply without room", op)
			}
		}
	}},
	{"a flood of open files", func(t *testing.T, h *host) {
		n, last := h.at("rw/file"), error(nil)
		for range 100 {
			if _, err := h.call(opOpen, n, uint32(0), uint32(0)); err != nil {
				last = err
			}
		}
		if !isErrno(last, linux.EMFILE) {
			t.Errorf("100 open files: %v", last)
		}
		last = nil
		for range 1100 {
			if _, err := h.opendir(1); err != nil {
				last = err
			}
		}
		if !isErrno(last, linux.EMFILE) {
			t.Errorf("1,100 open roots: %v", last)
		}
		h.init()
	}},
	{"a flood of forgetting", func(t *testing.T, h *host) {
		n := h.at("rw/dir/file")
		for range 100 {
			h.forget(n, math.MaxUint64)
			h.forget(n, 1)
		}
		var list []byte
		for i := range uint64(1000) {
			list = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(list, i), math.MaxUint64)
		}
		if _, err := h.f.Rings[0].Do(message(opBatchForget, 1, 0, uint32(1000), uint32(0), list), 0); err != nil {
			t.Error(err)
		}
		// Forgotten while it is used by others.
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 100 {
					_, _ = h.Stat("rw/dir/file")
					for n := range uint64(6) {
						_, _ = h.f.Rings[0].Do(message(opForget, 1, n, uint64(1000)), 0)
					}
				}
			})
		}
		wg.Wait()
	}},
	{"a directory that is replaced by a link meanwhile", func(t *testing.T, h *host) {
		stop := make(chan struct{})
		var wg sync.WaitGroup
		wg.Go(func() {
			for {
				select {
				case <-stop:
					_ = os.Remove(h.path("rw/dir"))
					_ = os.Rename(h.path("rw/was"), h.path("rw/dir"))
					return
				default:
				}
				_ = os.Rename(h.path("rw/dir"), h.path("rw/was"))
				_ = os.Symlink("../outside", h.path("rw/dir"))
				runtime.Gosched()
				_ = os.Remove(h.path("rw/dir"))
				_ = os.Rename(h.path("rw/was"), h.path("rw/dir"))
			}
		})
		dir := h.at("rw")
		for i := range 300 {
			b, err := h.call(opLookup, dir, "dir")
			if err != nil {
				continue
			}
			n := parseEntry(b).node
			if b, err := h.call(opLookup, n, "secret"); err == nil {
				t.Errorf("outside was found: %x", b)
			}
			_, _ = h.call(opCreate, n, uint32(2), uint32(0o644), uint32(0), uint32(0), fmt.Sprint("planted", i))
			_, _ = h.call(opMkdir, n, uint32(0o755), uint32(0), "planted")
			_, _ = h.call(opRename2, n, n, uint32(0), uint32(0), "secret", "x")
			_, _ = h.call(opUnlink, n, "secret")
		}
		close(stop)
		wg.Wait()
		h.check(os.WriteFile(h.path("rw/dir/file"), []byte("x"), 0o644)) // for alive
	}},
	{"everything at once", func(t *testing.T, h *host) {
		var wg sync.WaitGroup
		for w := range 6 {
			wg.Go(func() {
				for i := range 60 {
					name := fmt.Sprint("n", (i+w)%5)
					_, _ = h.call(opCreate, h.at("rw"), uint32(2), uint32(0o644), uint32(0), uint32(0), name)
					_ = h.Rename("rw/"+name, "rw/dir/"+name)
					_ = h.Rename("rw/dir", "rw/dir2")
					_ = h.Rename("rw/dir2", "rw/dir")
					_, _ = h.List("rw")
					_ = h.Unlink("rw/dir/" + name)
					_ = h.Link("rw/file", "rw/"+name)
				}
			})
		}
		wg.Wait()
	}},
}

func TestAttacks(t *testing.T) { conformance.Ways(t, testAttacks) }

func testAttacks(t *testing.T) {
	for _, a := range attacks {
		t.Run(a.name, func(t *testing.T) {
			h := newHost(t, share.Options{MaxOpen: 40})
			h.t, h.client.t = t, t
			a.do(t, h)
			if _, err := h.getattr(1, 0, 0); err != nil {
				h.init()
			}
			h.alive()
		})
	}
}

// What a guest does to a request after it was sent does not matter.
func TestRequestThatChanges(t *testing.T) {
	h := newHost(t, share.Options{})
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			// Where the front end puts requests: names, lengths and numbers.
			at := 4<<20 + i%24*(2304<<10)
			copy(h.f.Mem[at+40:], []string{"../outside/secret\x00", "file\x00", "\xff\xff\xff\xff\xff\xff\xff\xff", "dir\x00"}[i%4])
			h.f.Mem[at+i%40]++
		}
	})
	end := time.Now().Add(300 * time.Millisecond)
	for time.Now().Before(end) {
		for _, op := range []uint32{opLookup, opUnlink, opReaddir, opRead, opWrite, opRename2, opSymlink, opBatchForget} {
			if _, err := h.f.Rings[1].Go(message(op, 2, 2, []byte("file\x00dir\x00"), make([]byte, 60)), 4096).Wait(vhostusertest.Patience); err != nil {
				t.Fatal(err)
			}
		}
	}
	close(stop)
	wg.Wait()
	h.init()
	if _, err := h.Stat("rw"); err != nil {
		t.Error(err)
	}
}
