package virtiofs_test

import (
	"context"
	"encoding/binary"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"piwork/vmhost/share"
	"piwork/vmhost/share/drive/drivetest"
	"piwork/vmhost/share/virtiofs"
	"piwork/vmhost/share/virtiofs/vhostuser/vhostusertest"
)

// Serve ends in time although a drive does not answer a request for a file that the guest has open.
func TestEndWithASilentDrive(t *testing.T) {
	for _, hangsUp := range []bool{true, false} {
		behind, dir := t.TempDir(), t.TempDir()
		if err := os.WriteFile(filepath.Join(behind, "file"), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		d := drivetest.Mount(t, behind)
		set := share.NewSet(share.Options{})
		if _, err := set.Add(share.Folder{ID: "1", Path: d.Dir, Name: "drive", ReadOnly: true}, nil); err != nil {
			t.Fatal(err)
		}
		s := &served{t: t, sock: filepath.Join(dir, "s"), done: make(chan error, 1)}
		l, err := net.Listen("unix", s.sock)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		s.cancel = cancel
		go func() {
			s.done <- virtiofs.Serve(ctx, l, set, virtiofs.Options{Log: slog.New(slog.DiscardHandler), Patience: 200 * time.Millisecond})
		}()
		c := s.plug()
		c.init()
		n := c.at("drive/file")
		fh := binary.LittleEndian.Uint64(c.must(opOpen, n, uint32(0), uint32(0)))
		silent := d.SilentAt(drivetest.Read)
		c.f.Rings[1].Go(message(opRead, 1000, n, fh, uint64(0), uint32(1), uint32(0), uint64(0), uint32(0), uint32(0)), 512)
		<-silent
		if hangsUp {
			c.f.Conn.Close()
		} else {
			cancel()
		}
		select {
		case err := <-s.done: // what still runs is an error
			t.Log(err)
		case <-time.After(vhostusertest.Patience):
			t.Error("Serve does not return")
		}
		cancel()
		closed := make(chan struct{})
		go func() { set.Close(); close(closed) }()
		d.Answer()
		<-closed
	}
}
