// Package tree unpacks the root image of a runtime pack (EROFS, not compressed) into a
// directory, for runtimes whose programs run without a machine.
//
// A tree is there whole or not at all: it is made beside its place, synced and renamed.
// Two programs that want the same one at once make it one after the other. Names, content,
// modes, times, symbolic links and hard links are as in the image; owners are not, nothing
// is setuid or setgid, and there are no devices, sockets or pipes. The image is read with
// gVisor's reader.
//
// The tree belongs to the person, so that anything may change it: a cleaner, a fault of the
// disk, a program that runs over it without a sandbox. [Check] brings back what is not as in
// the image. Before each task it asks the file system whether anything was touched (the time
// of the last change of a file's inode, which no program can set), and from then on the kernel
// tells; when something was, and when it is asked to, it compares all contents.
//
//	DIGEST        the tree
//	agent-DIGEST  the agent
//	sum-DIGEST    the sum of what the file system says of the tree
//	used-DIGEST   its time is when the tree was used last
//
// Mounting the image instead takes rights that people do not have.
package tree
