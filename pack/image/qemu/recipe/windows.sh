#!/bin/sh
# QEMU for Windows hosts, cross-built with mingw: one program that needs only
# libraries of the system. glib is built here, because Debian has none for
# Windows, and of it only what QEMU uses. See common.sh.
. /in/recipe/common.sh
target=x86_64-w64-mingw32
prefix=/build/windows
maps="-ffile-prefix-map=/build=."

# unpack NAME: a source with Debian's patches, in either form of dpkg-source(1).
unpack() {
	mkdir -p "/build/$1"
	tar -xf /in/source/"$1"_*.orig.tar.* -C "/build/$1" --strip-components=1
	cd "/build/$1"
	for diff in /in/source/"$1"_*.diff.gz; do
		[ ! -e "$diff" ] || gzip -dc "$diff" | patch -s -p1 -N --no-backup-if-mismatch
	done
	for archive in /in/source/"$1"_*.debian.tar.*; do
		[ ! -e "$archive" ] || tar -xf "$archive"
	done
	if [ -e debian/patches/series ]; then
		apply debian/patches $(sed -e 's/#.*//' -e 's/ -p.*//' debian/patches/series)
	fi
	mkdir -p /out/licence
	cp debian/copyright "/out/licence/$1"
}

# Messages are not translated.
mkdir -p "$prefix/include" "$prefix/lib/pkgconfig"
cp /in/recipe/glib/libintl.h "$prefix/include/"
$target-gcc -O2 -I"$prefix/include" -c /in/recipe/glib/libintl.c -o /build/intl.o
$target-ar rcsD "$prefix/lib/libintl.a" /build/intl.o

# zlib is Debian's, without the library that programs would look for at run time.
cp /usr/$target/include/zlib.h /usr/$target/include/zconf.h "$prefix/include/"
cp /usr/$target/lib/libz.a "$prefix/lib/"
cat >"$prefix/lib/pkgconfig/zlib.pc" <<EOF
Name: zlib
Description: zlib
Version: $(sed -n 's/^#define ZLIB_VERSION "\(.*\)"/\1/p' "$prefix/include/zlib.h")
Libs: -L$prefix/lib -lz
Cflags: -I$prefix/include
EOF

unpack pcre2
mkdir -p /build/pcre2-build
cd /build/pcre2-build
/build/pcre2/configure --host=$target --prefix="$prefix" --disable-shared --enable-static \
	CFLAGS="-O2 -DPCRE2_STATIC $maps" >/dev/null
make -s -j"$jobs" libpcre2-8.la src/pcre2.h libpcre2-8.pc >/dev/null
cp .libs/libpcre2-8.a "$prefix/lib/"
cp src/pcre2.h "$prefix/include/"
cp libpcre2-8.pc "$prefix/lib/pkgconfig/"

unpack glib2.0
apply /in/recipe/glib only-the-library-glib.patch
# Windows knows no language of messages apart from that of characters.
cat >/build/cross.ini <<EOF
[binaries]
c = '$target-gcc'
cpp = '$target-g++'
ar = '$target-ar'
strip = '$target-strip'
windres = '$target-windres'
pkg-config = 'pkg-config'
[properties]
pkg_config_libdir = '$prefix/lib/pkgconfig'
[built-in options]
c_args = ['-I$prefix/include', '-DPCRE2_STATIC', '-DLC_MESSAGES=LC_CTYPE', '$maps']
c_link_args = ['-L$prefix/lib']
[host_machine]
system = 'windows'
cpu_family = 'x86_64'
cpu = 'x86_64'
endian = 'little'
EOF
meson setup --cross-file /build/cross.ini --prefix "$prefix" --libdir lib --default-library static \
	--buildtype release --wrap-mode nodownload -Dtests=false -Dnls=disabled -Dlibmount=disabled \
	-Dselinux=disabled -Dxattr=false -Ddtrace=disabled -Dsystemtap=disabled -Dsysprof=disabled \
	-Dman-pages=disabled -Ddocumentation=false -Dintrospection=disabled -Dglib_debug=disabled \
	/build/glib-build /build/glib2.0
ninja -C /build/glib-build -j"$jobs"
meson install -C /build/glib-build --no-rebuild >/dev/null
cp /in/recipe/glib/gmodule.h "$prefix/include/glib-2.0/"

unpack_source
export PKG_CONFIG_LIBDIR="$prefix/lib/pkgconfig" PKG_CONFIG=pkg-config
EXTRA_CFLAGS="-I$prefix/include -DGLIB_STATIC_COMPILATION -DPCRE2_STATIC"
EXTRA_LDFLAGS="-L$prefix/lib -static -Wl,--no-insert-timestamp"
configure_qemu --cross-prefix=$target- --static --enable-whpx --disable-fdt --enable-avx2
ninja -j"$jobs" "qemu-system-$GUEST.exe"
mkdir -p /out/bin
$target-strip -o "/out/bin/qemu-system-$GUEST.exe" "qemu-system-$GUEST.exe"
firmware
