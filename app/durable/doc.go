// Package durable writes the controller's plain files so that a kill or a
// power cut at any moment leaves a reader with whole data:
//
//   - [WriteFile] replaces a file, private to the user (pack/durable does it).
//   - [Lines] appends lines: a reader sees whole lines; a line that was cut off
//     is not one, and is taken away before the next one is written.
//
// What a call returned nil for is on the disk, as far as fsync(2) promises it; but a file
// of [ReplaceFile] may be empty after a power cut.
package durable
