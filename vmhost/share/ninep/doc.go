// Package ninep serves a share.Set as 9P2000.L, the dialect of the Linux
// kernel's client (https://github.com/chaos/diod/blob/master/protocol.md).
//
// # Parties
//
// The guest is hostile. It speaks frames over one stream, that of a device
// (vmhost/qemu, Spec.Folders), where QEMU has looked at size and tag of each
// already. Between it and the folders stand
//
//	frame.go    cuts the stream into frames, and refuses what is none
//	message.go  knows the form of every message, and refuses what lacks it
//	traffic.go  bounds what is under way at once, and answers Tflush
//	fid.go      what the guest holds, and where it is after a rename
//	handle….go  answers, by calls of share.Tree and share.File
//
// A request is dealt with where it is read when no other is there yet
// (vmhost/share/internal/lead).
//
// Why not the server of hugelgupf/p9, whose client and error numbers are used
// here: a guest could end this program with it (its connections end in a
// WaitGroup that is added to and waited for at once, which panics), it remembers
// every name for as long as a mount lives, a request that waits holds up all
// others once something is renamed, and extended attributes, d_type, truncating
// an unlinked file and Tgetlock are answered wrongly. Its client is the foreign
// implementation that the tests hold this one to.
//
// # Promises
//
//   - A fid is a folder and a path in it, built of single names by share.Join;
//     share.Tree resolves it. No answer comes from outside of the folders.
//   - Every reply bears the tag of its request, and an error number of Linux,
//     whatever the host is.
//   - A guest holds at most [MaxFids] fids, has at most [MaxInFlight] requests
//     under way and 1,024 that wait for a person, and sends frames of at most
//     [MaxMessage] bytes. More is refused (EMFILE) or waits; what is no 9P ends the
//     connection ([ProtocolError]).
//   - A fid goes on when its name is renamed or removed, as a descriptor does.
//   - A new Tversion starts from nothing, as a guest that mounts again expects;
//     replies of what was under way before are dropped.
//   - A fault of this program in a request is answered with EIO and logged; it
//     takes nothing else with it.
//
// # What a guest may cache
//
// A guest cannot be told that something changed. It mounts with cache=mmap, without which no
// file could be mapped for writing (pack/guest/agent, MountDevice), and no file's qid has a
// version, which Linux takes as "read and write here each time":
//
//	                  names         attributes  no such name  content  mapped
//	every folder      while in use  never       never         never    while in use
//	the virtual root  while in use  never       never         -        -
//
// In use is what something in the guest has open or mapped, or works in or below. The person's
// changes do not show in pages that are mapped; what a program writes there is on the host
// after msync or munmap.
//
// Each write through a fid that was opened with O_APPEND goes to the end that the host finds
// (share.File.Append), whatever offset the guest's kernel gives it: one request stays whole, a longer write
// may have what others append between two requests. A later fcntl(2) is not told, and neither is which
// fid Linux takes for what a program wrote into a mapping: what is mapped for writing while
// somebody has it open for appending may be appended.
//
// TestNothingIsCached holds the version; TestClient (vmhost/vm/suites), from a real guest,
// that either side has what the other one wrote.
package ninep
