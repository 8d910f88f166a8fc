// Package verity makes the hash tree that the kernel's dm-verity target checks
// an image by, block by block while it is read: a guest starts without reading
// the whole image, and stops at the first block that is not as it was signed.
//
// # Form
//
// Version 1 of the on-disk form without a superblock (Linux,
// Documentation/admin-guide/device-mapper/verity.rst; cryptsetup, "DMVerity"):
//
//	data blocks | top level | … | lowest level
//
// Blocks have [BlockSize] bytes everywhere. A digest is SHA-256 of the salt
// followed by the block. A block of the lowest level has the digests of 128
// data blocks, one of each level above the digests of 128 blocks below it; what
// is left of a block is zero. The digest of the top level's only block is the
// root hash. An image of one block has no tree: its digest is the root hash.
// veritysetup(8) makes the same with
//
//	veritysetup format --no-superblock --hash=sha256 --salt=… --hash-offset=… IMAGE IMAGE
//
// # Promises
//
// [Append] is deterministic, needs memory of the size of the tree (under 1 % of
// the data), and has written everything to the disk when it returns without an
// error. The root hash and what else [Tree] says belong into a signed manifest;
// nothing in the image itself is believed.
package verity
