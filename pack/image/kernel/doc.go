// Package kernel takes apart Debian's kernel package and puts together what a
// virtual machine boots from: an uncompressed kernel that QEMU starts through
// its PVH entry, and an initramfs with the guest's program and modules.
//
// Everything here is a pure function of bytes: no command is run, and the same
// input gives the same output on every machine.
package kernel
