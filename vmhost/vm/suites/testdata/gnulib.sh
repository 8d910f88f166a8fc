#!/bin/sh
# Runs GNU's tests of POSIX functions, each in a directory of its own in here.
here=$PWD
export srcdir=/opt/gnulib abs_aux_dir=/opt/gnulib LC_ALL=C
for t in /opt/gnulib/test-*; do
	name=${t##*/}
	# Those that are about files; what a script runs is no test by itself.
	case $name in
	test-access | test-areadlink* | test-canonicalize* | test-chdir | test-chmod | test-chown | test-creat | test-dirfd | test-dup* | test-fchdir | test-fch* | \
		test-fclose | test-fcntl | test-fdopen* | test-fdutimensat | test-fflush* | test-file-has-acl* | test-fopen | test-fread | test-fseek* | test-fstat* | test-fsync | \
		test-ftell* | test-ftruncate* | test-futimens | test-fwrite | test-getcwd* | test-glob | test-largefile | test-lchmod | test-lchown | test-link* | test-lseek* | \
		test-lstat | test-mkdir* | test-open* | test-pread* | test-pwrite* | test-read* | test-remove | test-rename* | test-rmdir | test-stat* | test-symlink* | \
		test-truncate | test-unlink* | test-utime | test-utimens* | test-write) ;;
	*) continue ;;
	esac
	if [ "${name%.sh}" = "$name" ] && { [ -e "$t.sh" ] || [ -e "$t-1.sh" ]; }; then continue; fi
	mkdir "$here/$name" && cd "$here/$name" || exit 1
	run=$t
	if [ "${name%.sh}" != "$name" ]; then
		for p in /opt/gnulib/init.sh $(printf %s "${t%.sh}" | sed 's/[-0-9]*$//')*; do ln -s "$p" .; done
		run="sh $t"
	fi
	timeout 60 $run >../log 2>&1
	code=$?
	echo "RESULT $name $code"
	[ $code = 0 ] || [ $code = 77 ] || tail -n 3 ../log | sed 's/^/    /'
done
