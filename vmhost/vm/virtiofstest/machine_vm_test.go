//go:build vm && linux

package virtiofstest_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cavaliergopher/cpio"
	"github.com/digitalocean/go-qemu/qmp"

	"piwork/scripts/lib/gobuild"
	"piwork/scripts/lib/tier"
	"piwork/vmhost/qemu"
	"piwork/vmhost/qemu/qemutest"
	"piwork/vmhost/share"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/virtiofs"
)

// stall is far longer than anything takes.
const stall = 2 * time.Minute

const memoryMB = 256

// guestVM is a machine that runs vmguest.
type guestVM struct {
	*qemu.Process
	t    *testing.T
	port net.Conn
	in   *bufio.Reader
}

func initramfs(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "init")
	if err := gobuild.Program(program, "piwork/vmhost/vm/virtiofstest/vmguest", "amd64", "-tags", "vm"); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(dir, "initramfs.cpio"))
	if err != nil {
		t.Fatal(err)
	}
	w := cpio.NewWriter(f)
	err = w.WriteHeader(&cpio.Header{Name: "dev", Mode: cpio.TypeDir | 0o755, Links: 2})
	err = errors.Join(err, w.WriteHeader(&cpio.Header{Name: "init", Mode: cpio.TypeReg | 0o755, Size: int64(len(content)), Links: 1}))
	if err == nil {
		_, err = w.Write(content)
	}
	if err := errors.Join(err, w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

// start starts a machine with its memory in a file, or one that is to be given
// a state.
func start(t *testing.T, image qemu.Image, ram *qemu.RAMFile, handed *qemu.SharedRAM, incoming bool) *guestVM {
	t.Helper()
	dir, remove, err := qemu.NewRunDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = remove() })
	o := qemu.StartOptions{Spec: qemu.Spec{
		Host: "linux", Image: image, Accel: qemu.AccelTCG, MemoryMB: memoryMB, RAM: ram, Incoming: incoming,
		Console: filepath.Join(dir, "console.sock"), Ports: []qemu.Port{{Name: "test", Socket: filepath.Join(dir, "port.sock")}},
	}}
	if handed != nil {
		o.RAM = handed.File()
	}
	p, err := qemu.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	v := &guestVM{Process: p, t: t, port: p.Port("test")}
	v.in = bufio.NewReader(v.port)
	t.Cleanup(func() {
		if err := p.Stop(t.Context()); err != nil && t.Context().Err() == nil {
			t.Error(err)
		}
	})
	return v
}

// ask tells the guest something and returns its answer.
func (v *guestVM) ask(format string, a ...any) string {
	v.t.Helper()
	out := v.tell(fmt.Sprintf(format, a...))
	if strings.HasPrefix(out, "error: ") {
		v.t.Fatalf("%s: %s\n%s", fmt.Sprintf(format, a...), out, v.Console().Tail())
	}
	return out
}

func (v *guestVM) tell(line string) string {
	v.t.Helper()
	_ = v.port.SetDeadline(time.Now().Add(stall))
	if _, err := fmt.Fprintln(v.port, line); err != nil {
		v.t.Fatal(err)
	}
	out, err := v.in.ReadString('\n')
	if err != nil {
		v.t.Fatalf("%s: %v\n%s\n%s", line, err, v.Output(), v.Console().Tail())
	}
	return strings.TrimSuffix(out, "\n")
}

// plug gives the machine the device that listens on a socket.
func (v *guestVM) plug(sock string) {
	v.t.Helper()
	if err := v.PlugFolders(v.t.Context(), sock); err != nil {
		v.t.Fatalf("%v\n%s", err, v.Output())
	}
}

// A machine is restored from a template that others could use too, gets the
// folders as a device, and works in them.
func TestMachine(t *testing.T) {
	tier.Rest(t, "TestSharedWorkForReal of vmhost/vm")
	image := qemutest.PackImage(t)
	image.Initrd = initramfs(t)
	dir := t.TempDir()
	ram, state := filepath.Join(dir, "ram"), filepath.Join(dir, "state")
	from := start(t, image, &qemu.RAMFile{Path: ram}, nil, false)
	from.ask("ping")
	if err := from.Save(t.Context(), state); err != nil {
		t.Fatal(err)
	}
	if err := from.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	memory, err := qemu.NewSharedRAM(memoryMB)
	if err != nil {
		t.Fatal(err)
	}
	defer memory.Close()
	n, err := memory.Load(ram)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d MiB of memory copied in %v", n>>20, time.Since(began).Round(time.Millisecond))
	v := start(t, image, &qemu.RAMFile{Handed: true}, memory, true)
	if err := v.Restore(t.Context(), state); err != nil {
		t.Fatal(err)
	}
	v.ask("ping")

	base := t.TempDir()
	for _, d := range []string{"rw", "ro"} {
		if err := os.Mkdir(filepath.Join(base, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(base, "ro/file"), []byte("read me"), 0o644); err != nil {
		t.Fatal(err)
	}
	j, err := journal.Open(filepath.Join(t.TempDir(), "journal"), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	set := share.NewSet(share.Options{})
	defer set.Close()
	for _, f := range []share.Folder{{ID: "1", Path: filepath.Join(base, "rw")}, {ID: "2", Path: filepath.Join(base, "ro"), ReadOnly: true}} {
		if _, err := set.Add(f, j); err != nil {
			t.Fatal(err)
		}
	}
	run, remove, err := qemu.NewRunDir()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = remove() }()
	sock := filepath.Join(run, "folders.sock")
	l, err := net.Listen("unix", sock)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	served := make(chan error, 1)
	go func() { served <- virtiofs.Serve(ctx, l, set, virtiofs.Options{}) }()
	began = time.Now()
	v.plug(sock)
	plugged := time.Since(began)
	v.ask("mount")
	t.Logf("plugged in %v, mounted after %v", plugged.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
	t.Log(v.ask("basics /folders/rw"))
	t.Log("rw:", v.ask("speed /folders/rw"))

	// What the person does is seen with the next call.
	file := filepath.Join(base, "rw/file")
	for i := range 10 {
		text := strings.Repeat("x", i+1)
		if err := os.WriteFile(file+".new", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(file+".new", file); err != nil {
			t.Fatal(err)
		}
		if got := v.ask("cat /folders/rw/file"); got != text {
			t.Errorf("the guest reads %q instead of %q", got, text)
		}
		if got := v.ask("stat /folders/rw/file"); got != fmt.Sprint(i+1) {
			t.Errorf("the guest sees %s bytes instead of %d", got, i+1)
		}
	}
	// A pause, with the device and over and over.
	for range 3 {
		if err := v.Pause(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := v.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		v.ask("cat /folders/rw/file")
	}
	// The device goes and comes again.
	v.ask("umount")
	events, err := v.Monitor().Events(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := v.Monitor().Do(t.Context(), qmp.Command{Execute: "device_del", Args: map[string]any{"id": "folders"}}, nil); err != nil {
		t.Fatal(err)
	}
	for timeout := time.After(stall); ; {
		select {
		case e := <-events:
			if e.Event != "DEVICE_DELETED" || e.Data["device"] != "folders" {
				continue
			}
		case <-timeout:
			t.Fatal("the device is not unplugged")
		}
		break
	}
	if err := v.Monitor().Do(t.Context(), qmp.Command{Execute: "chardev-remove", Args: map[string]any{"id": "folders"}}, nil); err != nil {
		t.Fatal(err)
	}
	v.plug(sock)
	v.ask("mount")
	v.ask("cat /folders/ro/file")

	// The machine ends with the device, and the server after it.
	began = time.Now()
	if err := v.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	t.Logf("ended in %v", time.Since(began).Round(time.Millisecond))
	cancel()
	select {
	case err := <-served:
		if err != nil {
			t.Errorf("Serve: %v", err)
		}
	case <-time.After(stall):
		t.Error("Serve does not return")
	}
	if r, err := j.Undo(t.Context(), nil, journal.UndoOptions{}); err != nil || len(r.Conflicts) > 0 {
		t.Errorf("undo: %+v %v", r, err)
	}
}
