// Package ninep serves a share.Set as 9P2000.L, the dialect of the Linux
// kernel's client (https://github.com/chaos/diod/blob/master/protocol.md).
//
// # Parties
//
// The guest is hostile. It speaks frames over one stream, the port
// wire.PortFS. [Serve] cuts the stream into frames (frame.go), the p9 library
// decodes them and keeps fids, and nodes (node.go) answer with what the set's
// folders hold. Every change goes through the folder's journal.
//
// # Promises
//
//   - A node is a folder and a path in it; the path is made of single names
//     that at.CheckName accepted, so no answer comes from outside.
//   - A read-only folder refuses every changing call with EROFS before it
//     reaches the host.
//   - Frames, open files and nodes are bounded; a frame over the limit ends
//     the connection, one node too many is ENFILE.
//   - Every file belongs to the guest's user ([GuestID]), whoever owns it on
//     the host. Devices, FIFOs and sockets are seen and cannot be opened.
//   - A new Tversion starts from nothing, as a guest that mounts again
//     expects.
package ninep
