# Puts the source of the kernel into /build: Debian's, with our patches, each of
# which says what it is for. /out/patches says which were applied. The rest is as
# for build.sh.
set -eu
umask 022

tar -xJf "/usr/src/$SOURCE.tar.xz" -C /build
cd "/build/$SOURCE"
sh /in/recipe/patch.sh /in/recipe/patches /in/recipe/patches.list >/out/patches
