#!/bin/sh
# QEMU for macOS, built on a Mac for that Mac's processor: to see that it compiles there and
# has the device of our patches. No pack has it, and there is no room of locked packages. The
# compiler is Apple's; GNU patch (gpatch), ninja, pkg-config and a python3 that has meson
# come from the PATH, glib and libfdt from Homebrew. See common.sh.
#
#   darwin.sh SOURCE PLACE    SOURCE has the files of the source package, PLACE is for
#                             everything else; the program is put into PLACE/out/bin
set -eu
recipe=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$1" && pwd)
mkdir -p "$2"
place=$(cd "$2" && pwd)

HOST=darwin
RELEASE=piwork
case $(uname -m) in
arm64) GUEST=aarch64 fdt=--enable-fdt=system ;;
*) GUEST=x86_64 fdt=--disable-fdt ;;
esac

# What common.sh takes from Linux.
nproc() { sysctl -n hw.ncpu; }
patch() { gpatch "$@"; }

# Nobody may make a directory at the root of a Mac's disk.
sed -e "s|/build/|$place/build/|g" -e "s|/out/|$place/out/|g" \
	-e "s|/in/source|$source|g" -e "s|/in/recipe|$recipe|g" "$recipe/common.sh" >"$place/common.sh"
. "$place/common.sh"

unpack_source
brew=$(brew --prefix)
EXTRA_CFLAGS="-I$brew/include"
EXTRA_LDFLAGS="-L$brew/lib"
configure_qemu --python="$(command -v python3)" --enable-hvf "$fdt"
# Without QEMU's last step, which signs the program with the right to use the hypervisor:
# what is asked below does not use it.
ninja -j"$jobs" "qemu-system-$GUEST-unsigned"
mkdir -p "$place/out/bin"
program="$place/out/bin/qemu-system-$GUEST"
cp "qemu-system-$GUEST-unsigned" "$program"

# has NAME COMMAND…: the command must print the name.
has() {
	name=$1
	shift
	"$@" >"$place/printed"
	grep -Fw -e "$name" "$place/printed" || {
		echo "$name is not in what $* prints" >&2
		exit 1
	}
}
has '"virtio-9p-chardev-pci"' "$program" -device help
has hvf "$program" -accel help
