package main

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"piwork/pack/image/debian"
	"piwork/pack/image/kernel"
)

// Comparators are Debian's, of the same release as the pack's parts: a start is
// compared with the kernel that Debian makes for virtual machines, started without
// its boot loader, and folders with the file servers of its QEMU, in the same process
// as ours.
const (
	suite        = "trixie"
	cloudPackage = "linux-image-cloud-amd64"
	shareQEMU    = "qemu-system-x86"
	shareFSD     = "virtiofsd"
)

// kept returns what a file of the build cache says about what is beside it. When there
// is none, make makes that; remove the directory for newer versions.
func kept(note string, make func() string) string {
	text, err := os.ReadFile(note)
	if errors.Is(err, fs.ErrNotExist) {
		text, err = []byte(make()), nil
		check(os.WriteFile(note, text, 0o644)) // last: everything is there
	}
	check(err)
	return string(text)
}

// fetchDebian fetches what an installation of some packages on an empty machine
// would bring, as far as keep wants it, from the machine's own mirrors.
func (b *B) fetchDebian(dir string, want []string, keep func(debian.Package) bool) ([]debian.Package, *debian.Store) {
	fmt.Fprintln(os.Stderr, "fetching Debian's", strings.Join(want, ", "))
	apt := must(debian.NewApt(filepath.Join(dir, "apt"), suite, "amd64", must(debian.FindMirrors(os.Getenv, os.DirFS("/etc/apt")))))
	check(apt.Update(b.ctx))
	found := slices.DeleteFunc(must(apt.Resolve(b.ctx, want)), func(p debian.Package) bool { return !keep(p) })
	store := must(debian.OpenStore(filepath.Join(dir, "packages")))
	check(store.Fetch(b.ctx, apt, found, nil))
	return found, store
}

var (
	cloudImage = regexp.MustCompile(`^linux-image-[0-9].*-cloud-amd64$`)
	cloudFile  = regexp.MustCompile(`^(?:\./)?boot/vmlinuz-`)
)

// cloudKernel returns Debian's current kernel for virtual machines as an
// uncompressed file, and what it is.
func (b *B) cloudKernel() (file, version string) {
	dir := filepath.Join(b.cache, "cloud-kernel")
	file = filepath.Join(dir, "vmlinux")
	return file, kept(filepath.Join(dir, "version"), func() string {
		found, store := b.fetchDebian(dir, []string{cloudPackage}, func(p debian.Package) bool { return cloudImage.MatchString(p.Name) })
		if len(found) == 0 {
			failf("%s brings no kernel", cloudPackage)
		}
		var image []byte
		check(debian.Contents(b.ctx, store.Path(found[0]), func(h *tar.Header, r io.Reader) (err error) {
			if image == nil && h.Typeflag == tar.TypeReg && cloudFile.MatchString(h.Name) {
				image, err = io.ReadAll(io.LimitReader(r, 64<<20))
			}
			return err
		}))
		check(os.WriteFile(file, must(kernel.Vmlinux(image)), 0o644))
		return found[0].Name + " " + found[0].Version
	})
}

// shareTools are what the machine of the share is made of.
type shareTools struct {
	root     string // where Debian's packages are unpacked
	versions string // of QEMU and virtiofsd
	kernel   string // the pack's, with the transport that QEMU's own 9p needs
}

// shareTools returns them from the build cache.
func (b *B) shareTools() shareTools {
	dir := filepath.Join(b.cache, "share")
	t := shareTools{root: filepath.Join(dir, "root")}
	t.versions = kept(filepath.Join(dir, "versions"), func() string {
		found, store := b.fetchDebian(dir, []string{shareQEMU, shareFSD}, func(debian.Package) bool { return true })
		check(os.RemoveAll(t.root))
		var versions []string
		for _, p := range found {
			b.unpack(store.Path(p), t.root)
			if p.Name == shareQEMU || p.Name == shareFSD {
				versions = append(versions, p.Name+" "+p.Version)
			}
		}
		slices.Sort(versions)
		return strings.Join(versions, ", ")
	})
	t.kernel = b.shareKernel()
	return t
}

// wanted are the files of packages that programs need to run.
var wanted = regexp.MustCompile(`^(usr/)?(lib|lib64|libexec)/|^usr/bin/qemu-system-x86_64$|^usr/share/(qemu|seabios)/`)

// unpack writes files of a package below root, where usr is merged.
func (b *B) unpack(deb, root string) {
	check(os.MkdirAll(root, 0o755))
	in := must(os.OpenRoot(root))
	defer in.Close()
	checkf(debian.Contents(b.ctx, deb, func(h *tar.Header, r io.Reader) error {
		if !wanted.MatchString(h.Name) {
			return nil
		}
		name := h.Name
		if !strings.HasPrefix(name, "usr/") {
			name = "usr/" + name
		}
		if err := in.MkdirAll(path.Dir(name), 0o755); err != nil {
			return err
		}
		switch {
		case h.Typeflag == tar.TypeSymlink && !path.IsAbs(h.Linkname): // absolute are alternatives and configuration
			return in.Symlink(h.Linkname, name)
		case h.Typeflag == tar.TypeReg:
			f, err := in.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fs.FileMode(h.Mode)&0o777)
			if err != nil {
				return err
			}
			_, err = io.Copy(f, r)
			return errors.Join(err, f.Close())
		}
		return nil
	}), "%s", deb)
}

// command is a program of Debian's with its own libraries.
func (t shareTools) command(program string) []string {
	lib := filepath.Join(t.root, "usr/lib/x86_64-linux-gnu")
	return []string{filepath.Join(t.root, "usr/lib64/ld-linux-x86-64.so.2"), "--library-path", lib + ":" + filepath.Join(lib, "pulseaudio"), filepath.Join(t.root, program)}
}

func (t shareTools) env() []string {
	return append(os.Environ(), "QEMU_MODULE_DIR="+filepath.Join(t.root, "usr/lib/x86_64-linux-gnu/qemu"))
}

// shareTransport is the one thing that the guest's kernel lacks for QEMU's own
// 9p server: no piwork would use it.
const shareTransport = "CONFIG_NET_9P_VIRTIO=y\n"

// shareKernel returns the pack's kernel with it, built when the pack's changed.
func (b *B) shareKernel() string {
	lock := must(debian.ReadLock("pack/image/lock/kernel-amd64.json"))
	digest := lock.Digest()
	dir := filepath.Join(b.cache, "share", "kernel-"+must(kernel.Hash("x86_64"))[:16]+"-"+digest[:min(len(digest), 16)])
	image := filepath.Join(dir, kernel.ImageFile)
	if _, err := os.Stat(image); err == nil {
		return image
	}
	fmt.Fprintln(os.Stderr, "building the guest's kernel with QEMU's 9p transport (about 6 minutes)")
	apt := must(debian.NewApt(filepath.Join(b.cache, "share", "kernel-apt"), lock.Suite, lock.Architecture, must(debian.FindMirrors(os.Getenv, os.DirFS("/etc/apt")))))
	store := must(debian.OpenStore(filepath.Join(b.cache, "debs"))) // which the pack's kernel filled
	check(store.Fetch(b.ctx, apt, lock.Packages, nil))
	scratch := must(os.MkdirTemp(b.cache, "share-kernel"))
	defer b.remove(scratch)
	made, work := filepath.Join(scratch, "made"), filepath.Join(scratch, "work")
	check(errors.Join(os.Mkdir(made, 0o755), os.Mkdir(work, 0o755)))
	check(kernel.Build(b.ctx, kernel.Options{Guest: "x86_64", Lock: lock, Store: store, Time: lock.Time, Scratch: work, More: shareTransport}, made))
	check(errors.Join(os.RemoveAll(dir), os.Rename(made, dir)))
	return image
}
