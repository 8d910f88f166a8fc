#!/bin/sh
# QEMU for Linux hosts with an arm64 processor, cross-built: one static program.
# Its libraries are Debian's for that processor, as packages in /in/sysroot, of
# which only the files are used. See common.sh.
. /in/recipe/common.sh
# What decodes instructions is written by a program of QEMU's (decodetree.py) in
# the order of Python's sets, which is by chance otherwise.
export PYTHONHASHSEED=0
target=aarch64-linux-gnu
sysroot=/build/sysroot

mkdir -p "$sysroot/usr/lib"
ln -s usr/lib "$sysroot/lib"
for package in /in/sysroot/*.deb; do
	dpkg-deb --extract "$package" "$sysroot"
done

unpack_source
export PKG_CONFIG_LIBDIR="$sysroot/usr/lib/$target/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$sysroot" PKG_CONFIG=pkg-config
EXTRA_CFLAGS="-ffile-prefix-map=$sysroot="
EXTRA_LDFLAGS=-static-pie # in checks too: there is nothing else to link with
# The compiler's own parts come from the same packages as the other libraries.
configure_qemu --cross-prefix=$target- --cc="$target-gcc --sysroot=$sysroot -B$(echo "$sysroot/usr/lib/gcc/$target"/*)/" \
	--static --enable-pie --enable-kvm --enable-seccomp --enable-vhost-user \
	--enable-membarrier --enable-malloc-trim --enable-fdt=system
ninja -j"$jobs" "qemu-system-$GUEST"
mkdir -p /out/bin
$target-strip -o "/out/bin/qemu-system-$GUEST" "qemu-system-$GUEST"
# The machine "virt" starts a kernel without any firmware.
mkdir -p /out/share
