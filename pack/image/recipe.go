package image

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"piwork/pack"
	"piwork/pack/image/root"
	"piwork/pack/tools"
)

// Version of the runtime that this recipe makes.
const Version = "0.1.0"

// suite of Debian that everything comes from.
const suite = "trixie"

// maximumTools bounds how long one tool or one bootstrap may take.
const maximumTools = 40 * time.Minute

// Names of the sets of packages. A lock file is named after each.
const (
	setGuest  = "guest"
	setKernel = "kernel"
	setQEMU   = "qemu"
	setTools  = "tools"
)

// platform is what differs between architectures.
type platform struct {
	goarch  string
	debian  string // architecture of packages
	triplet string // directory of libraries
	qemu    string // architecture as QEMU names it
	loader  string // ELF interpreter, relative to the root
	kernel  string // package that follows the kernel
}

var platforms = map[string]platform{
	"amd64": {
		goarch: "amd64", debian: "amd64", triplet: "x86_64-linux-gnu", qemu: "x86_64",
		loader: "lib64/ld-linux-x86-64.so.2", kernel: "linux-image-amd64",
	},
}

func platformFor(goarch string) (platform, error) {
	p, ok := platforms[goarch]
	if !ok {
		return p, fmt.Errorf("no recipe for the architecture %s (there is: %v)", goarch, slices.Sorted(maps.Keys(platforms)))
	}
	return p, nil
}

// essential is every package that Debian marks so. apt counts itself, which
// the guest has no use for: nobody is root there.
const essential = "?and(?essential,?not(?exact-name(apt)))"

// guestPackages are what the root file system is made of, besides what they
// depend on.
//
// Add-ons (media, office…) become sets and images of their own. Node and the AI
// program are not Debian's: their place is addition, in rootfs.go.
var guestPackages = []string{
	essential,
	"ca-certificates",
	"tzdata",
	"file",
	"fonts-dejavu-core",
	// Pictures: one program for every format; HEIC and AVIF are plug-ins.
	"imagemagick",
	"libheif-plugin-libde265",
	"libheif-plugin-aomdec",
	// PDF: pictures into it without recompression; joining and splitting.
	"img2pdf",
	"qpdf",
}

// guestTools are the programs of the guest that operations use (pack/tools),
// by the package whose version is theirs.
var guestTools = map[string]string{
	tools.ToolMagick:  "imagemagick",
	tools.ToolImg2PDF: "img2pdf",
	tools.ToolQPDF:    "qpdf",
	"python3":         "python3",
	"file":            "file",
}

// agentTool is the guest's own program, which carries out what needs no other.
const agentTool = "piwork-guest"

// qemuPackages are where the host's part comes from. Only files that are named
// in qemuFirmware, the program and its libraries are taken from them.
var qemuPackages = []string{"qemu-system-x86", "qemu-system-data", "seabios", "ovmf"}

// qemuFirmware maps files of packages to what QEMU opens below its data
// directory (-L): a machine of type pc that boots a kernel directly needs no
// more. OVMF is for kernels that are no PVH images.
var qemuFirmware = map[string]string{
	"usr/share/seabios/bios-256k.bin":  "bios-256k.bin",
	"usr/share/qemu/kvmvapic.bin":      "kvmvapic.bin",
	"usr/share/qemu/linuxboot_dma.bin": "linuxboot_dma.bin",
	"usr/share/qemu/pvh.bin":           "pvh.bin",
	"usr/share/OVMF/OVMF_CODE_4M.fd":   "OVMF_CODE_4M.fd",
	"usr/share/OVMF/OVMF_VARS_4M.fd":   "OVMF_VARS_4M.fd",
}

// toolPackages bring the programs in toolPrograms.
var (
	toolPackages = []string{"e2fsprogs", "erofs-utils"}
	toolPrograms = []string{"usr/sbin/mke2fs", "usr/bin/mkfs.erofs"}
)

// Modules: what the guest needs to be reachable, then what it needs for its
// root, shares and programs. Most of the first are built into Debian's kernel.
var (
	firstModules = []string{"virtio_pci", "virtio_console"}
	restModules  = []string{"virtio_blk", "erofs", "squashfs", "ext4", "overlay", "9p", "9pnet_fd", "virtio_rng"}
)

// workSize is what the guest sees of its work disk; the file grows with use.
const workSize = 16 << 30

// guestUser is who programs in the guest run as.
var guestUser = root.User{Name: "piwork", ID: 1000, Home: "/home/piwork"}

// guestDirs are mount points and places of the guest (see package wire).
var guestDirs = []root.Dir{
	{Name: "folders", Mode: 0o755},
	{Name: "state", Mode: 0o755},
	{Name: "work", Mode: 0o755, ID: guestUser.ID},
}

// guestContent are files that differ between machines where packages are
// installed.
var guestContent = map[string]string{
	"etc/hostname":    "piwork\n",
	"etc/hosts":       "127.0.0.1\tlocalhost piwork\n::1\tlocalhost\n",
	"etc/machine-id":  "",
	"etc/resolv.conf": "",
}

// layers of the pack.
func layers(version string) []pack.Layer {
	return []pack.Layer{{Name: "base", Version: version, Path: rootfsPath}}
}

// Paths in the pack.
const (
	kernelPath    = "guest/vmlinux"
	initramfsPath = "guest/initramfs.cpio"
	rootfsPath    = "guest/rootfs.img"
	workPath      = "guest/work.qcow2"
	toolsPath     = "tools.json"
	sourcesPath   = "licenses/SOURCES.json"
)
