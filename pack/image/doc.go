// Package image makes what a runtime pack contains: the guest's root file
// system, kernel and initramfs, the empty work disk, QEMU with its firmware,
// licences, source offers and statements of what is in it and how it was made. Add-ons
// are images over the root file system, each with a pack of its own. The layout of the
// result is that of the pack (package piwork/pack).
//
// # From what
//
// Debian packages, Node, npm and the AI program from npm's registry, and the guest's own
// programs, nothing else. The recipe says what is wanted (recipe.go, addons.go,
// programs.go); lock files in the repository say which versions that is today
// (lock/<set>-<architecture>.json, a set being packages that are resolved together). A build
// reads lock files; only [Relock] (./scripts/pack --lock) writes them.
//
// # Flavours
//
// A pack is own or stock (spec.Flavour, flavour.go). Own has a kernel and a QEMU built
// from source, with our patches and no more in them than piwork uses: for releases,
// measurements and tests. Stock has Debian's as they are, for the demo and daily work on
// Linux: nothing but Go is compiled, so it is made within minutes. The guest, its
// programs, manifest and signatures are the same. What stock cannot do are abilities
// (spec.Abilities); the table at type maker says what happens instead.
//
// # Invariants
//
//   - The same locks, sources and Go release give the same bytes, on every machine and for
//     every user, with and without root. Of the building machine only apt, dpkg and
//     mmdebstrap are used, to unpack and configure; what lays out bytes comes from the
//     locks or is in here.
//   - A build takes the files that the locks name, each held to its SHA-256, or stops. A lock
//     file that is missing, or answers another question than the recipe asks, is an error
//     that names the set and the command. A file that left the mirror comes from the archive
//     of snapshots (package debian) when one is named, and is an error otherwise.
//   - No mirror, user, path or time of the building machine gets into a result.
//   - An add-on only adds files to the base it was made over (package root): any of
//     them fit together. What two of them both bring is the same version.
//   - The root image and that of each add-on end with a hash tree for dm-verity (package
//     verity), whose root hash is in the manifest.
//   - A tool that changes in an image changes little of it: files in the order of
//     their names, at whole blocks, ends of files too (rootfs.go).
//   - Programs of the packages run here only as the bootstrap of a file system (maintainer
//     scripts, in a chroot made by mmdebstrap), as the compilers of kernel and QEMU (in a
//     room, package workshop), and as the tools of the set "tools".
//
// # Parts and the cache
//
// A build is a few parts, each a directory in the cache under the key of all that goes
// into it: package locks, options, inputs, and the source that makes it. A part that is
// there is used as it is, and a second build needs no network. Parts that take minutes
// have few files of this package in their keys (builder.compiled). Parts that wait for
// the network, for one processor and for all processors are made beside each other; what
// keeps all processors busy is made alone (parts.go).
package image
