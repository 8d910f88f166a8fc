//go:build vm && linux

package virtiofstest_test

import (
	"context"
	"net"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"

	"piwork/scripts/lib/tier"
	"piwork/vmhost/qemu"
	"piwork/vmhost/qemu/qemutest"
	"piwork/vmhost/share/virtiofs"
	"piwork/vmhost/share/virtiofs/vhostuser"
)

// slow is a file that is opened when somebody says so, as one that a person is
// asked about.
type slow struct {
	fs.MemRegularFile
	begun, release chan struct{}
}

func (s *slow) Open(ctx context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	s.begun <- struct{}{}
	<-s.release
	return s.MemRegularFile.Open(ctx, flags)
}

// A machine can be paused at once while one of its requests waits for a person,
// and the request is answered when the machine goes on, or after that.
func TestPauseWhileARequestWaits(t *testing.T) {
	tier.Rest(t, "")
	image := qemutest.PackImage(t)
	image.Initrd = initramfs(t)
	v := start(t, image, &qemu.RAMFile{Path: filepath.Join(t.TempDir(), "ram")}, nil, false)
	v.ask("ping")
	file := &slow{MemRegularFile: fs.MemRegularFile{Data: []byte("at last")}, begun: make(chan struct{}), release: make(chan struct{})}
	root := &fs.Inode{}
	raw := fs.NewNodeFS(root, &fs.Options{OnAdd: func(ctx context.Context) {
		root.AddChild("slow", root.NewPersistentInode(ctx, file, fs.StableAttr{}), false)
	}})
	protocol := fuse.NewProtocolServer(raw, &fuse.MountOptions{})
	run, remove, err := qemu.NewRunDir()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = remove() }()
	sock := filepath.Join(run, "folders.sock")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: sock})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	served := make(chan error, 1)
	go func() {
		conn, err := l.AcceptUnix()
		if err == nil {
			err = vhostuser.Serve(t.Context(), conn, vhostuser.Options{Queues: virtiofs.Queues}, func(read, write [][]byte) ([]byte, int) {
				out := make([]byte, vhostuser.MaxBytes)
				n, _ := protocol.HandleRequest(read, [][]byte{out})
				return out[:n], 0
			})
		}
		served <- err
	}()
	v.plug(sock)
	v.ask("mount")
	for _, late := range []bool{false, true} {
		answer := make(chan string, 1)
		go func() { answer <- v.tell("cat /folders/slow") }()
		<-file.begun
		began := time.Now()
		if err := v.Pause(t.Context()); err != nil {
			t.Fatal(err)
		}
		t.Logf("paused in %v", time.Since(began).Round(time.Millisecond))
		if !late {
			file.release <- struct{}{}
		}
		select {
		case a := <-answer:
			t.Errorf("a paused machine answers %q", a)
		case <-time.After(200 * time.Millisecond):
		}
		if err := v.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		if late {
			file.release <- struct{}{}
		}
		if a := <-answer; a != "at last" {
			t.Errorf("afterwards the guest reads %q", a)
		}
	}
	if err := v.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	select {
	case err := <-served:
		if err != nil {
			t.Errorf("Serve: %v", err)
		}
	case <-time.After(stall):
		t.Error("Serve does not return")
	}
}
