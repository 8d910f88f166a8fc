// Package relocate changes files of a system so that they work below another directory than
// the root, on a computer with another system: as conda and Nix do, by what is written in the
// files, and without a chroot.
//
//	program         its interpreter (PT_INTERP) and where its libraries are (DT_RPATH)
//	ld.so           knows neither the libraries of the computer nor its cache
//	script          the interpreter in its first line, and paths of the system after it
//	link            where it leads, when that is in the system
//	configuration   paths in the few files whose place no variable names
//
// The kernel then starts such a program as it is: no launcher stands before it, its
// environment needs no LD_LIBRARY_PATH, and /proc/self/exe is its own path.
//
// Paths that are compiled into programs stay as they are; programs take most of them from
// variables (package order's), and /bin/sh and /usr/bin/env are there on every Linux.
package relocate
