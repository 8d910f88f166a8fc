//go:build vm || long

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// last are attacks after which nobody answers any more.
var last = map[string]bool{"noise": true, "deaf": true, "half a message": true}

// rawAttacks by name. The folder rw may be changed; ro not; beside both lies what
// nobody may see, and out and outfile in rw are the host's symbolic links to it.
var rawAttacks = map[string]func(r *rawPort) error{
	"walk out": func(r *rawPort) error {
		var all []error
		for i, path := range [][]string{
			{".."}, {"rw", ".."}, {"rw", "..", "outside"}, {"rw", "out", "secret"}, {"rw", "out", "..", ".."}, {"rw", "outfile", "x"}, {"rw", "../outside"},
			{"/etc/passwd"}, {"rw", ""}, {"rw", "."}, {"rw\x00"}, {"rw", "d", "..", "..", "outside", "secret"}, slices.Repeat([]string{"rw"}, 17),
			{"rw", strings.Repeat("n", 300)}, {"rw", strings.Repeat("../", 1000)},
		} {
			all = append(all, refused(fmt.Sprintf("walk %q", path), r.walk(0, uint32(100+i), path...)))
		}
		for i, path := range []string{"rw/out", "rw/outfile"} { // the link itself is nothing to open
			fid := uint32(200 + i)
			all = append(all, r.at(fid, path))
			for _, flags := range []uint32{0, 1, 2, 0o1001, 0o2001} {
				_, err := r.call(tLopen, fid, flags)
				all = append(all, refused(fmt.Sprintf("open %s with %#o", path, flags), err))
			}
			_, err := r.call(tSetattr, fid, uint32(9), uint32(0o777), uint32(0), uint32(0), uint64(0), uint64(0), uint64(0), uint64(0), uint64(0))
			all = append(all, refused("truncate "+path, err))
		}
		return errors.Join(all...)
	},
	"names that lead out": func(r *rawPort) error {
		all := []error{r.at(1, "rw/d"), r.at(2, "rw/file")}
		for _, n := range []string{"..", ".", "", "../x", "../../outside/x", "/tmp/x", "a/b", "a\x00b", strings.Repeat("n", 256)} {
			for what, do := range map[string]func() ([]byte, error){
				"create":  func() ([]byte, error) { return r.call(tLcreate, uint32(1), n, uint32(2), uint32(0o644), uint32(0)) },
				"symlink": func() ([]byte, error) { return r.call(tSymlink, uint32(1), n, "t", uint32(0)) },
				"link":    func() ([]byte, error) { return r.call(tLink, uint32(1), uint32(2), n) },
				"rename":  func() ([]byte, error) { return r.call(tRenameat, uint32(1), "inner", uint32(1), n) },
				"unlink":  func() ([]byte, error) { return r.call(tUnlinkat, uint32(1), n, uint32(0)) },
				"rmdir":   func() ([]byte, error) { return r.call(tUnlinkat, uint32(1), n, uint32(0x200)) },
			} {
				_, err := do()
				all = append(all, refused(fmt.Sprintf("%s %.20q", what, n), err))
			}
		}
		return errors.Join(all...)
	},
	"fids used wrongly": func(r *rawPort) error {
		all := []error{r.at(1, "rw/file")}
		_, err := r.call(tLopen, uint32(1), uint32(2))
		all = append(all, err)
		_, err = r.call(tLopen, uint32(1), uint32(2))
		all = append(all, refused("opened twice", err))
		_, err = r.call(tClunk, uint32(1))
		all = append(all, err)
		for what, typ := range map[string]byte{"clunk": tClunk, "remove": 122} {
			_, err = r.call(typ, uint32(1))
			all = append(all, refused(what+" after the clunk", err))
		}
		_, err = r.call(tRead, uint32(1), uint64(0), uint32(10))
		all = append(all, refused("read after the clunk", err))
		_, err = r.call(tWrite, uint32(77), uint64(0), uint32(1), []byte("x"))
		all = append(all, refused("write to nothing", err))
		_, err = r.call(tRead, noFid, uint64(0), uint32(10))
		return errors.Join(append(all, refused("read from no fid", err))...)
	},
	"counts and offsets": func(r *rawPort) error {
		all := []error{r.at(1, "rw/file"), r.at(2, "rw")}
		_, err := r.call(tLopen, uint32(1), uint32(2))
		all = append(all, err)
		_, err = r.call(tLopen, uint32(2), uint32(0))
		all = append(all, err)
		for _, off := range []uint64{1 << 63, 1<<64 - 1, 1<<63 - 1} {
			_, err = r.call(tWrite, uint32(1), off, uint32(4), []byte("xxxx"))
			all = append(all, refused("write there", err))
			_, _ = r.call(tRead, uint32(1), off, noFid) // nothing or an error
			_, _ = r.call(tReaddir, uint32(2), off, noFid)
		}
		for _, count := range []uint32{1<<32 - 1, 1 << 31, 1 << 20, 0} {
			for fid, typ := range map[uint32]byte{1: tRead, 2: tReaddir} {
				if _, err := r.call(typ, fid, uint64(0), count); err != nil {
					if _, is := errors.AsType[unix.Errno](err); !is {
						all = append(all, err)
					}
				}
			}
			_, err = r.call(tWrite, uint32(1), uint64(0), count|1, []byte("short"))
			all = append(all, refused("a write of other bytes than come", err))
		}
		return errors.Join(all...)
	},
	"kinds of files": func(r *rawPort) error {
		all := []error{r.at(1, "rw"), r.at(2, "rw/file")}
		for _, mode := range []uint32{unix.S_IFBLK | 0o666, unix.S_IFCHR | 0o666, unix.S_IFIFO | 0o666, unix.S_IFSOCK | 0o666} {
			_, err := r.call(tMknod, uint32(1), "node", mode, uint32(1), uint32(3), uint32(0))
			all = append(all, refused(fmt.Sprintf("mknod %#o", mode), err))
		}
		// Accepted and without effect, or refused: the host looks at the file.
		for valid, mode := range map[uint32]uint32{1: 0o7777, 6: 0} {
			_, err := r.call(tSetattr, uint32(2), valid, mode, uint32(7), uint32(7), uint64(0), uint64(0), uint64(0), uint64(0), uint64(0))
			if _, is := errors.AsType[unix.Errno](err); err != nil && !is {
				all = append(all, err)
			}
		}
		return errors.Join(all...)
	},
	"what may only be read": func(r *rawPort) error {
		all := []error{r.at(1, "ro"), r.at(2, "ro/file")}
		for what, do := range map[string]func() ([]byte, error){
			"create":  func() ([]byte, error) { return r.call(tLcreate, uint32(1), "x", uint32(2), uint32(0o644), uint32(0)) },
			"open":    func() ([]byte, error) { return r.call(tLopen, uint32(2), uint32(2)) },
			"cut off": func() ([]byte, error) { return r.call(tLopen, uint32(2), uint32(0o1000)) },
			"unlink":  func() ([]byte, error) { return r.call(tUnlinkat, uint32(1), "file", uint32(0)) },
			"rename":  func() ([]byte, error) { return r.call(tRenameat, uint32(1), "file", uint32(1), "x") },
			"link":    func() ([]byte, error) { return r.call(tLink, uint32(1), uint32(2), "x") },
			"mode": func() ([]byte, error) {
				return r.call(tSetattr, uint32(2), uint32(1), uint32(0o777), uint32(0), uint32(0), uint64(0), uint64(0), uint64(0), uint64(0), uint64(0))
			},
		} {
			_, err := do()
			all = append(all, refused(what, err))
		}
		return errors.Join(all...)
	},
	"a flood of fids": func(r *rawPort) error {
		const most, batch = 1 << 20, 500
		for from := uint32(10); from < most; from += batch {
			var b []byte
			for i := range uint32(batch) {
				b = append(b, message(tWalk, uint16(i), uint32(0), from+i, uint16(2), "rw", "file")...)
			}
			if err := r.send(b); err != nil {
				return err
			}
			full := false
			for range batch {
				typ, _, _, err := r.recv()
				if err != nil {
					return err
				}
				full = full || typ == rError
			}
			if full {
				return nil
			}
		}
		return errors.New("a million fids are held")
	},
	"a flood of open files": func(r *rawPort) error {
		for i := range uint32(20_000) {
			err := r.walk(0, 10+i, "rw", "file")
			if err == nil {
				_, err = r.call(tLopen, 10+i, uint32(0))
			}
			if err != nil {
				return refused("many open files", err)
			}
		}
		return errors.New("20,000 files are open")
	},
	"a flood of requests": func(r *rawPort) error {
		if err := r.at(1, "rw/file"); err != nil {
			return err
		}
		if _, err := r.call(tLopen, uint32(1), uint32(0)); err != nil {
			return err
		}
		const n = 20_000
		sent := make(chan error, 1)
		go func() {
			var b []byte
			for i := range n {
				b = append(b, message(tRead, uint16(i), uint32(1), uint64(0), noFid)...)
			}
			sent <- r.send(b)
		}()
		for i := range n {
			if typ, _, _, err := r.recv(); err != nil || typ != tRead+1 {
				return fmt.Errorf("after %d replies: type %d, %w", i, typ, err)
			}
		}
		return <-sent
	},
	"a storm of flushes": func(r *rawPort) error {
		var b []byte
		for i := range 2000 {
			b = append(b, message(tFlush, uint16(i), uint16(1999-i))...)
		}
		if err := r.send(b); err != nil {
			return err
		}
		for i := range 2000 {
			if typ, _, _, err := r.recv(); err != nil || typ != tFlush+1 {
				return fmt.Errorf("after %d replies: type %d, %w", i, typ, err)
			}
		}
		return nil
	},
	"one message for each byte": func(r *rawPort) error {
		for _, c := range message(tWalk, 9, uint32(0), uint32(50), uint16(1), "rw") {
			if err := r.send([]byte{c}); err != nil {
				return err
			}
		}
		typ, _, _, err := r.recv()
		if typ != tWalk+1 {
			err = fmt.Errorf("type %d, %w", typ, err)
		}
		return err
	},
	// It asks for as much as there is and reads none of it. What does not fit
	// anywhere waits here: the test ends the machine.
	"deaf": func(r *rawPort) error {
		err := r.start()
		if err == nil {
			err = r.at(1, "rw/big")
		}
		if err == nil {
			_, err = r.call(tLopen, uint32(1), uint32(0))
		}
		if err != nil {
			return err
		}
		over := time.After(3 * time.Second)
		done := make(chan error, 1)
		go func() {
			for i := 0; ; i++ {
				if err := r.send(message(tRead, uint16(i%60000), uint32(1), uint64(0), uint32(1<<20-11))); err != nil {
					done <- err
					return
				}
			}
		}()
		select {
		case err := <-done:
			return err
		case <-over:
			return nil
		}
	},
	"half a message": func(r *rawPort) error {
		err := r.start()
		if err == nil {
			b := message(tWrite, 9, uint32(1), uint64(0), uint32(500_000), make([]byte, 500_000))
			err = r.send(b[:len(b)/2])
		}
		return err
	},
	"noise": func(r *rawPort) error {
		b := make([]byte, 1<<20)
		random := rand.New(rand.NewPCG(5, 5))
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		done := make(chan struct{})
		go func() {
			_ = r.send(b) // where the host hangs up meanwhile, this waits for another
			close(done)
		}()
		select {
		case <-done:
		case <-time.After(3 * time.Second):
		}
		return nil
	},
}
