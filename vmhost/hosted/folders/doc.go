// Package folders mounts what a file server of this program serves on a directory of this
// computer (FUSE), for kinds of places that have no mounts of their own: as root, else by
// fusermount3. It knows nothing of files.
//
// What this program mounted and never took away, because it was killed, [Clear] takes away.
package folders
