package kernel

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/cavaliergopher/cpio"

	"piwork/pack/guest/boot"
)

// Initramfs is what the kernel finds before there is a disk.
type Initramfs struct {
	Init  []byte   // a static program
	Early []Module // that the guest needs to be reachable, in the order of loading
	Late  []Module // what it needs besides, likewise; those of Early may be among them
	Time  time.Time
}

// Write writes an uncompressed archive in the form "newc" (Linux,
// Documentation/driver-api/early-userspace/buffer-format.rst): unpacking costs
// the guest more than reading.
func (i Initramfs) Write(w io.Writer) error {
	if len(i.Init) == 0 {
		return errors.New("initramfs: no init")
	}
	a := archive{to: &deviceWriter{w: w}, time: i.Time}
	a.w = cpio.NewWriter(a.to)
	for _, d := range []string{"dev", "proc", "sys"} {
		a.add(d, cpio.TypeDir|0o755, nil)
	}
	// The kernel opens the console for init before devtmpfs is mounted; a Go
	// program dies silently without three open files.
	a.device("dev/console", 0o600, 5, 1)
	a.device("dev/null", 0o666, 1, 3)
	a.add("init", cpio.TypeReg|0o755, i.Init)
	a.modules(i.Early, i.Late)
	if a.err != nil {
		return fmt.Errorf("initramfs: %w", a.err)
	}
	if err := a.w.Close(); err != nil {
		return fmt.Errorf("initramfs: %w", err)
	}
	return nil
}

// modules adds modules, each once, and the list by which the guest loads them
// (piwork/pack/guest/boot): a file name per line, "--" between the two stages.
// Without modules there is no list.
func (a *archive) modules(early, late []Module) {
	if len(early)+len(late) == 0 {
		return
	}
	dir := strings.TrimPrefix(boot.ModulesDir, "/")
	a.add(dir, cpio.TypeDir|0o755, nil)
	var order boot.ModuleOrder
	seen := map[string]bool{}
	list := func(to *[]string, modules []Module) {
		for _, m := range modules {
			if seen[m.File] {
				continue
			}
			seen[m.File] = true
			*to = append(*to, m.File)
			a.add(dir+"/"+m.File, cpio.TypeReg|0o644, m.Data)
		}
	}
	list(&order.Early, early)
	list(&order.Late, late)
	a.add(dir+"/"+boot.OrderFile, cpio.TypeReg|0o644, []byte(order.String()))
}

// archive keeps the first error and numbers the inodes.
type archive struct {
	w     *cpio.Writer
	to    *deviceWriter
	time  time.Time
	inode int64
	err   error
}

func (a *archive) add(name string, mode cpio.FileMode, data []byte) {
	if a.err != nil {
		return
	}
	a.inode++
	links := 1
	if mode&cpio.ModeType == cpio.TypeDir {
		links = 2
	}
	h := &cpio.Header{Name: name, Mode: mode, Size: int64(len(data)), ModTime: a.time, Inode: a.inode, Links: links}
	if a.err = a.w.WriteHeader(h); a.err == nil && len(data) > 0 {
		_, a.err = a.w.Write(data)
	}
}

func (a *archive) device(name string, perm cpio.FileMode, major, minor uint32) {
	if a.err == nil {
		a.err = a.w.Flush() // the padding of the entry before
	}
	a.to.device(major, minor)
	a.add(name, cpio.TypeChar|perm, nil)
	if a.err == nil && a.to.armed {
		a.err = errors.New("the archive's writer does not write headers as expected")
	}
}

// deviceWriter puts device numbers into a header on its way: the library has
// no field for them.
type deviceWriter struct {
	w            io.Writer
	armed        bool
	major, minor uint32
}

func (d *deviceWriter) device(major, minor uint32) { d.armed, d.major, d.minor = true, major, minor }

// newcHeader is the size of a header, rdevAt the place of c_rdevmajor and
// c_rdevminor in it: eight hexadecimal digits each.
const (
	newcHeader = 110
	rdevAt     = 78
)

func (d *deviceWriter) Write(p []byte) (int, error) {
	if !d.armed || len(p) != newcHeader {
		return d.w.Write(p)
	}
	d.armed = false
	h := append([]byte(nil), p...)
	copy(h[rdevAt:], fmt.Sprintf("%08X%08X", d.major, d.minor))
	return d.w.Write(h)
}
