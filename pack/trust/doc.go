// Package trust answers one question: which trusted key signed these bytes?
//
// # Parties
//
// A [Signer] holds a private key and makes signature files. A [KeyRing] holds
// public keys by name and says which of them made a signature. There are two
// kinds of keys:
//
//   - release keys are compiled into the program (keys/*.pub), or the update
//     channel vouches for them (keys.json, verified from the root that is compiled
//     in: package channel). A released program knows no others;
//   - developer keys stand in a file of the person's config directory
//     ([DeveloperFile]). They are read by explicit choice only
//     ([Options].Developer), which programs built with the tag "release" never
//     make ([DeveloperBuild]). The same choice allows a channel root of their own
//     ([ChannelRootFile]), whose keys are developer keys.
//
// A program is one of two kinds: a developer's, which is what every build is, or a
// release (tag "release"), which does not compile without keys/root.json and
// keys/channel, the root and the addresses of its channel.
//
// The channel can also revoke keys, whatever their kind. A signature by a revoked
// key is refused, also under what was signed long before: as [ErrRevoked] where the
// ring had that key, else as [ErrNoMatch].
//
// # Form
//
// Keys are ECDSA on P-256, signatures are over SHA-256 of the message, in ASN.1
// DER, written as one line of standard base64. Public keys are PKIX in PEM. These
// are the files of `cosign sign-blob --key` and `cosign verify-blob --key`, and
// openssl reads them too:
//
//	base64 -d manifest.json.sig > sig.der
//	openssl dgst -sha256 -verify key.pub -signature sig.der manifest.json
//
// Ed25519 is refused on purpose: whether cosign hashes the message first
// (Ed25519ph) depends on its version and on its options, so that a signature
// made here could not be promised to verify there, nor the reverse.
//
// Signatures are deterministic (RFC 6979): signing the same bytes twice gives
// the same file, which makes signed packs reproducible.
//
// # Invariants
//
//   - The identity of a key is its [KeyID], SHA-256 of its public part. Names
//     are words for people and decide nothing.
//   - A ring never changes after it was made; every method may be called from
//     several goroutines at once.
//   - No private key is ever replaced, written with permissions for others, or read
//     when others can read it. (Windows: its file has the rights of its directory,
//     and nobody checks them.)
package trust
