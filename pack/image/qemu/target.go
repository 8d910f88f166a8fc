package qemu

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Target is one QEMU: where it runs and what for.
type Target struct {
	OS    string // of the host, as GOOS
	Arch  string // of the host, as GOARCH
	Guest string // architecture of guests, as QEMU names it
}

// String names the target in files and messages.
func (t Target) String() string { return t.OS + "-" + t.Arch + "-" + t.Guest }

// Program is the file name of QEMU.
func (t Target) Program() string {
	name := "qemu-system-" + t.Guest
	if t.OS == "windows" {
		name += ".exe"
	}
	return name
}

// BuildArch is the architecture of the room in which every target is built, as
// Debian names it.
const BuildArch = "amd64"

// essential is every package that Debian marks so, but apt: nothing is installed
// in a room.
const essential = "?and(?essential,?not(?exact-name(apt)))"

// common is what every build needs: QEMU's configure is a shell script around
// meson, in a virtual environment of Python.
var common = []string{
	essential, "gcc", "libc6-dev", "make", "ninja-build", "meson", "pkgconf", "python3", "python3-venv", "patch", "xz-utils",
}

// recipeOf is what differs between targets.
type recipeOf struct {
	script   string   // in recipe/
	more     []string // further files and directories of recipe/ that it reads
	packages []string // of the room, besides common
	linked   []string // of which code or firmware is in the result
	sources  []string // source packages that are built
}

var recipes = map[Target]recipeOf{
	{"linux", "amd64", "x86_64"}: {
		script:   "linux.sh",
		packages: []string{"libglib2.0-dev", "zlib1g-dev", "libseccomp-dev", "seabios"},
		linked:   []string{"libc6-dev", "libgcc-14-dev", "libglib2.0-dev", "libpcre2-dev", "libseccomp-dev", "libsysprof-capture-4-dev", "seabios", "zlib1g-dev"},
		sources:  []string{sourceQEMU},
	},
	{"windows", "amd64", "x86_64"}: {
		script: "windows.sh",
		more:   []string{"glib"},
		packages: []string{
			"gcc-mingw-w64-x86-64-win32", "libz-mingw-w64-dev", "seabios",
		},
		linked: []string{"gcc-mingw-w64-x86-64-win32", "libz-mingw-w64-dev", "mingw-w64-x86-64-dev", "seabios"},
		// Sources of security updates are not on every mirror; QEMU uses no more
		// of pcre2 than it takes to link glib.
		sources: []string{sourceQEMU, "glib2.0", "pcre2/trixie"},
	},
	{"linux", "arm64", "aarch64"}: {
		script:   "linux-arm64.sh",
		packages: []string{"gcc-aarch64-linux-gnu"},
		sources:  []string{sourceQEMU},
	},
}

// sysroots are what the compiler of a target links with when the room's own
// libraries are for another processor: packages of the host's architecture, of
// which only the files are used, without what they depend on. All is linked in.
var sysroots = map[Target][]string{
	{"linux", "arm64", "aarch64"}: {
		"gcc-14-base", // has the terms of libgcc-14-dev
		"libc6-dev", "libfdt-dev", "libgcc-14-dev", "libgio-2.0-dev", "libpcre2-dev", "libseccomp-dev",
		"libsysprof-capture-4-dev", "linux-libc-dev", "zlib1g-dev",
	},
}

// sourceQEMU is the name of Debian's source package.
const sourceQEMU = "qemu"

// Check returns an error when there is no recipe for the target.
func (t Target) Check() error {
	if _, ok := recipes[t]; ok {
		return nil
	}
	return fmt.Errorf("no recipe for QEMU on %s/%s for guests of %s (there is: %v)", t.OS, t.Arch, t.Guest, Targets())
}

// Packages are what to ask apt for, for the room in which the target is built.
func (t Target) Packages() []string { return slices.Concat(common, recipes[t].packages) }

// Sysroot are packages of the host's architecture whose files the target is
// linked with; none where the room's own do.
func (t Target) Sysroot() []string { return slices.Clone(sysroots[t]) }

// Sources are the source packages that the target is built from.
func (t Target) Sources() []string { return slices.Clone(recipes[t].sources) }

// Linked are the packages of the room of which something is in the result. All
// of [Target.Sysroot] is, besides.
func (t Target) Linked() []string { return slices.Clone(recipes[t].linked) }

// Targets are all that there are recipes for, in order.
func Targets() []Target {
	return slices.SortedFunc(maps.Keys(recipes), func(a, b Target) int { return strings.Compare(a.String(), b.String()) })
}
