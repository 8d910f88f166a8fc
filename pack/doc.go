// Package pack makes, verifies and keeps runtime packs: everything that a
// virtual machine is started from, as one signed file.
//
// # The archive
//
// A pack is piwork-runtime-<os>-<arch>-<version>.tar.zst. Its entries are
// manifest.json, manifest.json.sig, then every file of the manifest in its
// order: regular files in USTAR form and nothing else. The manifest names each
// file with size, mode and SHA-256; the signature covers the manifest
// ([piwork/pack/trust]). So the signed manifest determines the archive: names,
// order, sizes, even its unpacked length to the byte. Whatever differs is
// refused with a [VerifyError] that says how. A seal at the end, a checksum in a
// frame that zstd tools pass over, finds damage that would unpack to the same
// content: no byte of the file can change unnoticed.
//
// # Parties
//
//   - [Build] turns a directory into an archive; the same input gives the same
//     bytes.
//   - [VerifyFile] reads an archive to its end and keeps nothing.
//   - [Install] does the same and keeps it, in a [Store].
//   - [Store] is a directory with one subdirectory per version and a pointer
//     file that says which one is current and which was before.
//   - [Installed] is one unpacked pack that can be asked for its files and
//     checked again. [OpenDir] makes one of a developer's directory.
//
// # Invariants
//
//   - Nothing of a manifest is interpreted before its signature is verified,
//     with one exception that cannot change the outcome: the key that it names
//     at a fixed place chooses the words of the refusal.
//   - Nothing is written before the manifest is verified and fits this machine
//     and program, and nothing outside of a fresh staging directory ever
//     (os.Root, O_EXCL).
//   - What is read is bounded before it is trusted: the head of the archive by
//     constants, the rest by the manifest.
//   - A refusal leaves the store as it was. A kill at any point leaves the old
//     state or the new one; [Store.Sweep] and the next Install tidy up.
//   - A version becomes visible by one rename, after all of it is on the disk.
//   - One process at a time changes a store (a lock file); reading needs no lock.
package pack
