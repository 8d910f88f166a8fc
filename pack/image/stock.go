package image

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"piwork/pack/image/debian"
	"piwork/pack/image/qemu"
	"piwork/pack/spec"
)

// Sets of the stock flavour: what the kernel and QEMU are taken from.
const (
	setStockKernel = "kernel-stock"
	setStockQEMU   = "qemu-stock"
)

// Packages of the stock flavour. The first one follows the kernel for all kinds of
// machines: the one for clouds has no 9p.
const (
	stockKernelPackage = "linux-image-amd64"
	stockQEMUPackage   = "qemu-system-x86"
)

// Modules of the stock kernel: what the guest needs to be reachable, then what it
// needs for its disks, folders, network and programs. Those that Debian has built
// in are left out by themselves, which are all of the first today.
var (
	stockEarlyModules = []string{"virtio_pci", "virtio_console"}
	stockLateModules  = []string{
		"virtio_blk", "sha256_ssse3", "crc32c_intel", "dm_verity", "erofs", "ext4", "overlay",
		"virtiofs",
		"virtio_rng", "virtio_balloon", "virtio_net", "vmgenid",
		"tun", "loop",
	}
)

// stockQuestions are what the sets of the stock flavour ask for.
func stockQuestions(guest platform) []set {
	return []set{
		{name: setStockKernel, arch: guest.debian, want: []string{stockKernelPackage}, keep: isKernel},
		{name: setStockQEMU, arch: guest.debian, want: []string{stockQEMUPackage}},
	}
}

// isKernel tells the kernel itself, whose name has its version, from what is
// installed beside it.
func isKernel(p debian.Package) bool {
	version, ok := strings.CutPrefix(p.Name, "linux-image-")
	return ok && version != "" && version[0] >= '0' && version[0] <= '9'
}

// checkFlavour returns an error when there is no pack of a flavour for a host.
// Debian's packages are for Linux, and only those of the rooms' architecture have
// been tried.
func checkFlavour(f spec.Flavour, t qemu.Target) error {
	switch {
	case f == spec.FlavourOwn:
		return nil
	case f != spec.FlavourStock:
		return fmt.Errorf("no flavour %q (there is: %s, %s)", f, spec.FlavourOwn, spec.FlavourStock)
	case t.OS != "linux" || t.Arch != rooms.goarch:
		return fmt.Errorf("the flavour %s is for linux/%s only, not for %s/%s: build the flavour %s", f, rooms.goarch, t.OS, t.Arch, spec.FlavourOwn)
	}
	return nil
}

// stockSources are the files of this package that decide what is taken out of
// Debian's packages, and how. They, not all of it, are in the keys of the parts.
var stockSources = []string{"recipe.go", "relocated.go", "stock.go", "stockkernel.go", "unpack.go", "debian/", "internal/", "kernel/", "qemu/", "relocate/"}

// stockMaker takes kernel and QEMU out of Debian's packages. It compiles nothing.
type stockMaker struct{ b *builder }

func (m stockMaker) kernelSet() string      { return setStockKernel }
func (m stockMaker) emulatorSets() []string { return []string{setStockQEMU} }

func (m stockMaker) kernel(ctx context.Context) (string, error) {
	b := m.b
	recipe, err := sourceHash(stockSources...)
	if err != nil {
		return "", err
	}
	return b.compiled(ctx, b.flavoured("kernel."+b.guest.qemu), recipe, []string{setStockKernel}, nil, func(ctx context.Context, dir string) error {
		return unpackKernel(ctx, dir, b.locks[setStockKernel], b.store)
	})
}

// emulator makes the part with QEMU, its libraries, their loader and firmware.
// Debian's QEMU has the slow mode built in, and nothing that vmhost/qemu names is
// one of its modules.
func (m stockMaker) emulator(ctx context.Context) (string, error) {
	b := m.b
	recipe, err := sourceHash(stockSources...)
	if err != nil {
		return "", err
	}
	return b.compiled(ctx, b.flavoured("qemu."+b.qemu.String()), recipe, []string{setStockQEMU}, nil, b.scratch(func(ctx context.Context, dir, scratch string) error {
		files := filepath.Join(dir, qemu.FilesDir)
		r := relocation{platform: b.host, programs: []string{"usr/bin/" + b.qemu.Program()}, files: map[string]string{}}
		for _, name := range b.qemu.Firmware() {
			r.files[stockFirmware(name)] = path.Join("share", name)
		}
		used, err := r.into(ctx, files, scratch, b.locks[setStockQEMU], b.store)
		if err != nil {
			return err
		}
		if err := ownBundle(filepath.Join(files, "lib")); err != nil {
			return err
		}
		if err := qemu.CheckNames(filepath.Join(files, "bin", b.qemu.Program()), b.qemu); err != nil {
			return err
		}
		return writeUsed(dir, used)
	}))
}

// bundleText is the whole content of the tree that QEMU has for its own.
const bundleText = "QEMU looks for its modules here, and not on the computer it runs on.\n"

// ownBundle keeps Debian's QEMU from loading the modules of a QEMU that happens to be
// installed where it runs: no one signed those, and of another build they end it. The
// directory qemu-bundle beside the program stands for the root of its installation
// (get_relocated_path, util/cutils.c); the program that the system sees is its loader.
func ownBundle(lib string) error {
	dir := filepath.Join(lib, "qemu-bundle")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "README"), []byte(bundleText), 0o644)
}

// stockFirmware is where Debian has a file of firmware: the BIOS itself is of a
// package of its own.
func stockFirmware(name string) string {
	if strings.HasPrefix(name, "bios") {
		return "usr/share/seabios/" + name
	}
	return "usr/share/qemu/" + name
}

func (m stockMaker) shipped(kernelDir, emulator string) ([]shippedSet, error) {
	return m.b.shipped(map[string]string{setStockKernel: kernelDir, setStockQEMU: emulator})
}
