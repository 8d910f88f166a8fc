// Package statement writes down, for machines, what a pack consists of and how
// it was made.
//
//   - [WriteSBOM]: a software bill of materials, SPDX 2.3 as JSON.
//   - [WriteProvenance]: an in-toto statement (v1) with SLSA provenance (v1),
//     unsigned: it is a file of the pack, and the signature of the pack's manifest
//     holds for it.
//
// The same input gives the same bytes. No time but the pack's own, no host, user
// or path of the building machine is in either: where SLSA asks who built, the
// answer is the kind of builder.
package statement
