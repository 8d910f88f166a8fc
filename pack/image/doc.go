// Package image makes what a runtime pack contains: the guest's root file
// system, kernel and initramfs, the empty work disk, QEMU with its firmware,
// licences, source offers and statements of what is in it and how it was made. Add-ons
// are images over the root file system, each with a pack of its own.
//
// # From what
//
// Debian packages, Node, npm and the AI program from npm's registry, and the guest's own programs,
// nothing else. What is wanted stands in the recipe (recipe.go, addon.go,
// programs.go); which versions that is today stands in lock files
// (lock/<set>-<architecture>.json) in the repository. There is one lock for each
// set of packages that is resolved by itself:
//
//	guest         the root file system
//	addon-<name>  what an add-on has that the guest has not
//	npm           Node, npm and the AI program
//	kernel        the guest's kernel: its source and what builds it
//	kernel-stock  the guest's kernel: Debian's
//	qemu          QEMU for the host: its source and what builds it
//	qemu-stock    QEMU for the host: Debian's, with its libraries
//	qemu-sysroot  what QEMU is linked with for a host of another processor
//	tools         what writes file systems, run on the building machine
//	swift         what the SDK for Swift is compiled with
//	wine          what tests of the pack for Windows run in
//
// A build reads lock files. Only [Relock] (./scripts/pack --lock) writes them, all or
// those of some groups of sets (--lock=kernel).
//
// # Invariants
//
//   - The same locks, sources and Go release give the same bytes, on every
//     machine and for every user, with and without root. What the building
//     machine brings are only apt, dpkg and mmdebstrap to unpack and configure;
//     everything that lays out bytes comes from the locks or is in here.
//   - A build takes the files that the locks name, each held to its SHA-256, or
//     stops. It changes no lock file. A lock file that is missing, or answers
//     another question than the recipe asks, is an error that names the set and the
//     command. A file that left the mirror comes from the archive of snapshots
//     (package debian) when one is named, and is an error otherwise.
//   - No mirror, user, path or time of the building machine gets into a result.
//   - An add-on only adds files to the base it was made over (package root): any of
//     them fit together. What two of them both bring is the same version.
//   - Every image ends with a hash tree for dm-verity (package verity), whose root
//     hash is in the manifest.
//   - A tool that changes in an image changes little of it: files in the order of
//     their names, at whole blocks, ends of files too (rootfs.go).
//   - Programs of the packages run here only as the bootstrap of the root file
//     system (maintainer scripts, in a chroot made by mmdebstrap) and as the
//     tools of the set "tools".
//
// # Parts and the cache
//
// A build is a few parts, each a directory in the cache under the key of all
// that goes into it: package locks, options, inputs, and the source of this
// package itself. A part that is there is used as it is, and a second build needs
// no network.
//
// What takes minutes depends on little: a bootstrap on its lock and on how it is
// made, a layer on what its base has besides programs of ours. So a change of the
// guest's init makes only the initramfs again, and a change of what carries out
// operations only the root image, of the same bootstrap, within seconds.
//
// Parts that wait for the network, for one processor and for all processors are made
// beside each other; what keeps all processors busy is made alone (parts.go).
//
// # Flavours
//
// A pack is own or stock (spec.Flavour, flavour.go). Own has a kernel and a QEMU that
// are built from source, with no more in them than piwork uses and with our patches:
// for releases, measurements and the tests of all of it. Stock has Debian's, as they
// are: the kernel is taken out of its package, its modules go into the initramfs
// (stockkernel.go), QEMU comes with its libraries and their loader (relocated.go).
// Nothing but Go is compiled, so it is there within minutes: for the demo and daily
// work on Linux. The guest, its programs, manifest and signatures are the same.
//
// What stock cannot do, each an ability that the manifest answers for (spec.Abilities):
//
//	what stock cannot do           what happens instead              held by
//	several processors in slow     a machine has one                 TestLimits, TestTopology (own)
//	mode: QEMU aborts (patch)      (EmulatedProcessors)
//	give back private memory       a restored machine keeps what     TestLimits, TestRestoreForReal/
//	(patch)                        it changed of its template's      memory_comes_back (own)
//	                               memory (PrivateMemory)
//	a 9p device whose server is    folders are virtio-fs or not      TestNoDeviceForReal (both),
//	elsewhere (3 patches), and a   shared at all (Device9P)          TestSharedWorkForReal and
//	client that is corrected for                                     TestClient (own)
//	it (4 patches)
//	no module, /dev/mem, kexec,    modules are loaded once, then     TestKernel (both; the whole
//	sysrq, BPF in the kernel       no more can be; kexec, sysrq,     list own)
//	                               BPF for users are switched off;
//	                               /dev/mem is root's, and nobody
//	                               is root (SmallMachine)
//	one static QEMU with 20        60 libraries, hundreds of         TestStaticForReal,
//	devices                        devices that no command line      TestAbilitiesForReal (own)
//	                               names; the sandbox is the same
//	                               (SmallMachine)
//	half the size, half the boot   a larger download, a slower cold  ./scripts/bench (own)
//	                               boot; a restored machine is as
//	                               fast (SmallMachine)
//	Windows, macOS, arm64          refused, by name                  TestCheckFlavour
//
// The layout of the result is that of the pack (package piwork/pack).
package image
