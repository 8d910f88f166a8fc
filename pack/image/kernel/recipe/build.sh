# Builds the guest's kernel. Runs as root in a chroot of locked packages
# (package workshop), without a network:
#
#   /in/recipe   this directory
#   /build       for everything in between
#   /out         kernel, config, and which of our patches are in it
#
# SOURCE is the package with the source, DEBIAN its version, ARCH the
# architecture as the kernel names it, IMAGE the target of make, CROSS_COMPILE
# the prefix of the compiler's programs.
set -eu
umask 022

sh /in/recipe/source.sh
cd "/build/$SOURCE"
cat "/in/recipe/common.config" "/in/recipe/$ARCH.config" >/build/wishes

# Nothing of the machine or the moment goes into the kernel.
export ARCH CROSS_COMPILE
export KBUILD_BUILD_TIMESTAMP="$(date -u -d "@$SOURCE_DATE_EPOCH")"
export KBUILD_BUILD_USER=piwork KBUILD_BUILD_HOST=piwork KBUILD_BUILD_VERSION="Debian-$DEBIAN"

# Everything that is not wished for is off, or as Kconfig forces it.
make -s allnoconfig KCONFIG_ALLCONFIG=/build/wishes
sh /in/recipe/check.sh /build/wishes .config

make -s -j"$(nproc)" KCFLAGS="-ffile-prefix-map=/build/$SOURCE=." "$IMAGE"

case "$IMAGE" in
vmlinux) "${CROSS_COMPILE}strip" --strip-all -o /out/kernel vmlinux ;;
*) cp "arch/$ARCH/boot/$IMAGE" /out/kernel ;;
esac
cp .config /out/config
