package port

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestFind(t *testing.T) {
	class := t.TempDir()
	for name, port := range map[string]string{"vport1p1": "piwork.rpc\n", "vport1p2": "piwork.more\n", "vport2p1": ""} {
		if err := os.MkdirAll(filepath.Join(class, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if port != "" { // a port whose name is not known yet has no file
			if err := os.WriteFile(filepath.Join(class, name, "name"), []byte(port), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, want := range map[string]string{"piwork.rpc": "/dev/vport1p1", "piwork.more": "/dev/vport1p2", "piwork.net": "", "piwork": ""} {
		got, err := find(class, "/dev", name)
		if got != want || (want == "") != errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := find(filepath.Join(class, "none"), "/dev", "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without virtio-serial: %v", err)
	}
}

// pair returns a port over one end of a socket pair, which behaves like a port
// but for coming back, and the other end. Ending the context frees who waits.
func pair(t *testing.T) (p *Port, host *os.File, end context.CancelFunc) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	if p, err = newPort(ctx, fds[0]); err != nil {
		t.Fatal(err)
	}
	host = os.NewFile(uintptr(fds[1]), "host")
	t.Cleanup(func() {
		end()
		host.Close()
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p, host, end
}

func TestReadAndWrite(t *testing.T) {
	p, host, end := pair(t)
	data := bytes.Repeat([]byte("0123456789"), 200_000) // more than a socket holds
	go func() {
		host.Write(data)
		host.Close()
	}()
	got := make([]byte, len(data))
	if _, err := io.ReadFull(p, got); err != nil || !bytes.Equal(got, data) {
		t.Error(err)
	}
	if n, err := p.Read(nil); n != 0 || err != nil {
		t.Errorf("an empty read: %d, %v", n, err)
	}
	// The host's leaving is no end.
	done := make(chan error, 1)
	go func() {
		_, err := p.Read(make([]byte, 1))
		done <- err
	}()
	select {
	case err := <-done:
		t.Errorf("without a host: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	end()
	if err := <-done; !errors.Is(err, context.Canceled) && !errors.Is(err, ErrRemoved) {
		t.Errorf("error = %v", err)
	}
}

func TestWriteWaits(t *testing.T) {
	p, host, _ := pair(t)
	data := bytes.Repeat([]byte("0123456789"), 200_000)
	done := make(chan error, 1)
	go func() {
		_, err := p.Write(data)
		done <- err
	}()
	select {
	case err := <-done:
		t.Fatalf("nobody reads and everything is written: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	got := make([]byte, len(data))
	if _, err := io.ReadFull(host, got); err != nil || !bytes.Equal(got, data) {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}
