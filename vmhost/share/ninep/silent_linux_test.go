package ninep_test

import (
	"bufio"
	"context"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"piwork/vmhost/share"
	"piwork/vmhost/share/drive/drivetest"
	"piwork/vmhost/share/ninep"
)

// Serve ends in time although a drive does not answer a request, be it that the guest hangs up,
// mounts anew, or that its machine ends.
func TestEndWithASilentDrive(t *testing.T) {
	for name, end := range map[string]func(r *raw, cancel func()){
		"hang up": func(r *raw, _ func()) { r.conn.Close() },
		"cancel":  func(_ *raw, cancel func()) { cancel() },
		"new mount": func(r *raw, cancel func()) {
			r.send(message(100, 0xffff, uint32(1<<16), str("9P2000.L"))) // it waits for the mount before
			time.Sleep(50 * time.Millisecond)
			cancel()
		},
	} {
		t.Run(name, func(t *testing.T) {
			behind := t.TempDir()
			if err := os.WriteFile(filepath.Join(behind, "file"), []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
			d := drivetest.Mount(t, behind)
			set := share.NewSet(share.Options{})
			if _, err := set.Add(share.Folder{ID: "1", Path: d.Dir, Name: "drive", ReadOnly: true}, nil); err != nil {
				t.Fatal(err)
			}
			host, guest := net.Pipe()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			served := make(chan error, 1)
			go func() {
				served <- ninep.Serve(ctx, host, set, ninep.Options{Log: slog.New(slog.DiscardHandler), Patience: 200 * time.Millisecond})
			}()
			r := &raw{t: t, conn: guest, br: bufio.NewReaderSize(guest, 64<<10)}
			r.start()
			r.at(1, "drive")
			silent := d.SilentAt(drivetest.Lookup)
			r.send(message(110, 7, uint32(1), uint32(2), uint16(1), str("file")))
			<-silent
			end(r, cancel)
			select {
			case err := <-served:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(10 * time.Second):
				t.Error("Serve does not return")
			}
			closed := make(chan struct{})
			go func() { set.Close(); close(closed) }()
			d.Answer()
			<-closed
		})
	}
}
