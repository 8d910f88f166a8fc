# Compiles the package in /in/swift into /out: its tests, its example, and the libraries of both.
set -eu
export HOME=/build
mkdir -p /build
cp -r /in/swift /build/swift
cd /build/swift
# The folder of the example is one of the computer where it runs.
sed -i 's|"/home/me/Lists"|CommandLine.arguments[1]|' Examples/first/main.swift
swift build --disable-sandbox --build-tests -Xswiftc -warnings-as-errors
mkdir /out/lib
for program in piworkPackageTests.xctest first; do
	cp ".build/debug/$program" /out/
	ldd ".build/debug/$program" | grep -o '/[^ ]*' >>/build/libraries
done
sort -u /build/libraries | while read -r library; do cp -L "$library" /out/lib/; done
cat >/out/run <<'RUN'
#!/bin/sh
# run PROGRAM [ARGUMENT…] starts a program that was compiled here, with the libraries beside it.
here=$(dirname "$0")
program=$1
shift
exec "$here/lib/ld-linux-x86-64.so.2" --library-path "$here/lib" "$here/$program" "$@"
RUN
chmod 755 /out/run
