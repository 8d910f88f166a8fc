// Package disk writes the empty disk that every task's overlay has behind it:
// an ext4 file system in a qcow2 file.
package disk
