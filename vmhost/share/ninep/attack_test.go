//go:build linux

package ninep_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/hugelgupf/p9/linux"

	"piwork/scripts/lib/tier"
	"piwork/vmhost/share"
	"piwork/vmhost/share/conformance"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/ninep"
)

// Every attack is a guest that speaks raw 9P. After each, the harness checks
// that outside/ is as it was and that nothing was logged as a fault inside; the
// read-only folder must be as it was, and no reply may hold a secret of outside/.
var attacks = []struct {
	name string
	do   func(t *testing.T, h *host, r *raw)
}{
	{"walk out by names", func(t *testing.T, h *host, r *raw) {
		for i, names := range [][]string{
			{".."}, {"rw", ".."}, {"rw", "..", "outside"}, {"rw", "dir", "..", "..", "..", "outside"}, {"."}, {"rw", "."}, {""}, {"rw", ""},
			{"rw", "../outside"}, {"rw/../outside"}, {"/etc"}, {"rw", "/etc/passwd"}, {"rw", "dir/../../outside/secret"},
			{"rw", "..\x00"}, {"rw\x00", "file"}, {"rw", "file\x00.txt"}, {"rw", "file", "x"}, {"rw", "file", ".."},
			{"rw", strings.Repeat("a", 256)}, {"rw", strings.Repeat("a", 4000)}, strings.Split(strings.Repeat("rw ", 17), " "),
		} {
			if b, err := r.walkFrom(0, 100+uint32(i), names...); err == nil {
				t.Errorf("walk %q: %x", names, b)
			}
			if _, err := r.call(getattr, 100+uint32(i), uint64(0x7ff)); !isErrno(err, linux.EBADF) {
				t.Errorf("walk %q left a fid: %v", names, err)
			}
		}
	}},
	{"make names that lead out", func(t *testing.T, h *host, r *raw) {
		r.at(1, "rw/dir")
		r.at(2, "rw/file")
		for _, n := range []string{"..", ".", "", "../x", "../../outside/x", "/tmp/x", "a/b", "a\x00b", strings.Repeat("n", 256)} {
			for what, err := range map[string]error{
				"lcreate":  second(r.call(lcreate, uint32(1), str(n), uint32(2), uint32(0o644), uint32(0))),
				"mkdir":    second(r.call(mkdir, uint32(1), str(n), uint32(0o755), uint32(0))),
				"symlink":  second(r.call(symlink, uint32(1), str(n), str("t"), uint32(0))),
				"mknod":    second(r.call(mknod, uint32(1), str(n), uint32(0o100644), uint32(0), uint32(0), uint32(0))),
				"link":     second(r.call(link, uint32(1), uint32(2), str(n))),
				"unlinkat": second(r.call(unlinkat, uint32(1), str(n), uint32(0))),
				"rmdir":    second(r.call(unlinkat, uint32(1), str(n), uint32(0x200))),
				"renameat": second(r.call(renameat, uint32(1), str("file"), uint32(1), str(n))),
				"from":     second(r.call(renameat, uint32(1), str(n), uint32(1), str("y"))),
				"rename":   second(r.call(rename, uint32(2), uint32(1), str(n))),
			} {
				if !isErrno(err, linux.EINVAL, linux.ENAMETOOLONG) {
					t.Errorf("%s %q: %v", what, n, err)
				}
			}
		}
	}},
	{"symbolic links out, made by the guest and on the host", func(t *testing.T, h *host, r *raw) {
		links := map[string]string{
			"up": "..", "abs": h.path("outside"), "rel": "../outside", "secret": "../outside/secret",
			"abssecret": h.path("outside/secret"), "self": "self", "in": "dir", "infile": "file", "proc": "/proc/self/root",
		}
		for n, target := range links {
			h.check(os.Symlink(target, h.path("rw/"+n)))
			r.at(1, "rw")
			r.must(symlink, uint32(1), str("g-"+n), str(target), uint32(0))
		}
		before := h.tree("rw/dir")
		fid := uint32(10)
		for n := range links {
			for _, n := range []string{n, "g-" + n} {
				fid++
				r.at(fid, "rw/"+n)
				for _, next := range []string{"secret", "file", "outside", "dir", "x"} {
					if b, err := r.walkFrom(fid, 9999, next); err == nil {
						t.Errorf("walked through %s to %s: %x", n, next, b)
					}
				}
				for what, err := range map[string]error{
					"open":     second(r.call(lopen, fid, uint32(0))),
					"write":    second(r.call(lopen, fid, uint32(1))),
					"truncate": second(r.call(lopen, fid, uint32(0o1001))),
					"create":   second(r.call(lcreate, fid, str("x"), uint32(2), uint32(0o644), uint32(0))),
					"mkdir":    second(r.call(mkdir, fid, str("x"), uint32(0o755), uint32(0))),
					"size":     second(r.setattr(fid, 8, 0, 0)),
					"chmod":    second(r.setattr(fid, 1, 0o777, 0)),
				} {
					if err == nil {
						t.Errorf("%s of the link %s", what, n)
					}
				}
				if _, err := r.setattr(fid, 0x20|0x100, 0, 0); err != nil {
					t.Errorf("time of the link %s itself: %v", n, err)
				}
				// Creating over a link does not follow it either.
				r.at(2, "rw")
				if _, err := r.call(lcreate, uint32(2), str(n), uint32(0o1002), uint32(0o644), uint32(0)); err == nil {
					t.Errorf("created through the link %s", n)
				}
				// A hard link to a link is a link.
				r.at(3, "rw")
				r.must(link, uint32(3), fid, str("hard-"+n))
				if info, err := os.Lstat(h.path("rw/hard-" + n)); err != nil || info.Mode()&fs.ModeSymlink == 0 {
					t.Errorf("hard link to %s: %v %v", n, info, err)
				}
			}
		}
		if got := h.tree("rw/dir"); got != before {
			t.Errorf("changed through a link:\n%s", got)
		}
		// A link is replaced, not what it names.
		r.at(4, "rw")
		r.must(renameat, uint32(4), str("file"), uint32(4), str("secret"))
		r.must(unlinkat, uint32(4), str("abs"), uint32(0))
	}},
	{"links and moves from one folder to another", func(t *testing.T, h *host, r *raw) {
		h.check(os.WriteFile(h.path("rw/mine"), []byte("x"), 0o644))
		r.at(1, "rw")
		r.at(2, "ro")
		r.at(3, "ro/file")
		r.at(4, "rw/mine")
		for what, err := range map[string]error{
			"link ro to rw":   second(r.call(link, uint32(1), uint32(3), str("x"))),
			"link rw to ro":   second(r.call(link, uint32(2), uint32(4), str("x"))),
			"move rw to ro":   second(r.call(renameat, uint32(1), str("mine"), uint32(2), str("x"))),
			"move ro to rw":   second(r.call(renameat, uint32(2), str("file"), uint32(1), str("x"))),
			"rename to ro":    second(r.call(rename, uint32(4), uint32(2), str("x"))),
			"move a folder":   second(r.call(renameat, uint32(0), str("rw"), uint32(1), str("x"))),
			"move into root":  second(r.call(renameat, uint32(1), str("mine"), uint32(0), str("x"))),
			"link into root":  second(r.call(link, uint32(0), uint32(4), str("x"))),
			"rename a folder": second(r.call(rename, uint32(1), uint32(2), str("x"))),
			"remove a folder": second(r.call(unlinkat, uint32(0), str("rw"), uint32(0x200))),
		} {
			if !isErrno(err, linux.EXDEV, linux.EROFS) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if _, err := r.call(remove, uint32(1)); err == nil {
			t.Error("removed a folder")
		}
	}},
	{"change a read-only folder in any way", func(t *testing.T, h *host, r *raw) {
		r.at(1, "ro")
		r.at(2, "ro/file")
		r.at(3, "ro/dir")
		for what, err := range map[string]error{
			"lcreate":         second(r.call(lcreate, r.at(10, "ro"), str("x"), uint32(2), uint32(0o644), uint32(0))),
			"lcreate there":   second(r.call(lcreate, r.at(11, "ro"), str("file"), uint32(0o1001), uint32(0o644), uint32(0))),
			"lcreate to read": second(r.call(lcreate, r.at(12, "ro"), str("file"), uint32(0), uint32(0o644), uint32(0))),
			"open to write":   second(r.call(lopen, r.at(13, "ro/file"), uint32(1))),
			"open for both":   second(r.call(lopen, r.at(14, "ro/file"), uint32(2))),
			"open truncated":  second(r.call(lopen, r.at(15, "ro/file"), uint32(0o1000))),
			"open odd mode":   second(r.call(lopen, r.at(16, "ro/file"), uint32(3))),
			"mkdir":           second(r.call(mkdir, uint32(1), str("x"), uint32(0o755), uint32(0))),
			"symlink":         second(r.call(symlink, uint32(1), str("x"), str("t"), uint32(0))),
			"mknod":           second(r.call(mknod, uint32(1), str("x"), uint32(0o100644), uint32(0), uint32(0), uint32(0))),
			"mknod fifo":      second(r.call(mknod, uint32(1), str("x"), uint32(0o010644), uint32(0), uint32(0), uint32(0))),
			"link":            second(r.call(link, uint32(1), uint32(2), str("x"))),
			"renameat":        second(r.call(renameat, uint32(1), str("file"), uint32(1), str("x"))),
			"renameat over":   second(r.call(renameat, uint32(1), str("file"), uint32(3), str("file"))),
			"rename":          second(r.call(rename, r.at(17, "ro/file"), uint32(1), str("x"))),
			"unlinkat":        second(r.call(unlinkat, uint32(1), str("file"), uint32(0))),
			"rmdir":           second(r.call(unlinkat, uint32(1), str("dir"), uint32(0x200))),
			"remove":          second(r.call(remove, r.at(18, "ro/file"))),
			"chmod":           second(r.setattr(2, 1, 0o777, 0)),
			"chmod folder":    second(r.setattr(1, 1, 0o777, 0)),
			"truncate":        second(r.setattr(2, 8, 0, 0)),
			"times":           second(r.setattr(2, 0x10|0x20, 0, 0)),
			"times folder":    second(r.setattr(1, 0x20|0x100, 0, 0)),
			"chown":           second(r.setattr(2, 6, 0, 0)),
		} {
			if !isErrno(err, linux.EROFS) {
				t.Errorf("%s: %v", what, err)
			}
		}
		r.at(20, "ro/file")
		r.must(lopen, uint32(20), uint32(0))
		if _, err := r.call(write, uint32(20), uint64(0), uint32(1), []byte("x")); err == nil {
			t.Error("wrote to a file that was opened for reading")
		}
	}},
	{"devices, FIFOs and sockets", func(t *testing.T, h *host, r *raw) {
		h.check(syscall.Mkfifo(h.path("rw/fifo"), 0o666))
		l, err := net.Listen("unix", h.path("rw/sock"))
		h.check(err)
		defer l.Close()
		names := []string{"fifo", "sock"}
		if syscall.Mknod(h.path("rw/null"), syscall.S_IFCHR|0o666, 1<<8|3) == nil {
			names = append(names, "null")
		}
		fid := uint32(10)
		for _, n := range names {
			for _, flags := range []uint32{0, 1, 2, 0o1001, 0o4000} {
				fid++
				r.at(fid, "rw/"+n)
				start := time.Now()
				if _, err := r.call(lopen, fid, flags); err == nil {
					t.Errorf("opened %s with %o", n, flags)
				}
				if d := time.Since(start); d > 5*time.Second {
					t.Errorf("opening %s took %v", n, d)
				}
			}
			r.at(1, "rw")
			for what, err := range map[string]error{
				"create over": second(r.call(lcreate, r.at(2, "rw"), str(n), uint32(0o1002), uint32(0o644), uint32(0))),
				"truncate":    second(r.setattr(r.at(3, "rw/"+n), 8, 0, 0)),
				"chmod":       second(r.setattr(3, 1, 0o777, 0)),
				"times":       second(r.setattr(3, 0x20, 0, 0)),
				"unlink":      second(r.call(unlinkat, uint32(1), str(n), uint32(0))),
				"replace":     second(r.call(renameat, uint32(1), str("file"), uint32(1), str(n))),
				"link":        second(r.call(link, uint32(1), uint32(3), str("second"))),
			} {
				if err == nil {
					t.Errorf("%s of %s", what, n)
				}
			}
		}
		for what, mode := range map[string]uint32{"fifo": 0o010666, "character device": 0o020666, "block device": 0o060666, "socket": 0o140666, "directory": 0o040755} {
			if _, err := r.call(mknod, uint32(1), str("made"), mode, uint32(1), uint32(3), uint32(0)); !isErrno(err, linux.EPERM) {
				t.Errorf("mknod of a %s: %v", what, err)
			}
		}
		// They may be moved, for that can be undone.
		r.must(renameat, uint32(1), str("fifo"), uint32(1), str("moved"))
		r.must(renameat, uint32(1), str("moved"), uint32(1), str("fifo"))
	}},
	{"setuid", func(t *testing.T, h *host, r *raw) {
		r.at(1, "rw")
		r.must(mkdir, uint32(1), str("d"), uint32(0o7777), uint32(0))
		r.must(mknod, uint32(1), str("n"), uint32(0o107777), uint32(0), uint32(0), uint32(0))
		r.must(lcreate, r.at(2, "rw"), str("c"), uint32(2), uint32(0o7777), uint32(0))
		r.must(setattr, r.at(3, "rw/file"), uint32(1), uint32(0o7777), uint32(0), uint32(0), uint64(0), uint64(0), uint64(0), uint64(0), uint64(0))
		for _, n := range []string{"d", "n", "c", "file"} {
			info, err := os.Lstat(h.path("rw/" + n))
			if err != nil || info.Mode()&(fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky) != 0 {
				t.Errorf("%s: %v %v", n, info.Mode(), err)
			}
		}
	}},
	{"fids used wrongly", func(t *testing.T, h *host, r *raw) {
		r.at(1, "rw/file")
		r.must(clunk, uint32(1))
		for what, err := range map[string]error{
			"clunked":          second(r.call(getattr, uint32(1), uint64(0x7ff))),
			"clunked twice":    second(r.call(clunk, uint32(1))),
			"never made":       second(r.call(lopen, uint32(77), uint32(0))),
			"no fid":           second(r.call(getattr, noFid, uint64(0x7ff))),
			"read unopened":    second(r.call(read, r.at(2, "rw/file"), uint64(0), uint32(10))),
			"write unopened":   second(r.call(write, uint32(2), uint64(0), uint32(1), []byte("x"))),
			"list unopened":    second(r.call(readdir, r.at(3, "rw"), uint64(0), uint32(1000))),
			"list a file":      second(r.call(readdir, uint32(2), uint64(0), uint32(1000))),
			"sync unopened":    second(r.call(fsync, uint32(2), uint32(0))),
			"readlink no link": second(r.call(readlink, uint32(2))),
			"create in a file": second(r.call(lcreate, uint32(2), str("x"), uint32(2), uint32(0o644), uint32(0))),
			"walk from a file": second(r.walkFrom(2, 9, "x")),
			"auth":             second(r.call(auth, uint32(5), str("u"), str(""), uint32(0))),
			"attach with auth": second(r.call(attach, uint32(6), uint32(2), str("u"), str(""), uint32(0))),
			"attach elsewhere": second(r.call(attach, uint32(6), noFid, str("u"), str("/etc"), uint32(0))),
			"attach above":     second(r.call(attach, uint32(6), noFid, str("u"), str("rw/.."), uint32(0))),
		} {
			if err == nil {
				t.Errorf("%s works", what)
			}
		}
		r.must(lopen, uint32(2), uint32(0))
		for what, err := range map[string]error{
			"opened twice":             second(r.call(lopen, uint32(2), uint32(1))),
			"write to one for reading": second(r.call(write, uint32(2), uint64(0), uint32(1), []byte("x"))),
			"walk an open fid itself":  second(r.walkFrom(2, 2)),
		} {
			if err == nil {
				t.Errorf("%s works", what)
			}
		}
		r.must(lopen, r.at(4, "rw/file"), uint32(1))
		if _, err := r.call(read, uint32(4), uint64(0), uint32(10)); err == nil {
			t.Error("read from one for writing")
		}
		r.at(2, "rw") // a fid in use becomes another
		r.at(0x7fffffff, "rw/file")
		r.must(remove, uint32(0x7fffffff))
	}},
	{"counts, offsets and lengths", func(t *testing.T, h *host, r *raw) {
		r.must(lopen, r.at(1, "rw/file"), uint32(2))
		r.must(lopen, r.at(2, "rw"), uint32(0))
		for _, count := range []uint32{0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 1 << 20, 1<<20 - 11} {
			if b := r.must(read, uint32(1), uint64(0), count); len(b) > 1<<20-ioHeader {
				t.Errorf("read of %d: %d bytes", count, len(b))
			}
			if b := r.must(readdir, uint32(2), uint64(0), count); len(b) > 1<<20-ioHeader {
				t.Errorf("list of %d: %d bytes", count, len(b))
			}
		}
		for _, off := range []uint64{1 << 63, 1<<63 + 1, 1<<64 - 1, 1<<64 - 4096} {
			for what, err := range map[string]error{
				"read":  second(r.call(read, uint32(1), off, uint32(10))),
				"write": second(r.call(write, uint32(1), off, uint32(1), []byte("x"))),
				"list":  second(r.call(readdir, uint32(2), off, uint32(1000))),
				"size":  second(r.setattr(1, 8, 0, off)),
			} {
				if !isErrno(err, linux.EINVAL, linux.EFBIG) {
					t.Errorf("%s at %d: %v", what, off, err)
				}
			}
		}
		for _, off := range []uint64{1<<63 - 1, 1<<63 - 2} {
			if _, err := r.call(write, uint32(1), off, uint32(10), []byte("0123456789")); !isErrno(err, linux.EFBIG, linux.EINVAL) {
				t.Errorf("write at %d: %v", off, err)
			}
			_, _ = r.call(read, uint32(1), off, uint32(10))
			_, _ = r.call(readdir, uint32(2), off, uint32(1000)) // the file system decides
		}
		// The count of a write is another than what comes.
		for _, count := range []uint32{0, 5, 100, 0xffffffff} {
			if _, err := r.call(write, uint32(1), uint64(0), count, []byte("four")); !isErrno(err, linux.EINVAL) {
				t.Errorf("write that says %d bytes: %v", count, err)
			}
		}
		for _, sec := range []uint64{1 << 62, 1<<64 - 1<<62, 1 << 40, 253402300800} {
			if _, err := r.call(setattr, uint32(1), uint32(0x20|0x100), uint32(0), uint32(0), uint32(0), uint64(0), uint64(0), uint64(0), sec, uint64(0)); !isErrno(err, linux.EINVAL) {
				t.Errorf("time %d: %v", sec, err)
			}
		}
	}},
	{"messages that are none", func(t *testing.T, h *host, r *raw) {
		r.at(1, "rw")
		for what, m := range map[string][]byte{
			"walk without names":       message(walkT, 9, uint32(0), uint32(5), uint16(3)),
			"walk cut off":             message(walkT, 9, uint32(0)),
			"walk with too many names": message(walkT, 9, uint32(0), uint32(5), uint16(0xffff), str("rw")),
			"string beyond its frame":  message(mkdir, 9, uint32(1), uint16(500), []byte("short"), uint32(0), uint32(0)),
			"something after the end":  message(clunk, 9, uint32(1), uint32(1)),
			"read without an offset":   message(read, 9, uint32(1)),
			"write without a count":    message(write, 9, uint32(1), uint64(0)),
			"write of one byte":        message(write, 9, uint8(1)),
			"unknown type":             message(200, 9, uint32(1)),
			"a reply":                  message(walkT+1, 9, uint16(0)),
			"Google's walkgetattr":     message(126, 9, uint32(0), uint32(5), uint16(1), str("rw")),
			"Google's create":          message(128, 9, uint32(1), str("x"), uint32(2), uint32(0o644), uint32(0), uint32(0)),
			"Plan 9's open":            message(112, 9, uint32(1), uint8(0)),
			"Plan 9's wstat":           message(126, 9, uint32(1), uint16(0)),
			"flush cut off":            message(flush, 9, uint8(1)),
			"xattrwalk cut off":        message(xattrwalk, 9, uint32(1), uint32(6)),
			"xattrcreate cut off":      message(xattrcreate, 9, uint32(1), str("user.x"), uint32(0)),
			"empty":                    message(clunk, 9),
		} {
			r.send(m)
			typ, tag, body, err := r.recv()
			if err != nil || typ != 7 || tag != 9 {
				t.Fatalf("%s: type %d tag %d %v", what, typ, tag, err)
			}
			if no := linux.Errno(binary.LittleEndian.Uint32(body)); no != linux.EINVAL && no != linux.EOPNOTSUPP {
				t.Logf("%s: %v", what, no)
			}
			r.alive()
		}
	}},
	{"extended attributes of absurd sizes", func(t *testing.T, h *host, r *raw) {
		ask := func(fid uint32, name string, size uint64, flags uint32) error {
			r.at(fid, "rw/file")
			_, err := r.call(xattrcreate, fid, str(name), size, flags)
			return err
		}
		for _, size := range []uint64{64<<10 + 1, 1 << 31, 1 << 32, 1 << 63, math.MaxUint64} {
			if err := ask(1, "user.x", size, 0); !isErrno(err, linux.E2BIG) {
				t.Errorf("%d bytes: %v", size, err)
			}
		}
		if err := ask(1, "user.x", 1, 0xffffffff); !isErrno(err, linux.EINVAL) {
			t.Errorf("unknown flags: %v", err)
		}
		// So many that they would fill the memory, though nothing was written yet.
		held := uint32(0)
		for ; held < 10000; held++ {
			if err := ask(100+held, fmt.Sprint("user.", held), 64<<10, 0); err != nil {
				if !isErrno(err, linux.ENOMEM) {
					t.Errorf("after %d: %v", held, err)
				}
				break
			}
		}
		if held == 0 || held > 1000 {
			t.Errorf("%d values of 64 KiB are held", held)
		}
		for i := range held + 1 {
			if _, err := r.call(clunk, 100+i); i < held && !isErrno(err, linux.EINVAL) {
				t.Errorf("a value that was not written: %v", err)
			}
		}
		if err := ask(1, "user.x", 10, 0); err != nil {
			t.Errorf("afterwards: %v", err)
		}
		for what, c := range map[string]struct {
			err  error
			want linux.Errno
		}{
			"a gap":         {second(r.call(write, uint32(1), uint64(5), uint32(1), []byte("x"))), linux.EINVAL},
			"too much":      {second(r.call(write, uint32(1), uint64(0), uint32(11), []byte("01234567890"))), linux.ENOSPC},
			"reading it":    {second(r.call(read, uint32(1), uint64(0), uint32(1))), linux.EBADF},
			"once more":     {second(r.call(xattrcreate, uint32(1), str("user.y"), uint64(1), uint32(0))), linux.EINVAL},
			"of the root":   {second(r.call(xattrcreate, uint32(0), str("user.y"), uint64(1), uint32(0))), linux.EROFS},
			"of a bad fid":  {second(r.call(xattrwalk, uint32(9999), uint32(2), str("user.y"))), linux.EBADF},
			"another space": {second(r.call(xattrwalk, uint32(1), uint32(2), str("security.selinux"))), linux.EOPNOTSUPP},
			"with a NUL":    {second(r.call(xattrwalk, uint32(1), uint32(2), str("user.a\x00b"))), linux.EINVAL},
		} {
			if !isErrno(c.err, c.want) {
				t.Errorf("%s: %v", what, c.err)
			}
		}
		// One that is read stays as it was, from any offset.
		_, _ = r.call(clunk, uint32(1))
		r.at(1, "rw/file")
		r.must(xattrwalk, uint32(1), uint32(2), str(""))
		for _, off := range []uint64{0, 1, 1 << 40, 1<<63 - 1} {
			if b := r.must(read, uint32(2), off, uint32(0xffffffff)); len(b) != 4 {
				t.Errorf("from %d on there is %q", off, b)
			}
		}
		if _, err := r.call(write, uint32(2), uint64(0), uint32(1), []byte("x")); !isErrno(err, linux.EBADF) {
			t.Errorf("writing to a list: %v", err)
		}
	}},
	{"flushes", func(t *testing.T, h *host, r *raw) {
		// Of itself, of nothing, of each other: all are answered.
		r.send(append(append(message(flush, 1, uint16(1)), message(flush, 2, uint16(3))...), message(flush, 3, uint16(2))...))
		for range 3 {
			if typ, _, _, err := r.recv(); typ != flush+1 || err != nil {
				t.Fatalf("type %d %v", typ, err)
			}
		}
		// A flush is answered after what it flushes.
		r.must(lopen, r.at(1, "rw/file"), uint32(2))
		for i := range 200 {
			r.send(append(message(write, 10, uint32(1), uint64(0), uint32(1), []byte("x")), message(flush, 11, uint16(10))...))
			one, tag1, _, err1 := r.recv()
			two, tag2, _, err2 := r.recv()
			if err := errors.Join(err1, err2); err != nil {
				t.Fatal(err)
			}
			if one != write+1 || tag1 != 10 || two != flush+1 || tag2 != 11 {
				t.Fatalf("round %d: %d/%d then %d/%d", i, one, tag1, two, tag2)
			}
		}
	}},
	{"a flood of requests", func(t *testing.T, h *host, r *raw) {
		r.must(lopen, r.at(1, "rw/file"), uint32(0))
		const n = 5000
		go func() {
			var b []byte
			for i := range n {
				b = append(b, message(read, uint16(i), uint32(1), uint64(0), uint32(1<<20))...)
			}
			_, _ = r.conn.Write(b)
		}()
		seen := map[uint16]bool{}
		for range n {
			typ, tag, _, err := r.recv()
			if err != nil || typ != read+1 || seen[tag] {
				t.Fatalf("after %d: type %d tag %d %v", len(seen), typ, tag, err)
			}
			seen[tag] = true
		}
	}},
	{"opening one fid many times at once", func(t *testing.T, h *host, r *raw) {
		for round := range 50 {
			r.at(1, "rw/file")
			var b []byte
			for i := range 8 {
				b = append(b, message(lopen, uint16(100+i), uint32(1), uint32(2))...)
				b = append(b, message(getattr, uint16(200+i), uint32(1), uint64(0x7ff))...)
				b = append(b, message(write, uint16(300+i), uint32(1), uint64(0), uint32(1), []byte("x"))...)
			}
			r.send(b)
			opened := 0
			for range 24 {
				typ, _, _, err := r.recv()
				if err != nil {
					t.Fatal(err)
				}
				if typ == lopen+1 {
					opened++
				}
			}
			if opened != 1 {
				t.Fatalf("round %d: opened %d times", round, opened)
			}
			r.must(clunk, uint32(1))
		}
	}},
}

const ioHeader = 11

func second(_ []byte, err error) error { return err }

func (r *raw) setattr(fid, valid, mode uint32, size uint64) ([]byte, error) {
	r.t.Helper()
	return r.call(setattr, fid, valid, mode, uint32(0), uint32(0), size, uint64(0), uint64(0), uint64(1), uint64(0))
}

func TestAttacks(t *testing.T) { conformance.Ways(t, testAttacks) }

func testAttacks(t *testing.T) {
	for _, a := range attacks {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t)
			ro := h.tree("ro")
			r := h.raw().start()
			a.do(t, h, r)
			r.alive()
			if got := h.tree("ro"); got != ro {
				t.Errorf("read-only folder changed:\n%s\nwas:\n%s", got, ro)
			}
			if err := h.end(); err != nil {
				t.Errorf("Serve: %v", err)
			}
			for _, p := range []string{"rw", "ro"} {
				if s := h.tree(p); strings.Contains(s, "secret of outside") {
					t.Errorf("a secret came in:\n%s", s)
				}
			}
		})
	}
}

// What is no 9P ends the connection, by name, at once.
func TestProtocolErrors(t *testing.T) {
	header := func(size uint32, typ byte, tag uint16) []byte {
		b := binary.LittleEndian.AppendUint32(nil, size)
		return binary.LittleEndian.AppendUint16(append(b, typ), tag)
	}
	for name, c := range map[string]struct {
		started bool
		send    []byte
	}{
		"a frame of no bytes":          {true, header(0, clunk, 1)},
		"a frame of six bytes":         {true, header(6, clunk, 1)},
		"a frame of four gigabytes":    {true, header(0xffffffff, clunk, 1)},
		"a frame above msize":          {true, header(1<<20+1, write, 1)},
		"a long message, not a write":  {true, header(100_000, walkT, 1)},
		"before the version":           {false, message(getattr, 1, uint32(0), uint64(1))},
		"a large frame before version": {false, header(1<<20, write, 1)},
		"without a tag":                {true, message(getattr, 0xffff, uint32(0), uint64(1))},
		"a damaged version":            {false, message(version, 0xffff, uint32(8192), uint16(100))},
		"an empty version":             {false, message(version, 0xffff)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t)
			r := h.raw()
			if c.started {
				r.start()
			}
			_, _ = r.conn.Write(c.send)
			go func() { _, _ = io.Copy(io.Discard, r.conn) }()
			err := h.wait()
			if _, is := errors.AsType[*ninep.ProtocolError](err); !is {
				t.Errorf("err = %v", err)
			}
		})
	}
}

// Two requests under way with one tag have no replies that could be told apart.
func TestOneTagTwice(t *testing.T) {
	h := newHost(t)
	h.check(os.WriteFile(h.path("rw/file"), make([]byte, 1<<20), 0o644))
	r := h.raw().start()
	r.must(lopen, r.at(1, "rw/file"), uint32(0))
	for tag := range uint16(20) { // more than the socket takes: most wait
		r.send(message(read, tag, uint32(1), uint64(0), uint32(1<<20)))
	}
	r.send(message(read, 19, uint32(1), uint64(0), uint32(1)))
	go func() { _, _ = io.Copy(io.Discard, r.conn) }()
	var wrong *ninep.ProtocolError
	if err := h.wait(); !errors.As(err, &wrong) {
		t.Errorf("err = %v", err)
	}
}

// Versions and message sizes are negotiated, and a second Tversion begins anew.
func TestVersion(t *testing.T) {
	h := newHost(t)
	r := h.raw()
	ask := func(msize uint32, v string) (byte, uint32, string) {
		r.send(message(version, 0xffff, msize, str(v)))
		typ, _, b, err := r.recv()
		if err != nil {
			t.Fatal(err)
		}
		if typ == 7 {
			return typ, binary.LittleEndian.Uint32(b), ""
		}
		return typ, binary.LittleEndian.Uint32(b), string(b[6:])
	}
	for _, c := range []struct {
		msize   uint32
		version string
		typ     byte
		answer  uint32
		want    string
	}{
		{8192, "9P2000", version + 1, 4096, "unknown"},
		{8192, "9P2000.u", version + 1, 4096, "unknown"},
		{8192, "", version + 1, 4096, "unknown"},
		{8192, strings.Repeat("9", 3000), version + 1, 4096, "unknown"},
		{0, "9P2000.L", 7, uint32(linux.EMSGSIZE), ""},
		{1, "9P2000.L", 7, uint32(linux.EMSGSIZE), ""},
		{4095, "9P2000.L", 7, uint32(linux.EMSGSIZE), ""},
		{4096, "9P2000.L", version + 1, 4096, "9P2000.L"},
		{0xffffffff, "9P2000.L", version + 1, 1 << 20, "9P2000.L"},
		{65536, "9P2000.L.Google.7", version + 1, 65536, "9P2000.L"},
	} {
		typ, msize, v := ask(c.msize, c.version)
		if typ != c.typ || msize != c.answer || v != c.want {
			t.Errorf("%d %q: type %d, %d %q", c.msize, c.version, typ, msize, v)
		}
	}
	r.start()
	r.must(lopen, r.at(1, "rw/file"), uint32(2))
	// Requests are under way when the guest mounts again: no reply of theirs
	// comes after the new Rversion, and their fids are gone.
	var b []byte
	for i := range 40 {
		b = append(b, message(write, uint16(i), uint32(1), uint64(0), uint32(4), []byte("here"))...)
	}
	r.send(append(b, message(version, 0xffff, uint32(65536), str("9P2000.L"))...))
	for {
		typ, _, _, err := r.recv()
		if err != nil {
			t.Fatal(err)
		}
		if typ == version+1 {
			break
		}
	}
	r.must(attach, uint32(0), noFid, str("user"), str("/"), uint32(1000))
	if _, err := r.call(read, uint32(1), uint64(0), uint32(10)); !isErrno(err, linux.EBADF) {
		t.Errorf("a fid outlived the mount: %v", err)
	}
	r.alive()
}

// A guest holds no more fids, files and memory than it may.
func TestFloods(t *testing.T) {
	tier.Unraced(t)
	h := newHostWith(t, share.Options{MaxOpen: 100})
	r := h.raw().start()
	refused := 0
	for i := range 150 {
		r.at(uint32(1000+i), "rw/file")
		if _, err := r.call(lopen, uint32(1000+i), uint32(i%3)); isErrno(err, linux.EMFILE) {
			refused++
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if refused != 50 {
		t.Errorf("%d of 150 opens refused", refused)
	}
	for i := range 150 {
		r.must(clunk, uint32(1000+i))
	}
	r.must(lopen, r.at(1, "rw/file"), uint32(2))

	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	refused = 0
	const batch = 500
	for i := 0; i < ninep.MaxFids+2*batch; i += batch {
		var b []byte
		for k := range batch {
			b = append(b, message(walkT, uint16(k), uint32(0), uint32(100_000+i+k), uint16(3), str("rw"), str("dir"), str("file"))...)
		}
		go func() { _, _ = r.conn.Write(b) }()
		for range batch {
			typ, _, body, err := r.recv()
			switch {
			case err != nil:
				t.Fatal(err)
			case typ == 7 && linux.Errno(binary.LittleEndian.Uint32(body)) != linux.EMFILE:
				t.Fatalf("errno %d", binary.LittleEndian.Uint32(body))
			case typ == 7:
				refused++
			}
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	grown := int64(after.HeapAlloc) - int64(before.HeapAlloc)
	t.Logf("%d walks refused, %d MB held", refused, grown>>20)
	if refused == 0 || grown > 200<<20 {
		t.Errorf("%d walks refused, %d MB held", refused, grown>>20)
	}
	r.alive()
	if err := h.end(); err != nil {
		t.Error(err)
	}
	// All of it is given back.
	h.connect()
	r = h.raw().start()
	r.must(lopen, r.at(1, "rw/file"), uint32(2))
}

// A guest that asks and does not read blocks itself and nothing else: Serve
// ends when its context does.
func TestGuestThatDoesNotRead(t *testing.T) {
	h := newHost(t)
	h.check(os.WriteFile(h.path("rw/file"), make([]byte, 1<<20), 0o644))
	r := h.raw().start()
	r.must(lopen, r.at(1, "rw/file"), uint32(0))
	written := make(chan int)
	go func() {
		n := 0
		for i := range 10_000 {
			_ = r.conn.SetWriteDeadline(time.Now().Add(300 * time.Millisecond))
			if _, err := r.conn.Write(message(read, uint16(i), uint32(1), uint64(0), uint32(1<<20))); err != nil {
				break
			}
			n++
		}
		written <- n
	}()
	<-written
	goroutines := runtime.NumGoroutine()
	if goroutines > 400 {
		t.Errorf("%d goroutines", goroutines)
	}
	h.cancel()
	if err := h.wait(); err != nil {
		t.Error(err)
	}
}

// The host changes a directory into a link out of the folder and back, as fast
// as it can, while the guest works in it.
func TestRaces(t *testing.T) {
	h := newHost(t)
	stop := make(chan struct{})
	swapped := make(chan struct{})
	var swaps atomic.Int64
	go func() {
		defer close(swapped)
		for ; ; swaps.Add(1) {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Rename(h.path("rw/dir"), h.path("rw/away"))
			_ = os.Symlink("../outside/dir", h.path("rw/dir"))
			_ = os.Remove(h.path("rw/dir"))
			_ = os.Rename(h.path("rw/away"), h.path("rw/dir"))
			// A file of the folder becomes a link, too.
			_ = os.Rename(h.path("rw/file"), h.path("rw/file.away"))
			_ = os.Symlink("../outside/secret", h.path("rw/file"))
			_ = os.Remove(h.path("rw/file"))
			_ = os.Rename(h.path("rw/file.away"), h.path("rw/file"))
		}
	}()
	r := h.raw().start()
	worked := 0
	for i, began := 0, time.Now(); time.Since(began) < 3*time.Second || time.Since(began) < time.Minute && (worked < 100 || swaps.Load() < 100); i++ {
		name := fmt.Sprintf("n%d", i%7)
		for _, path := range []string{"rw/dir", "rw/file", "rw/dir/file", "rw/dir/" + name} {
			if r.walk(1, path) != nil {
				continue
			}
			worked++
			switch i % 8 {
			case 0:
				_, _ = r.call(lcreate, uint32(1), str(name), uint32(0o1002), uint32(0o666), uint32(0))
				_, _ = r.call(write, uint32(1), uint64(0), uint32(4), []byte("evil"))
			case 1:
				if _, err := r.call(lopen, uint32(1), uint32(2)); err == nil {
					if b, err := r.call(read, uint32(1), uint64(0), uint32(100)); err == nil && strings.Contains(string(b), "outside") {
						t.Errorf("read a secret through %s: %q", path, b)
					}
					_, _ = r.call(write, uint32(1), uint64(0), uint32(4), []byte("evil"))
				}
			case 2:
				_, _ = r.call(mkdir, uint32(1), str(name), uint32(0o777), uint32(0))
			case 3:
				_, _ = r.call(unlinkat, uint32(1), str("file"), uint32(0))
				_, _ = r.call(lcreate, uint32(1), str("file"), uint32(2), uint32(0o666), uint32(0))
			case 4:
				_, _ = r.call(renameat, uint32(1), str("file"), uint32(1), str(name))
				_, _ = r.call(renameat, uint32(1), str(name), uint32(1), str("file"))
			case 5:
				_, _ = r.setattr(1, 1|8|0x20, 0o777, 3)
			case 6:
				_, _ = r.call(symlink, uint32(1), str(name), str("x"), uint32(0))
				_, _ = r.call(link, uint32(1), uint32(1), str(name+"l"))
			case 7:
				_, _ = r.call(unlinkat, uint32(1), str(name), uint32(0x200))
				_, _ = r.call(unlinkat, uint32(1), str(name), uint32(0))
			}
			_, _ = r.call(clunk, uint32(1))
		}
	}
	close(stop)
	<-swapped
	n := swaps.Load()
	if n < 100 || worked < 100 {
		t.Errorf("%d swaps, %d operations", n, worked)
	}
	t.Logf("%d swaps, %d operations", n, worked)
	if info, err := os.Lstat(h.path("rw/away")); err == nil && info.IsDir() {
		_ = os.Rename(h.path("rw/away"), h.path("rw/dir"))
	}
	r.alive()
	// The list and the undo survive that; what was changed meanwhile is refused.
	if _, err := h.j.Changes(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := h.j.Undo(t.Context(), nil, journal.UndoOptions{}); err != nil {
		t.Error(err)
	}
	_ = filepath.WalkDir(h.path("rw"), func(string, fs.DirEntry, error) error { return nil })
}
