// Package virtiofs serves a share.Set to a Linux guest as virtio-fs: FUSE
// requests in rings in the guest's memory, with QEMU out of the way of the data
// (Virtio 1.2 §5.11, include/uapi/linux/fuse.h). It is the fast front end, for
// Linux hosts; vmhost/share/ninep is the one that works everywhere, and both give
// the same answers (vmhost/share/conformance).
//
// # Parties
//
//	vhostuser/        takes requests out of the rings, whatever is in them
//	serve_linux.go    a device for one machine at a time
//	session_linux.go  one mount: copies a request before it is looked at
//	nodes_linux.go    what the guest's kernel knows by number
//	handles_linux.go  what it has open
//	tree_linux.go     names: FUSE calls as calls of share.Tree
//	file_linux.go     content: FUSE calls as calls of share.File
//	xattr_linux.go    extended attributes
//	attr_linux.go     attributes, and what may be cached
//
// The form of requests and replies is go-fuse's (fuse.NewProtocolServer); its
// table of nodes is not used, because it takes a guest's numbers for its own and
// panics on others.
//
// # Promises
//
//   - A node is a name in a folder, and no more: share.Tree resolves the path,
//     and no answer comes from outside of the folders.
//   - A guest holds at most [MaxNodes] nodes, as many open files as
//     share.Options say, and as many requests as its rings have entries, of some
//     80 KB each. Names, numbers and lengths are looked at in a copy that the
//     guest cannot change; only the content of files goes to and from its memory
//     directly.
//   - A fault of this program in a request is answered with EIO and logged. Any
//     other fault, and a guest that breaks its rings, ends [Serve] with an error:
//     the machine must be ended then, this program goes on.
//   - The server lives longer than the machine: a guest whose device dies waits
//     for it for ever. Serve is ended after the machine was.
//   - No interrupt reaches the server from this device. What waits for a person
//     waits until that is answered or the mount ends, under no lock that other
//     requests need; the machine may be paused meanwhile.
//
// # What a guest may cache
//
// There is no way to tell a guest that something changed. Therefore:
//
//	folder              names   attributes   no such name   content
//	that may change     never   one tick     never          never
//	read-only           1 s     1 s          1 s            never
//	the virtual root    1 s     1 s          never          -
//
// A folder that the guest may change is one that the person works in too: what
// they do is seen with the next call. As a name is asked for each time, and the
// answer brings the attributes, a path always shows what is there now; only of a
// file that is open the size and times may be as old as a tick of the guest's
// clock, some milliseconds. A read-only folder is looked through, and
// nobody waits there for what somebody just saved: names and attributes may be
// one second old, content never is. In the virtual root the names of folders are
// kept for a second: one that is not shared any more says ESTALE by itself.
// Files are read past the guest's page cache (FOPEN_DIRECT_IO) and may yet be
// mapped (CAP_DIRECT_IO_ALLOW_MMAP, Linux 6.6); nothing is written back later.
//
// Extended attributes are those of programs ("user."). A file without a name
// (O_TMPFILE) is in no record until it gets one. What is not there at all is said
// with ENOSYS, so that it is asked for once.
//
// Hard links of a file are nodes of their own with one inode number, and locks,
// which the guest's kernel settles, are of a name. One node for all of them would
// have to keep a path that is still the file's while a person renames and removes
// its names on the host, and would answer with the wrong one when it is not; as
// content is not cached, two nodes of one file never disagree about it, but for
// those that both map it.
package virtiofs

import "errors"

// ErrUnsupported says that this system has no virtio-fs: use vmhost/share/ninep.
var ErrUnsupported = errors.ErrUnsupported

// MaxNodes is how many names a guest's kernel may know at a time.
const MaxNodes = 1 << 19

// Queues is the number of rings of the device: one for what is urgent and one
// for requests, as vhost-user-fs-pci has them by itself (num-request-queues=1).
const Queues = 2
