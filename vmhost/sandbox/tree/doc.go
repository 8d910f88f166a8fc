// Package tree unpacks the root image of a runtime pack (EROFS, not compressed) into a
// directory, for runtimes whose programs run without a machine.
//
// A tree is there whole or not at all: it is made beside its place, synced and renamed.
// Two programs that want the same one at once make it one after the other. Names, content,
// modes, times, symbolic links and hard links are as in the image; owners are not, nothing
// is setuid or setgid, and there are no devices, sockets or pipes. The image is read with
// gVisor's reader. Mounting it instead takes rights that people do not have.
package tree
