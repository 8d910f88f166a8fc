# What every build of QEMU here has in common; sourced by the others. They run
# as root in a chroot of locked packages (package workshop), without a network:
#
#   /in/source   the files of the source package
#   /in/recipe   this directory
#   /build       for everything in between
#   /out         what the build is for
#
# HOST is the system that QEMU is for, GUEST the guest's architecture as QEMU
# names it, RELEASE what QEMU says about its own version. MORE_OPTIONS are further
# ones of configure: of a QEMU that is measured beside ours (Options.More).
set -eu
umask 022
jobs=$(nproc)

# unpack_source: Debian's source of QEMU in /build/source, with Debian's
# patches and then ours, for every host and for this one.
unpack_source() {
	mkdir -p /build/source
	tar -xJf /in/source/qemu_*.orig.tar.xz -C /build/source --strip-components=1
	tar -xJf /in/source/qemu_*.debian.tar.xz -C /build/source
	cd /build/source
	apply debian/patches $(sed -e 's/#.*//' debian/patches/series)
	for ours in "/in/recipe/patches/all" "/in/recipe/patches/$HOST"; do
		if [ -d "$ours" ]; then
			apply "$ours" $(cd "$ours" && ls -- *.patch)
		fi
	done
	mkdir -p /out/licence
	cp debian/copyright /out/licence/qemu
}

# apply DIRECTORY PATCH…
apply() {
	dir=$1
	shift
	for p in "$@"; do
		patch -s -p1 -N --no-backup-if-mismatch <"$dir/$p" || {
			echo "the patch $p does not apply" >&2
			exit 1
		}
	done
}

# configure_qemu OPTION…: only what is named here and there is built. Devices
# are those of devices/<guest>-<host>.mak.
configure_qemu() {
	cp "/in/recipe/devices/$GUEST-$HOST.mak" "/build/source/configs/devices/$GUEST-softmmu/piwork.mak"
	mkdir -p /build/qemu
	cd /build/qemu
	prefix_maps="-ffile-prefix-map=/build/source=. -ffile-prefix-map=/build/qemu=."
	/build/source/configure --python=/usr/bin/python3 --disable-download --with-pkgversion="$RELEASE" \
		--target-list="$GUEST-softmmu" --without-default-features \
		--without-default-devices "--with-devices-$GUEST=piwork" \
		--enable-tcg --disable-plugins --enable-coroutine-pool --enable-stack-protector \
		--enable-trace-backends=nop --audio-drv-list= \
		--disable-tools --disable-guest-agent --disable-docs --disable-install-blobs \
		--disable-werror --disable-debug-info --prefix=/qemu ${MORE_OPTIONS:-} \
		--extra-cflags="$prefix_maps ${EXTRA_CFLAGS:-}" --extra-ldflags="${EXTRA_LDFLAGS:-}" "$@"
}

# firmware: what a machine of type pc that starts a kernel directly opens.
# QEMU's option ROMs are from its source, with the compiler of the host's own
# architecture; its configure would want one for 32 bits.
firmware() {
	mkdir -p /out/share /build/optionrom
	cd /build/optionrom
	printf 'TOPSRC_DIR=%s\nPYTHON=/usr/bin/python3\nCC=gcc\nLD=ld\nOBJCOPY=objcopy\nEXTRA_CFLAGS=-m32\n' /build/source >config.mak
	make -s -f /build/source/pc-bios/optionrom/Makefile
	install -m 644 kvmvapic.bin linuxboot_dma.bin pvh.bin /out/share/
	install -m 644 /usr/share/seabios/bios-256k.bin /out/share/
}
