# Runs in the room (pack/image/workshop): builds the tests that come as source,
# and makes the image of the whole room. Programs of the suites stay where their
# packages have them.
set -eu
export HOME=/build

# GNU's tests of what POSIX says of files. Its modules are replacements of
# functions; what is tested here is the system's own, so nothing is replaced.
modules='access areadlink chmod chown close dup2 fchmodat fchownat fclose fcntl fdopendir fdutimensat
 file-has-acl fopen fread fseeko fstat fstatat fsync ftell ftruncate futimens getcwd getcwd-lgpl
 glob lchmod lchown link linkat lseek lstat mkdir mkdirat mkstemp nftw open openat opendir pread
 pwrite readdir readlink readlinkat remove rename renameat renameatu rewinddir rmdir scandir
 select-none stat stat-time statat symlink symlinkat truncate unlink unlinkat utime utimens utimensat write'
known=
for m in $modules; do
	if gnulib-tool --extract-filelist "$m-tests" >/dev/null 2>&1; then known="$known $m"; fi
done
gnulib-tool --create-testdir --dir=/build/gnulib --single-configure $known >/build/gnulib.log 2>&1 || {
	tail -n 50 /build/gnulib.log >&2
	exit 1
}
cd /build/gnulib
./configure --disable-dependency-tracking CFLAGS=-O1 >/build/configure.log 2>&1 || { tail -n 50 /build/configure.log >&2; exit 1; }
make -j2 >/build/make.log 2>&1 || { tail -n 50 /build/make.log >&2; exit 1; }
make -j2 -C gltests check TESTS= >>/build/make.log 2>&1 || { tail -n 50 /build/make.log >&2; exit 1; }
mkdir -p /opt/gnulib /opt/packages
cp /in/packages/*.tgz /opt/packages/
tar -xzf /opt/packages/npm.tgz -C /opt # npm itself: /opt/package/bin/npm-cli.js
find gltests -maxdepth 1 -type f \( -name 'test-*' -o -name '*.sh' \) ! -name '*.c' ! -name '*.h' ! -name '*.o' ! -name '*.log' ! -name '*.trs' -exec cp -p {} /opt/gnulib/ \;
mkdir -p /folders /work

# The image: without what compiled it.
tar -C / --one-file-system --sort=name --exclude=./in --exclude=./build --exclude=./out --exclude=./usr/share/gnulib \
	--exclude=./usr/lib/gcc --exclude=./usr/libexec/gcc --exclude=./usr/include --exclude='./var/cache/*' --exclude='./var/lib/apt/*' \
	--exclude='./proc/*' --exclude='./sys/*' --exclude='./dev/*' --exclude='./tmp/*' --exclude='./run/*' -cf /build/root.tar .
mkfs.erofs --quiet --tar=f -Enoinline_data "-T$SOURCE_DATE_EPOCH" -U 3f0d4c5e-94f3-4a0c-8d6b-1f5e7c0a2b47 /out/suites.img /build/root.tar
