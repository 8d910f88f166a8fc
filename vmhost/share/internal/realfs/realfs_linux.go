// Package realfs mounts the file systems that people's folders lie on, small ones in files,
// for the tests of a share: those of this kernel, and else those of FUSE. It is for root.
//
// Folders of SMB and NFS servers are mounted by the clients that people's kernels have, in a kernel
// of User Mode Linux with the servers beside it (uml_linux.go). What was tried instead: smbnetfs
// loses its server with the first append and is gone from then on; GNOME's gvfs changes nothing
// in the middle of a file; rclone uploads whole files seconds later, and no package has an NFS
// client for FUSE.
package realfs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A kind is a file system. In its commands IMAGE is a file or, with loop, a block device with
// it, and DIR where it is mounted.
type kind struct {
	name string
	mb   int
	fs   string   // in /proc/filesystems; "" needs none but those of FUSE
	make string   // makes it in IMAGE
	loop bool     // FUSE on a block device
	fuse []string // mounts it where the kernel does not: a command that stays, or goes to the background
	over *network // the way to it where it is a server's, in User Mode Linux

	layers *layers // IMAGE has the lower one
}

var kinds = []kind{
	{name: "ext4", mb: 64, fs: "ext4", make: "mkfs.ext4 -q -F -b 4096 IMAGE"},
	{name: "casefold", mb: 64, fs: "ext4", make: "mkfs.ext4 -q -F -b 4096 -O casefold IMAGE"},
	{name: "xfs", mb: 320, fs: "xfs", make: "mkfs.xfs -q IMAGE"},
	{name: "btrfs", mb: 160, fs: "btrfs", make: "mkfs.btrfs -q IMAGE"},
	{name: "fat", mb: 96, fs: "vfat", make: "mkfs.vfat -F 32 IMAGE"}, // fusefat garbles what it writes
	{name: "exfat", mb: 64, fs: "exfat", make: "mkfs.exfat IMAGE", loop: true, fuse: []string{"mount.exfat-fuse", "-d", "IMAGE", "DIR"}},
	{name: "ntfs", mb: 64, fs: "ntfs3", make: "mkntfs -q -F -f IMAGE", fuse: []string{"ntfs-3g", "-o", "no_detach", "IMAGE", "DIR"}},
	{name: "ntfs of Windows", mb: 64, make: "mkntfs -q -F -f IMAGE", fuse: []string{"ntfs-3g", "-o", "no_detach,windows_names", "IMAGE", "DIR"}},
	{name: "sshfs", fuse: []string{"sshfs", "-f", "-o", "passive", "x:IMAGE", "DIR"}},
	{name: "overlay", mb: 160, fs: "overlay", make: "mkfs.ext4 -q -F -b 4096 IMAGE", layers: &layers{}},
	{name: "overlay of two", mb: 96, fs: "overlay", make: "mkfs.ext4 -q -F -b 4096 IMAGE", layers: &layers{options: "xino=off", apart: true}},
	{name: "overlay of two, numbered", mb: 96, fs: "overlay", make: "mkfs.ext4 -q -F -b 4096 IMAGE", layers: &layers{options: "xino=on", apart: true}},
	{name: "overlay with an index", mb: 160, fs: "overlay", make: "mkfs.ext4 -q -F -b 4096 IMAGE", layers: &layers{options: "index=on"}},
	{name: "overlay of attributes", mb: 160, fs: "overlay", make: "mkfs.ext4 -q -F -b 4096 IMAGE", layers: &layers{options: "metacopy=on,redirect_dir=on"}},
	{name: "overlay of an overlay", mb: 96, fs: "overlay", make: "mkfs.ext4 -q -F -b 4096 IMAGE", layers: &layers{options: "xino=off", apart: true, twice: true}},
	{name: "overlay of a user", mb: 160, fs: "overlay", make: "mkfs.ext4 -q -F -b 4096 IMAGE", layers: &layers{options: "userxattr"}},
	{name: "smb", mb: 96, make: "mkfs.ext4 -q -F -b 4096 IMAGE", over: smb},
	{name: "nfs", mb: 96, make: "mkfs.ext4 -q -F -b 4096 IMAGE", over: nfs},
}

// sftpServer serves what sshfs mounts.
var sftpServer = []string{"sftp-server", "/usr/lib/openssh/sftp-server", "/usr/libexec/openssh/sftp-server", "/usr/lib/ssh/sftp-server"}

// Disk is a file system that can be pulled out and plugged in again.
type Disk struct {
	Name, Dir string

	t      testing.TB
	k      kind
	image  string
	device string    // of loop
	fuse   *exec.Cmd // that serves it
	server *exec.Cmd // of SFTP or a network
	up     bool
}

// Each runs a test on each file system. What this computer lacks is skipped with the reason.
func Each(t *testing.T, test func(t *testing.T, d *Disk)) {
	for _, k := range kinds {
		On(t, k.name, test)
	}
}

// On runs a test on one of them.
func On(t *testing.T, name string, test func(t *testing.T, d *Disk)) {
	t.Run(name, func(t *testing.T) {
		if kindOf(name).over != nil && os.Getenv(inUML) == "" {
			playInUML(t)
			return
		}
		test(t, New(t, name, 0))
	})
}

func kindOf(name string) kind {
	return kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })]
}

// New mounts an empty file system of a kind, of so many MB where that is not 0.
func New(t testing.TB, name string, mb int) *Disk {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root may mount here")
	}
	d := &Disk{Name: name, t: t, k: kindOf(name)}
	// Not of t.TempDir: nothing may remove what is in a folder that is still mounted.
	base, err := os.MkdirTemp("", "pw-disk")
	if err != nil {
		t.Fatal(err)
	}
	d.Dir, d.image = filepath.Join(base, "d"), filepath.Join(base, "image")
	t.Cleanup(func() {
		d.Unplug()
		for _, rest := range []string{d.image, d.beside("image of upper"), d.Dir, base} {
			if rest == d.image && d.k.make == "" {
				os.RemoveAll(rest)
			} else if err := os.Remove(rest); err != nil && !os.IsNotExist(err) {
				t.Error(err)
			}
		}
	})
	if err := os.Mkdir(d.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if d.k.make == "" {
		if err := os.Mkdir(d.image, 0o755); err != nil {
			t.Fatal(err)
		}
	} else {
		if mb == 0 {
			mb = d.k.mb
		}
		d.format(d.image, mb)
	}
	d.Plug("")
	return d
}

func (d *Disk) format(image string, mb int) {
	d.t.Helper()
	if err := errors.Join(os.WriteFile(image, nil, 0o600), os.Truncate(image, int64(mb)<<20)); err != nil {
		d.t.Fatal(err)
	}
	d.Must(d.command(strings.Fields(d.k.make), image)...)
}

func (d *Disk) command(argv []string, image string) []string {
	out := slices.Clone(argv)
	for i, a := range out {
		out[i] = strings.ReplaceAll(strings.ReplaceAll(a, "IMAGE", image), "DIR", d.Dir)
	}
	return out
}

// run runs a program, or skips the test where there is none of its name.
func (d *Disk) run(argv ...string) error {
	d.t.Helper()
	if _, err := exec.LookPath(argv[0]); err != nil {
		d.t.Skipf("%s: %s is not installed (./scripts/setup --all)", d.Name, argv[0])
	}
	out, err := exec.CommandContext(d.t.Context(), argv[0], argv[1:]...).CombinedOutput() //nolint:gosec // of this package
	if err != nil {
		return fmt.Errorf("%v: %w: %s", argv, err, out)
	}
	return nil
}

// Must runs a program that has to succeed.
func (d *Disk) Must(argv ...string) {
	d.t.Helper()
	if err := d.run(argv...); err != nil {
		d.t.Fatal(err)
	}
}

// Plug mounts it, with more options of mount(8): "ro" for one.
func (d *Disk) Plug(opts string) {
	d.t.Helper()
	if d.k.over != nil {
		d.connect(opts)
		return
	}
	known, _ := os.ReadFile("/proc/filesystems")
	if d.k.layers != nil && slices.Contains(strings.Fields(string(known)), d.k.fs) {
		d.stack(opts)
		return
	}
	if d.k.fs != "" && slices.Contains(strings.Fields(string(known)), d.k.fs) {
		opts = strings.Trim("loop,"+opts, ",")
		if err := d.run("mount", "-t", d.k.fs, "-o", opts, d.image, d.Dir); err != nil && d.Name == "casefold" {
			d.t.Skipf("this kernel has no names without case (CONFIG_UNICODE): %v", err)
		} else if err != nil {
			d.t.Fatal(err)
		}
		d.up = true
		return
	}
	if d.k.fuse == nil {
		d.t.Skipf("this kernel has no %s, and no program of FUSE serves it", d.k.fs)
	}
	d.serve(opts)
}

// serve mounts by FUSE.
func (d *Disk) serve(opts string) {
	d.t.Helper()
	image := d.image
	if d.k.loop {
		out, err := exec.CommandContext(d.t.Context(), "losetup", "--find", "--show", image).Output() //nolint:gosec // of this package
		if err != nil {
			d.t.Fatal(err)
		}
		image = strings.TrimSpace(string(out))
		d.device = image
	}
	argv := d.command(d.k.fuse, image)
	if opts != "" {
		argv = append(argv, "-o", opts)
	}
	if _, err := exec.LookPath(argv[0]); err != nil {
		d.t.Skipf("%s: this kernel has none, and %s is not installed (./scripts/setup --all)", d.Name, argv[0])
	}
	d.fuse = exec.CommandContext(context.Background(), argv[0], argv[1:]...) //nolint:gosec // it ends with Unplug
	if d.k.make == "" {
		d.sftp()
	} else if err := d.fuse.Start(); err != nil {
		d.t.Fatal(err)
	}
	d.up = true
	for range 200 {
		if d.mounted() {
			return
		}
		select {
		case <-d.t.Context().Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
	d.t.Fatalf("%v does not mount", argv)
}

// sftp starts sshfs with a server of SFTP at its other end.
func (d *Disk) sftp() {
	i := slices.IndexFunc(sftpServer, func(p string) bool { _, err := exec.LookPath(p); return err == nil })
	if i < 0 {
		d.t.Skip("sshfs: sftp-server is not installed (./scripts/setup --all)")
	}
	d.server = exec.CommandContext(context.Background(), sftpServer[i]) //nolint:gosec // it ends with its pipes
	there, back, err := os.Pipe()
	if err != nil {
		d.t.Fatal(err)
	}
	in, out, err := os.Pipe()
	if err != nil {
		d.t.Fatal(err)
	}
	d.server.Stdin, d.server.Stdout, d.fuse.Stdin, d.fuse.Stdout = there, out, in, back
	if err := errors.Join(d.server.Start(), d.fuse.Start(), there.Close(), back.Close(), in.Close(), out.Close()); err != nil {
		d.t.Fatal(err)
	}
}

func (d *Disk) mounted() bool { return mounted(d.Dir) }

func mounted(dir string) bool {
	var in, out unix.Stat_t
	return unix.Lstat(dir, &in) == nil && unix.Lstat(filepath.Dir(dir), &out) == nil && in.Dev != out.Dev
}

// Unplug unmounts it, as with a drive that is ejected. What has it open goes on for that.
func (d *Disk) Unplug() {
	d.t.Helper()
	if !d.up {
		return
	}
	d.up = false
	if err := unix.Unmount(d.Dir, unix.MNT_DETACH); err != nil && d.mounted() {
		d.t.Error(err)
	}
	if d.k.layers != nil {
		d.unstack()
		return
	}
	if d.k.over != nil {
		d.disconnect()
		return
	}
	if d.fuse != nil {
		_ = d.fuse.Wait()
		if d.server != nil {
			_ = d.server.Wait()
		}
		d.fuse, d.server = nil, nil
	}
	if d.device != "" {
		if out, err := exec.CommandContext(context.Background(), "losetup", "-d", d.device).CombinedOutput(); err != nil { //nolint:gosec // also when the test has ended
			d.t.Errorf("losetup: %v %s", err, out)
		}
		d.device = ""
	}
}

// Sync makes durable what has been written to it.
func (d *Disk) Sync() {
	d.t.Helper()
	f, err := os.Open(d.Dir)
	if err == nil {
		err = errors.Join(unix.Syncfs(int(f.Fd())), f.Close())
	}
	if err != nil {
		d.t.Error(err)
	}
}

// Pull takes it out without a word, as a stick: what has it open has errors from then on, and
// what only the memory had is lost.
func (d *Disk) Pull() {
	d.t.Helper()
	if d.k.over != nil {
		if err := d.k.over.end(d); err != nil {
			d.t.Error(err)
		}
		return
	}
	if d.fuse != nil {
		if err := d.fuse.Process.Kill(); err != nil {
			d.t.Error(err)
		}
		return
	}
	dir := d.Dir
	if d.k.layers != nil {
		dir = d.upperDisk()
	}
	f, err := os.Open(dir)
	if err != nil {
		d.t.Fatal(err)
	}
	defer f.Close()
	const shutdown, noLogFlush = 0x8004587d, 2 // FS_IOC_SHUTDOWN: ext4 and XFS have it
	if err := unix.IoctlSetPointerInt(int(f.Fd()), shutdown, noLogFlush); err != nil {
		d.t.Skipf("%s cannot be pulled out: %v", d.Name, err)
	}
}
