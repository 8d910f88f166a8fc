#!/bin/sh
# QEMU for Linux hosts, one static program. See common.sh.
. /in/recipe/common.sh

unpack_source
configure_qemu --static --enable-pie --enable-kvm --enable-seccomp --enable-vhost-user \
	--enable-membarrier --enable-malloc-trim --enable-avx2 --disable-fdt
ninja -j"$jobs" "qemu-system-$GUEST"
mkdir -p /out/bin
strip -o "/out/bin/qemu-system-$GUEST" "qemu-system-$GUEST"
firmware
