package image

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"piwork/pack/image/qemu"
	"piwork/pack/image/root"
	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// Version of the runtime that this recipe makes.
const Version = "0.1.0"

// suite of Debian that everything comes from.
const suite = "trixie"

// maximumTools bounds how long one tool, bootstrap or compilation may take on a
// slow and busy machine.
const maximumTools = 2 * time.Hour

// Names of the sets of packages. A lock file is named after each.
const (
	setGuest = "guest"
	setTools = "tools"
)

// platform is what differs between architectures.
type platform struct {
	goarch  string
	debian  string // architecture of packages
	triplet string // directory of libraries
	qemu    string // architecture as QEMU names it
	loader  string // ELF interpreter, relative to the root
	node    string // architecture as Node names it
}

var platforms = map[string]platform{
	"amd64": {
		goarch: "amd64", debian: "amd64", triplet: "x86_64-linux-gnu", qemu: "x86_64",
		loader: "lib64/ld-linux-x86-64.so.2", node: "x64",
	},
	"arm64": {
		goarch: "arm64", debian: "arm64", triplet: "aarch64-linux-gnu", qemu: "aarch64",
		loader: "lib/ld-linux-aarch64.so.1", node: "arm64",
	},
}

// rooms is the platform of the rooms in which everything is built, and of the
// tools that run on the building machine: the same for every host and guest.
var rooms = platforms[qemu.BuildArch]

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

// guestPackages are what the base root file system is made of, besides what they
// depend on: the tools of everyday chores. Rarer and larger ones are add-ons
// (addon.go); Node and the AI program are not Debian's (programs.go).
var guestPackages = []string{
	essential,
	"ca-certificates",
	"tzdata",
	"file",
	"procps",
	"fonts-dejavu-core",
	// Pictures: one program for every format; HEIC and AVIF are plug-ins.
	"imagemagick",
	"libheif-plugin-libde265",
	"libheif-plugin-dav1d",
	"librsvg2-bin",
	// Metadata of pictures and documents.
	"libimage-exiftool-perl",
	// PDF: pictures into it without recompression; joining and splitting; text
	// and pictures out of it; smaller; scans read.
	"img2pdf",
	"qpdf",
	"poppler-utils",
	"ghostscript",
	"tesseract-ocr",
	"tesseract-ocr-eng",
	"tesseract-ocr-deu",
	// Tables and property lists.
	"python3",
	"python3-openpyxl",
	"python3-pip",
	"libplist-utils",
	"jq",
	// Archives of every kind.
	"7zip",
	"libarchive-tools",
	"bzip2",
	"xz-utils",
	"zstd",
	"unzip",
	"zip",
	// What an agent works with.
	"git",
	"patch",
	"ripgrep",
	"fd-find",
}

// guestWithout are packages that others depend on for what nobody does here:
// signed documents, X sessions; or not at all (rsvg-convert has its library in
// itself).
var guestWithout = []string{"gnupg", "x11-common", "librsvg2-2"}

// guestTools are the programs of the guest that operations use (pack/tools),
// by the package whose version is theirs.
var guestTools = map[string]string{
	tools.ToolMagick:  "imagemagick",
	tools.ToolImg2PDF: "img2pdf",
	tools.ToolQPDF:    "qpdf",
	"python3":         "python3",
	"file":            "file",
	"exiftool":        "libimage-exiftool-perl",
	"tesseract":       "tesseract-ocr",
	"pdftotext":       "poppler-utils",
	"gs":              "ghostscript",
	"plistutil":       "libplist-utils",
	"rsvg-convert":    "librsvg2-bin",
	"7z":              "7zip",
	"bsdtar":          "libarchive-tools",
	"openpyxl":        "python3-openpyxl",
	"jq":              "jq",
	"rg":              "ripgrep",
	"fdfind":          "fd-find",
	"git":             "git",
}

// operateTool is the guest's own program, which carries out what needs no other.
const operateTool = "piwork-operate"

// toolPackages bring the programs in toolPrograms.
var (
	toolPackages = []string{"e2fsprogs", "erofs-utils"}
	toolPrograms = []string{"usr/sbin/mke2fs", "usr/bin/mkfs.erofs"}
)

// workSize is what the guest sees of its work disk; the file grows with use. A cache is another
// such disk.
const workSize = wire.MaxCacheMB << 20

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

// Paths in the pack.
const (
	kernelPath    = "guest/vmlinux"
	initramfsPath = "guest/initramfs.cpio"
	rootfsPath    = "guest/rootfs.img"
	workPath      = "guest/work.qcow2"
	toolsPath     = "tools.json"
	sourcesPath   = "licenses/SOURCES.json"
)
