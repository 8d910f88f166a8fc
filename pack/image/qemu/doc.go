// Package qemu makes the QEMU of a runtime pack from Debian's source package,
// with no more in it than vmhost/qemu names on its command lines and what
// machines get later (hot-plugged shares, networks, saved states).
//
// # Why an own build
//
// A distribution's QEMU is made for every machine: dozens of libraries, a
// hundred devices and modules that are loaded at run time. Each is code that a
// hostile guest may reach, and megabytes to fetch. Here it is one program: for
// Linux static and position independent, for Windows with nothing but the
// system's own libraries.
//
// # From what
//
//   - The source package, Debian's patches applied, then those in recipe/patches.
//   - Scripts such as recipe/linux.sh say how, recipe/devices which devices. They run
//     in a room of locked packages (package workshop) on amd64, whatever the target.
//   - For Linux on arm64, libraries for that processor from Debian's packages
//     ([Target.Sysroot]), which the room's compiler links with.
//   - Firmware of x86: option ROMs from QEMU's source, SeaBIOS from Debian's
//     package. A guest for arm64 starts without any.
//
// # Promises
//
//   - The same lock and recipe give the same bytes. [Target.Hash] changes with every
//     byte of the target's recipe, and with nothing else: QEMU takes minutes to build.
//   - What is linked in is known by package ([Target.Linked], [Target.Sysroot]), and
//     QEMU's own terms come along, for the source offer.
//
// For macOS QEMU cannot be built away from a Mac. There it comes as a directory
// with a lock of its own, and is held to what the command line needs before it
// becomes part of a pack ([OpenDirectory]). recipe/darwin.sh compiles it on a Mac,
// to see whether the patches do; what it makes is no such directory.
package qemu
