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
// refused with a [spec.VerifyError] that says how. A seal at the end (frame.go) finds
// damage that would unpack to the same content: no byte can change unnoticed.
//
// The first file is the chunk index ([spec.ChunksName]). It divides the tar stream behind it
// into chunks of some 240 KiB whose ends the content decides, and names each with SHA-256
// and both lengths. A chunk is one zstd frame; in front of them stands the head in two
// frames, manifest and signature in the first, the index in the second. So a pack can be
// unpacked on all processors at once, and an update fetches only the chunks that no installed
// version has ([ReadHead], [Head.Plan], [Assemble]). An add-on ([spec.Manifest.AddOn]) is a pack of
// one image for any host, which lies over the base layer of a runtime.
//
// # Parties
//
//   - [Build] turns a directory into an archive; the same input gives the same bytes.
//   - [VerifyFile] reads an archive to its end and keeps nothing; [Install] does the same
//     and keeps it, in a [Store].
//   - [Assemble] makes a version of what others have and of chunks that somebody
//     fetches; it goes on where it was interrupted.
//   - [Installed.WriteArchive] makes the archive again from what is installed.
//   - [BuildBundle] and [Bundle.Install] carry packs to where no network is (bundle.go).
//   - [Store] is a directory with one subdirectory per version and a pointer
//     file that says which one is current and which was before.
//   - [Installed] is one unpacked pack that can be asked for its files and
//     checked again. [OpenDir] makes one of a developer's directory.
//
// # Invariants
//
//   - Nothing of a manifest is interpreted before its signature is verified. Where that fails, the
//     key that the manifest names at a fixed place chooses the words of the refusal.
//   - Nothing is written before the manifest is verified and fits this machine and program, and
//     nothing outside of a staging directory ever (os.Root). It is fresh ([Install]), or what an
//     interrupted [Assemble] left.
//   - What is read is bounded before it is trusted: the head of the archive by
//     constants, the rest by the manifest.
//   - In an assembly a chunk is compared with its signed sum before it is written,
//     wherever it comes from; what an interrupted one left is compared again.
//   - Of what this computer runs or boots every byte is compared at each start
//     ([LevelQuick]; [LevelRestore] of a restored machine), but for images with a hash tree,
//     which the guest's kernel compares block by block.
//   - A refusal leaves the store as it was. A kill at any point leaves the old
//     state or the new one; [Store.Sweep] and the next Install tidy up.
//   - A version becomes visible by one rename, after all of it is on the disk. One process
//     at a time changes a store (a lock file); reading needs no lock.
package pack
