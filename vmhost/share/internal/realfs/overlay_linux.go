package realfs

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Layers are those of an overlayfs: what a live system or the image of a container brings is in
// the lower one, and the kernel copies a file to the upper one before it is changed.
type layers struct {
	options string // of mount(8)
	apart   bool   // the upper layer is on another file system than the lower one
	twice   bool   // the lower layer is an overlayfs, whose files have no handles
}

// beside is a path next to the mount.
func (d *Disk) beside(name string) string { return filepath.Join(filepath.Dir(d.Dir), name) }

// upperDisk is where the upper layer is.
func (d *Disk) upperDisk() string {
	if d.k.layers.apart {
		return d.beside("upper")
	}
	return d.beside("lower")
}

// stack mounts the layers, and over them the overlayfs.
func (d *Disk) stack(opts string) {
	d.t.Helper()
	d.up = true
	mount := func(argv ...string) {
		if err := os.MkdirAll(argv[len(argv)-1], 0o755); err != nil {
			d.t.Fatal(err)
		}
		d.Must(append([]string{"mount"}, argv...)...)
	}
	mount("-o", "loop", d.image, d.beside("lower"))
	if image := d.beside("image of upper"); d.k.layers.apart {
		if _, err := os.Stat(image); err != nil {
			d.format(image, d.k.mb)
		}
		mount("-o", "loop", image, d.beside("upper"))
	}
	lower, lowest := d.beside("lower/layer"), d.beside("lower/empty")
	upper, work := filepath.Join(d.upperDisk(), "changes"), filepath.Join(d.upperDisk(), "work")
	for _, dir := range []string{lower, lowest, upper, work} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			d.t.Fatal(err)
		}
	}
	if d.k.layers.twice {
		mount("-t", "overlay", "-o", "lowerdir="+lower+":"+lowest, "overlay", d.beside("seen"))
		lower = d.beside("seen")
	}
	all := strings.Join([]string{"lowerdir=" + lower, "upperdir=" + upper, "workdir=" + work, d.k.layers.options, opts}, ",")
	mount("-t", "overlay", "-o", strings.Trim(strings.ReplaceAll(all, ",,", ","), ","), "overlay", d.Dir)
}

// unstack unmounts the layers, when the overlayfs is.
func (d *Disk) unstack() {
	d.t.Helper()
	for _, name := range []string{"seen", "upper", "lower"} {
		dir := d.beside(name)
		if !mounted(dir) {
			continue
		}
		if err := errors.Join(unix.Unmount(dir, unix.MNT_DETACH), os.Remove(dir)); err != nil {
			d.t.Error(err)
		}
	}
}

// Lower makes all that is on an overlayfs its lower layer, as if a container had begun with it.
// Nothing may have a file open. With other disks it does nothing.
func (d *Disk) Lower() {
	d.t.Helper()
	if d.k.layers == nil {
		return
	}
	d.Must("cp", "-a", d.Dir, d.beside("lower/next"))
	for _, dir := range []string{d.Dir, d.beside("seen")} {
		if mounted(dir) {
			if err := unix.Unmount(dir, 0); err != nil {
				d.t.Fatal(err)
			}
		}
	}
	d.Must("rm", "-rf", d.beside("lower/layer"), filepath.Join(d.upperDisk(), "changes"), filepath.Join(d.upperDisk(), "work"))
	if err := os.Rename(d.beside("lower/next"), d.beside("lower/layer")); err != nil {
		d.t.Fatal(err)
	}
	d.Unplug()
	d.Plug("")
}

// Forget drops the kernel's cache of inodes. An overlayfs may give other numbers to files that are
// opened after that. On other disks Forget does nothing.
func (d *Disk) Forget() {
	d.t.Helper()
	if d.k.layers == nil {
		return
	}
	d.Sync()
	if err := os.WriteFile("/proc/sys/vm/drop_caches", []byte("2"), 0); err != nil {
		d.t.Skip(err)
	}
}
