package ninep_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"piwork/vmhost/share"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/ninep"
)

// Whatever a guest sends, Serve answers in whole frames, ends by itself, logs no
// fault of its own, and touches nothing outside of the folders.
func FuzzGuest(f *testing.F) {
	join := func(m ...[]byte) []byte { return bytes.Join(m, nil) }
	hello := join(message(version, 0xffff, uint32(8192), str("9P2000.L")), message(attach, 1, uint32(0), noFid, str("u"), str(""), uint32(1000)))
	to := func(fid uint32, names ...string) []byte {
		fields := []any{uint32(0), fid, uint16(len(names))}
		for _, n := range names {
			fields = append(fields, str(n))
		}
		return message(walkT, 2, fields...)
	}
	f.Add(hello)
	f.Add(join(hello, to(1, "rw", "file"), message(lopen, 3, uint32(1), uint32(2)), message(write, 4, uint32(1), uint64(2), uint32(4), []byte("data")),
		message(read, 5, uint32(1), uint64(0), uint32(100)), message(clunk, 6, uint32(1))))
	f.Add(join(hello, to(1, "rw"), message(lcreate, 3, uint32(1), str("new"), uint32(2), uint32(0o644), uint32(0)), message(fsync, 4, uint32(1), uint32(0))))
	f.Add(join(hello, to(1, "rw"), message(lopen, 3, uint32(1), uint32(0)), message(readdir, 4, uint32(1), uint64(0), uint32(4000)), message(statfs, 5, uint32(1))))
	f.Add(join(hello, to(1, "rw"), to(2, "rw", "dir"), message(renameat, 3, uint32(1), str("file"), uint32(2), str("moved")),
		message(unlinkat, 4, uint32(2), str("moved"), uint32(0)), message(unlinkat, 5, uint32(1), str("dir"), uint32(0x200))))
	f.Add(join(hello, to(1, "rw"), message(symlink, 3, uint32(1), str("l"), str("../outside/secret"), uint32(0)), to(2, "rw", "l"), message(readlink, 4, uint32(2)),
		message(lopen, 5, uint32(2), uint32(2)), message(mkdir, 6, uint32(1), str("d"), uint32(0o755), uint32(0)), message(link, 7, uint32(1), uint32(2), str("h"))))
	f.Add(join(hello, to(1, "ro", "file"), message(setattr, 3, uint32(1), uint32(0x1ff), uint32(0o777), uint32(0), uint32(0), uint64(1), uint64(1), uint64(1), uint64(1), uint64(1)),
		message(remove, 4, uint32(1)), message(flush, 5, uint16(4)), message(getlock, 6, uint32(1), uint8(0), uint64(0), uint64(1), uint32(1), str("x"))))
	f.Add(join(hello, to(1, "rw", "file"), message(xattrcreate, 3, uint32(1), str("user.x"), uint64(3), uint32(0)), message(write, 4, uint32(1), uint64(0), uint32(3), []byte("abc")),
		message(clunk, 5, uint32(1)), to(1, "rw", "file"), message(xattrwalk, 6, uint32(1), uint32(2), str("user.x")), message(read, 7, uint32(2), uint64(0), uint32(9)),
		message(xattrwalk, 8, uint32(1), uint32(3), str("")), message(clunk, 9, uint32(3))))
	f.Add(join(hello, message(version, 0xffff, uint32(1<<30), str("9P2000.L")), message(clunk, 1, uint32(0))))
	f.Fuzz(func(t *testing.T, b []byte) {
		base := t.TempDir()
		for _, d := range []string{"rw/dir", "ro", "outside"} {
			if err := os.MkdirAll(filepath.Join(base, d), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		for _, n := range []string{"rw/file", "rw/dir/file", "ro/file", "outside/secret"} {
			if err := os.WriteFile(filepath.Join(base, n), []byte("content"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		j, err := journal.Open(filepath.Join(base, "journal"), journal.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		set := share.NewSet(share.Options{})
		defer set.Close()
		for i, n := range []string{"rw", "ro"} {
			if _, err := set.Add(share.Folder{ID: n, Path: filepath.Join(base, n), ReadOnly: i == 1}, j); err != nil {
				t.Fatal(err)
			}
		}
		var log logs
		host, guest := net.Pipe()
		done := make(chan error, 1)
		go func() {
			done <- ninep.Serve(t.Context(), host, set, ninep.Options{Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelError}))})
		}()
		go func() {
			_, _ = guest.Write(b)
			time.AfterFunc(20*time.Millisecond, func() { guest.Close() })
		}()
		for {
			var head [7]byte
			if _, err := io.ReadFull(guest, head[:]); err != nil {
				break
			}
			size := binary.LittleEndian.Uint32(head[:])
			if size < 7 || size > 1<<20 {
				t.Fatalf("a reply of %d bytes", size)
			}
			if _, err := io.CopyN(io.Discard, guest, int64(size-7)); err != nil {
				break
			}
		}
		guest.Close()
		select {
		case err := <-done:
			if _, is := errors.AsType[*ninep.ProtocolError](err); err != nil && !is {
				t.Errorf("Serve: %v", err)
			}
		case <-time.After(20 * time.Second):
			t.Fatal("Serve does not end")
		}
		if log.buf.Len() > 0 {
			t.Errorf("logged: %s", log.buf.String())
		}
		for n, want := range map[string]int{"outside": 1, "ro": 1} {
			list, err := os.ReadDir(filepath.Join(base, n))
			if err != nil || len(list) != want {
				t.Errorf("%s: %v %v", n, list, err)
			}
		}
		for _, n := range []string{"outside/secret", "ro/file"} {
			if b, err := os.ReadFile(filepath.Join(base, n)); err != nil || string(b) != "content" {
				t.Errorf("%s: %q %v", n, b, err)
			}
		}
	})
}
