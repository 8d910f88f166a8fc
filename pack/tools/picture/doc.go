// Package picture looks at picture files without decoding them: what format,
// how large, turned how, and whether the file is whole.
//
// # Why
//
// Starting a decoder takes a second and more in an emulated machine, and a
// chore looks at hundreds of pictures. [Inspect] reads a file once, front to
// back, in step with hashing or copying it (of TIFF, HEIC and AVIF some places
// twice), and follows the structure of its format to the end. That finds what
// goes wrong with pictures in practice: files that were cut off, overwritten,
// empty, or are something else than their name says. PNG has checksums, so
// there every changed bit is found.
// Damage inside the compressed data of other formats is left to the decoder.
//
// [Taken] reads of films and raw files, too, when they were taken, and [WipeTIFF]
// takes out of a TIFF what it says of people and places.
//
// # Promises
//
// The format is told by content, never by name. Input is hostile: sizes are
// bounded, nothing is allocated by a number in the file beyond [maxSegment],
// and every loop consumes input.
package picture
