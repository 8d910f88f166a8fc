//go:build (vm || long) && linux

package suites_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cavaliergopher/cpio"

	"piwork/scripts/lib/gobuild"
	"piwork/vmhost/qemu"
	"piwork/vmhost/qemu/qemutest"
	"piwork/vmhost/share"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/ninep"
	"piwork/vmhost/share/virtiofs"
	"piwork/vmhost/vm/suites/order"
)

// stall is far longer than anything takes that has no limit of its own.
const stall = 3 * time.Minute

// A frontEnd is how the guest gets its folders.
type frontEnd string

const (
	noFolders  frontEnd = "local" // a disk of the guest's own, to compare with
	overDevice frontEnd = "virtio-fs"
	over9P     frontEnd = "virtio-9p" // a device whose requests come here
	raw9P      frontEnd = "9p"        // a port on which a program says what it likes
)

// host has folders to share: rw and raced may be changed, ro not; what lies in
// outside nobody may see.
type host struct {
	t    *testing.T
	base string
	j    *journal.Journal
	set  *share.Set
	logs logs
}

func newHost(t *testing.T) *host {
	t.Helper()
	h := &host{t: t, base: t.TempDir()}
	for _, d := range []string{"rw/d", "ro", "raced", "outside/d"} {
		h.check(os.MkdirAll(h.path(d), 0o755))
	}
	for _, f := range []string{"rw/file", "rw/d/inner", "ro/file"} {
		h.check(os.WriteFile(h.path(f), []byte("content of "+f), 0o644))
	}
	for _, f := range []string{"outside/secret", "outside/d/secret", "outside/taken"} {
		h.check(os.WriteFile(h.path(f), []byte(order.Secret), 0o644))
	}
	var err error
	h.j, err = journal.Open(filepath.Join(t.TempDir(), "journal"), journal.Options{Log: slog.New(slog.NewTextHandler(&h.logs, nil))})
	h.check(err)
	h.set = share.NewSet(share.Options{})
	for _, f := range []share.Folder{{ID: "1", Path: h.path("rw")}, {ID: "2", Path: h.path("ro"), ReadOnly: true}, {ID: "3", Path: h.path("raced")}} {
		_, err := h.set.Add(f, h.j)
		h.check(err)
	}
	t.Cleanup(func() {
		h.set.Close()
		h.check(h.j.Close())
		if faults := h.logs.errors(); faults != "" {
			t.Errorf("logged:\n%s", faults)
		}
	})
	return h
}

func (h *host) path(rel string) string { return filepath.Join(h.base, rel) }

func (h *host) check(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// tree describes everything below a directory: names, kinds, modes, contents owners and
// the times of files.
func (h *host) tree(rel string) string {
	h.t.Helper()
	var lines []string
	h.check(filepath.WalkDir(h.path(rel), func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		owner := info.Sys().(*syscall.Stat_t)
		line := fmt.Sprintf("%s %v %d:%d", strings.TrimPrefix(p, h.base), info.Mode(), owner.Uid, owner.Gid)
		switch {
		case info.Mode().IsRegular():
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			line += fmt.Sprintf(" %v %d %.80q", info.ModTime().UnixNano(), len(b), b)
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(p)
			if err != nil {
				return err
			}
			line += " -> " + to
		}
		lines = append(lines, line)
		return nil
	}))
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// logs keeps what is logged.
type logs struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logs) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logs) all() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *logs) errors() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out strings.Builder
	for line := range strings.Lines(l.text.String()) {
		if strings.Contains(line, "level=ERROR") {
			out.WriteString(line)
		}
	}
	return out.String()
}

// machine is a virtual machine with the guest of this test.
type machine struct {
	*qemu.Process
	t      *testing.T
	h      *host
	out    *json.Encoder
	in     *json.Decoder
	served chan error
	cancel context.CancelFunc
}

// options of a machine. Without a root it has no disk.
type options struct {
	root     string            // image of a root file system
	files    map[string]string // that the guest finds in order.Programs, by name
	memoryMB int
	conn     func(net.Conn) net.Conn // what the file server has in place of the 9p device's connection
}

// boot starts a machine. It has the folders when mount was called.
func boot(t *testing.T, h *host, how frontEnd, o options) *machine {
	t.Helper()
	image := qemutest.PackImage(t)
	image.Initrd, image.RootFS, image.Verity = initramfs(t, image.Initrd, o.files), o.root, nil
	dir, remove, err := qemu.NewRunDir()
	h.check(err)
	t.Cleanup(func() { _ = remove() })
	spec := qemu.Spec{
		Host: "linux", Image: image, Accel: qemu.AccelTCG, MemoryMB: max(o.memoryMB, 256), CPUs: 2,
		Console: filepath.Join(dir, "console.sock"), Ports: []qemu.Port{{Name: order.Port, Socket: filepath.Join(dir, "port.sock")}},
	}
	if o.root != "" {
		spec.Overlay = filepath.Join(t.TempDir(), "work.qcow2")
		h.check(qemu.CreateOverlay(spec.Overlay, image.WorkBase))
	}
	start := qemu.StartOptions{Spec: spec}
	switch how {
	case raw9P:
		start.Spec.Ports = append(start.Spec.Ports, qemu.Port{Name: order.RawPort, Socket: filepath.Join(dir, "raw.sock")})
	case over9P:
		start.Spec.Folders = filepath.Join(dir, "9p.sock")
	case overDevice:
		ram, err := qemu.NewSharedRAM(spec.MemoryMB)
		h.check(err)
		defer ram.Close()
		start.RAM, start.Spec.RAM = ram.File(), &qemu.RAMFile{Handed: true}
	}
	p, err := qemu.Start(t.Context(), start)
	h.check(err)
	m := &machine{Process: p, t: t, h: h, out: json.NewEncoder(p.Port(order.Port)), in: json.NewDecoder(p.Port(order.Port)), served: make(chan error, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	m.cancel = cancel
	log := slog.New(slog.NewTextHandler(&h.logs, nil))
	switch how {
	case raw9P:
		go func() { m.served <- ninep.Serve(ctx, p.Port(order.RawPort), h.set, ninep.Options{Log: log}) }()
	case overDevice:
		sock := filepath.Join(dir, "folders.sock")
		l, err := (&net.ListenConfig{}).Listen(ctx, "unix", sock)
		h.check(err)
		go func() { m.served <- virtiofs.Serve(ctx, l, h.set, virtiofs.Options{Log: log}) }()
		h.check(p.PlugFolders(t.Context(), sock))
	case over9P:
		conn := p.Folders()
		if o.conn != nil {
			conn = o.conn(conn)
		}
		go func() { m.served <- ninep.Serve(ctx, conn, h.set, ninep.Options{Log: log}) }()
	default:
		close(m.served)
	}
	t.Cleanup(m.end)
	return m
}

// mount mounts the folders in the guest.
func (m *machine) mount(how frontEnd) {
	m.t.Helper()
	switch how {
	case overDevice:
		m.order(order.Order{Do: order.MountFS, Limit: stall, Tag: qemu.FoldersTag})
	case over9P:
		m.order(order.Order{Do: order.MountV9, Limit: stall, Tag: qemu.FoldersTag})
	}
}

// end ends the machine at once, as one that is killed, and its file server.
func (m *machine) end() {
	if m.cancel == nil {
		return
	}
	err := m.Stop(context.Background())
	m.cancel()
	m.cancel = nil
	select {
	case <-m.served: // that the machine is gone may be an error to it
	case <-time.After(stall):
		err = errors.Join(err, errors.New("the file server does not end"))
	}
	if err != nil {
		m.t.Error(err)
	}
}

func (m *machine) order(o order.Order) order.Result {
	m.t.Helper()
	r, err := m.try(o)
	if err != nil {
		m.t.Fatalf("%s %q: %v\n%s", o.Do, o.Argv, err, m.state())
	}
	return r
}

// state says all that is known of a machine that does not answer: of one that has
// ended also how, which is known a little after its port is closed.
func (m *machine) state() string {
	how := "the machine runs"
	select {
	case <-m.Done():
		how = m.Exit().Error()
	case <-time.After(time.Second):
	}
	return fmt.Sprintf("%s\nQEMU said: %s\nthe file server: %s\nthe guest: %s", how, m.Output(), m.h.logs.all(), m.Console().Tail())
}

func (m *machine) try(o order.Order) (order.Result, error) {
	var r order.Result
	_ = m.Port(order.Port).SetDeadline(time.Now().Add(o.Limit + stall))
	err := m.out.Encode(o)
	if err == nil {
		err = m.in.Decode(&r)
	}
	if err == nil && r.Error != "" {
		err = errors.New(r.Error)
	}
	return r, err
}

// initramfs lays the guest and its files over the pack's initramfs, which may have
// modules of the kernel: the last file of a name counts.
func initramfs(t *testing.T, base string, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if err := gobuild.Program(filepath.Join(dir, "init"), "piwork/vmhost/vm/suites/guest", "amd64", "-tags", "vm"); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(dir, "initramfs.cpio"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	under, err := os.ReadFile(base)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(append(under, make([]byte, -len(under)&511)...)); err != nil {
		t.Fatal(err)
	}
	w := cpio.NewWriter(f)
	for _, d := range []string{"dev", "files"} {
		err = errors.Join(err, w.WriteHeader(&cpio.Header{Name: d, Mode: cpio.TypeDir | 0o755, Links: 2}))
	}
	all := map[string]string{"init": filepath.Join(dir, "init")}
	for name, file := range files {
		all["files/"+name] = file
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		content, rerr := os.ReadFile(all[name])
		err = errors.Join(err, rerr, w.WriteHeader(&cpio.Header{Name: name, Mode: cpio.TypeReg | 0o755, Size: int64(len(content)), Links: 1}))
		if err == nil {
			_, err = w.Write(content)
		}
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}
