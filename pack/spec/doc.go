// Package spec is what a runtime pack says of itself, and what of that is accepted:
// the manifest with its roles, layers and tools, the index of chunks, the names that
// files may have, the policy of whoever takes a pack, and the errors of refusals.
//
// It reads bytes that nobody has vouched for yet ([ParseManifest], [ParseChunks]):
// every length and count is bounded, and what is not canonical is refused, so that two
// readers of a manifest cannot understand it in two ways. It touches no file and checks
// no signature: [piwork/pack] does, with what stands here.
//
// A refusal is a [VerifyError]: its [Kind] says why (altered, signed by a foreign key, for
// another computer, …), its File which file of the pack it is about.
package spec
