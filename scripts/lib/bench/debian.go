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
	packqemu "piwork/pack/image/qemu"
)

// Comparators are Debian's, of the same release as the pack's parts: a start is
// compared with the kernel that Debian makes for virtual machines, started without
// its boot loader, and folders with virtiofsd.
const (
	suite        = "trixie"
	cloudPackage = "linux-image-cloud-amd64"
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
	versions string // of virtiofsd
	qemu     string // the directory with a QEMU that has the pack's devices and QEMU's own 9p
}

// shareTools returns them from the build cache.
func (b *B) shareTools() shareTools {
	dir := filepath.Join(b.cache, "share")
	t := shareTools{root: filepath.Join(dir, "root")}
	t.versions = kept(filepath.Join(dir, "versions"), func() string {
		found, store := b.fetchDebian(dir, []string{shareFSD}, func(debian.Package) bool { return true })
		check(os.RemoveAll(t.root))
		var version string
		for _, p := range found {
			b.unpack(store.Path(p), t.root)
			if p.Name == shareFSD {
				version = p.Name + " " + p.Version
			}
		}
		return version
	})
	t.qemu = b.shareQEMU()
	return t
}

// shareAttr is what QEMU's own 9p server is built with, of the release of the lock.
const shareAttr = "libattr1-dev"

// shareQEMU returns the pack's QEMU with the one thing that no piwork would use, QEMU's own
// 9p server, built when the pack's changed.
func (b *B) shareQEMU() string {
	target := packqemu.Target{OS: "linux", Arch: "amd64", Guest: "x86_64"}
	lock := must(debian.ReadLock("pack/image/lock/qemu-amd64.json"))
	digest := lock.Digest()
	dir := filepath.Join(b.cache, "share", "qemu-"+must(target.Hash())[:16]+"-"+digest[:min(len(digest), 16)])
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	found, _ := b.fetchDebian(filepath.Join(b.cache, "share"), []string{shareAttr}, func(p debian.Package) bool { return p.Name == shareAttr })
	fmt.Fprintln(os.Stderr, "building the pack's QEMU with its own 9p server (about 10 minutes)")
	apt := must(debian.NewApt(filepath.Join(b.cache, "share", "qemu-apt"), lock.Suite, lock.Architecture, must(debian.FindMirrors(os.Getenv, os.DirFS("/etc/apt")))))
	store := must(debian.OpenStore(filepath.Join(b.cache, "debs"))) // which the pack's QEMU filled
	lock.Packages = append(lock.Packages, found...)
	check(store.Fetch(b.ctx, apt, lock.All(), nil))
	scratch := must(os.MkdirTemp(b.cache, "share-qemu"))
	defer b.remove(scratch)
	made, work := filepath.Join(scratch, "made"), filepath.Join(scratch, "work")
	check(errors.Join(os.Mkdir(made, 0o755), os.Mkdir(work, 0o755)))
	check(packqemu.Build(b.ctx, packqemu.Options{
		Target: target, Lock: lock, Store: store, Time: lock.Time, Scratch: work,
		More: packqemu.More{Devices: "CONFIG_VIRTIO_9P=y\n", Options: "--enable-virtfs --enable-attr"},
	}, made))
	check(os.Rename(made, dir))
	return dir
}

// wanted are the files of packages that programs need to run.
var wanted = regexp.MustCompile(`^(usr/)?(lib|lib64|libexec)/`)

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
