// Package relocate finds what a dynamically linked program needs to run away
// from the distribution that it was built for: its loader and the closure of
// its shared libraries, read from the ELF files themselves.
//
// Nothing is run and nothing of the host is looked at: the search happens
// inside an unpacked tree, so that the result is the same on every machine and
// for every architecture.
//
// What a program opens at run time by name (dlopen) is not seen; such modules
// are given as further starting points.
package relocate
