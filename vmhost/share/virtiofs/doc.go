// Package virtiofs serves a share.Set to a Linux guest as virtio-fs: FUSE requests in
// rings in the guest's memory, past QEMU (Virtio 1.2 §5.11, include/uapi/linux/fuse.h).
// It is the fast front end, for Linux hosts, and the only one of a stock pack. Over QEMU of our
// own, vmhost/share/ninep gives the same answers on every system (vmhost/share/conformance).
//
// # Parties
//
//	vhostuser/        takes requests out of the rings, whatever is in them
//	serve_linux.go    a device for one machine at a time
//	session_linux.go  one mount: copies a request, then checks it
//	nodes_linux.go    what the guest's kernel knows by number
//	handles_linux.go  what it has open
//	tree_linux.go     names: FUSE calls as calls of share.Tree
//	file_linux.go     content: FUSE calls as calls of share.File
//	xattr_linux.go    extended attributes
//	attr_linux.go     attributes, and what may be cached
//	fuse_linux.go     the same to this computer's own kernel, over /dev/fuse
//
// go-fuse gives requests and replies their form (fuse.NewProtocolServer). Its table of
// nodes is not used: it takes a guest's numbers for its own and panics on others.
//
// # Promises
//
//   - A node is a name in a folder. share.Tree resolves its path; no answer comes from
//     outside of the folders.
//   - A guest holds at most [MaxNodes] nodes, as many open files as share.Options say,
//     and as many requests (of some 80 KB) as its rings have entries. Names, numbers and
//     lengths are checked in a copy that the guest cannot change.
//   - A fault of this program in a request is answered with EIO and logged. Another
//     fault, or broken rings, end [Serve] with an error: then the machine must be ended.
//   - Serve outlives the machine: a guest whose device dies waits for it for ever.
//   - A request that waits for a person holds no lock that others need, and waits until
//     the answer or the end of the mount.
//
// # What a guest may cache
//
// A guest cannot be told that something changed. Therefore:
//
//	folder              names   attributes   no such name   content
//	that may change     never   one tick     never          never
//	- its directories   20 ms   20 ms        never          never
//	read-only           1 s     1 s          1 s            never
//	the virtual root    1 s     1 s          never          -
//
// The person works in a folder that the guest may change: each path to a file shows what
// is there now. Of a directory that the person changed, moved, removed or replaced, stat(2),
// access(2) and chdir(2) may say for 20 ms and a tick of the guest's clock what it was, and
// open(2) or unlink(2) of a file in its place may fail with EISDIR; the source of rename(2) is as
// late. What is in it is asked for by its path each time; where there is no directory any more,
// ESTALE has the guest's kernel begin the path anew, and is what a process hears whose working
// directory a file or a link replaced. A program that does lstat(dir), then unlink(dir/x), follows
// a link put there within these 20 ms, inside what the guest may change. Without that, half of
// what git status asks would be directories on the way to files. What the guest itself does, its
// kernel knows, but on FAT, NTFS or with casefold, where Dir and dir are two entries to it, and
// one may be 20 ms late.
//
// Files are read past the guest's page cache (FOPEN_DIRECT_IO) and may be mapped
// (CAP_DIRECT_IO_ALLOW_MMAP, Linux 6.6). A write with O_APPEND, which Linux says with each request, goes to
// the end that the host finds (share.File.Append): one request, of up to 1 MiB, stays whole; between
// those of a longer write may be what others append. RWF_APPEND of pwritev2(2) is not told. Hard links of a file are nodes of their own with
// one inode number: one node would need a path that stays right while the person renames
// and removes names. Missing calls answer ENOSYS, so that they are asked for once.
package virtiofs

import "errors"

// ErrUnsupported says that this system has no virtio-fs: use vmhost/share/ninep.
var ErrUnsupported = errors.ErrUnsupported

// MaxNodes is how many names a guest's kernel may know at a time.
const MaxNodes = 1 << 19

// Queues is the number of rings of the device: one for what is urgent and one
// for requests, as vhost-user-fs-pci has them by itself (num-request-queues=1).
const Queues = 2
