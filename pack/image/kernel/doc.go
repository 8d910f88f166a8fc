// Package kernel makes what a guest boots from: a kernel of its own, built from
// Debian's source of the long-term release that Debian's own kernel is built
// from, and an initramfs with the guest's program.
//
// # Why an own kernel
//
// A distribution's kernel is made for every machine. Here it has what a machine
// of vmhost/qemu has and what pack/guest calls, all built in: no module is
// loaded, by nobody. It is a third of the size, boots in half the time, and what
// is not there cannot be attacked. Debian's patches and security updates are its
// own: `scripts/pack --lock` follows them, which is one changed line in a lock
// file and one build.
//
// # From what
//
//   - [Source], with Debian's patches, and a compiler: packages of a lock.
//   - recipe/patches: what upstream has not repaired yet of what our folders need.
//     Each says why it is there and of which kind it is (below). recipe/patch.sh
//     applies a patch without fuzz or not at all; [CheckPatches] tries that alone,
//     which `scripts/pack --lock` does for a new source.
//   - recipe/common.config and recipe/<architecture>.config: what is wished for.
//     Everything else is off. recipe/check.sh refuses wishes that Kconfig drops.
//   - recipe/build.sh, run in a room of exactly these packages (package workshop)
//     on amd64; for arm64 with a cross compiler.
//
// # Kinds of patches
//
//	Kind: correctness   without it folders go wrong: a build without it stops
//	Kind: performance   without it the guest is slower: when it does not apply, the
//	                    build goes on without it
//
// [ReadPatched] says what is in a kernel: packs list only patches that were applied.
//
// # Promises
//
//   - The same lock and recipe give the same bytes. [Hash] changes with every byte
//     of the guest's recipe, and with nothing else: a kernel takes minutes.
//   - What comes out can be started by QEMU without firmware: an ELF file with a
//     PVH entry, or arm64's Image.
package kernel
