// Package container is the runtime that runs a task's programs in a container of Docker or
// Podman on this computer (Linux), over the unpacked tree of the runtime pack.
//
// # Parties
//
// [New] returns a vmhost/hosted runtime. Its place is one container with the agent
// (piwork-guest serve) as its first process; the conversation is on the container's
// standard input and output, attached over the engine's socket. The image is made of the
// tree and the agent, without a registry. It is found again by the ID that the engine
// answered with, which is noted on this computer (Config.Imports) and named whenever a
// container is made: its labels only say what may be removed.
// The folders come from the same file server as those of a machine: they are mounted on
// this computer (FUSE), on a directory that nobody else enters and of which the container's
// /folders is a slave. They are mounted once the container runs: the kernel shows them only
// to the person who mounted them, and its programs are that person, but an engine without
// the rights of root makes a container as another user. Then the kernel is asked what the
// container has mounted. This package knows nothing of files; its maker serves the device
// (Config.ServeFUSE).
//
// The engine is that of DOCKER_HOST where it is set; else the first that listens and can do
// what is asked, of Podman and Docker without the rights of root, then with them; where one
// without them listens and does not answer, none with them takes its place. It is asked with
// moby's client (18 modules, 1.1 MB), but for its reader of output, whose memory has no bound.
//
// # What keeps programs in
//
//	namespaces   process, mount, IPC, host name; network: only loopback, with a proxy of this
//	             program on it where the task has a network (Config.Door); user where the
//	             engine has no rights of root
//	files        the image, read-only; /work, /tmp, the home and /dev/shm, in memory, with a
//	             size; the folders; the same by Landlock where kernel (5.19) and engine let it
//	rights       none: no capabilities, no new privileges, one user who is not root
//	calls        the filter of the engine, confirmed by the kernel of this computer where that
//	             is the engine's; and that of pack/guest/execution
//	processes    a bound of their number, by the engine or by the agent; of memory and
//	             processors where the engine can: not without the rights of root under
//	             control groups of version 1, whatever Podman says
//
// # Life
//
//	engine → leftovers go → image, made → attached → started → folders mounted
//
// # Promises
//
//   - Connect refuses what cannot be enforced: a network that nobody judges, limits of a single
//     program's memory and processor time, an engine without a filter of system calls
//     or a bound of processes, or a size that a task asks for (Size.Must).
//   - An engine that is missing, or no longer answers as one, is a failure with a reason of its
//     own (ReasonEngineMissing, ReasonEngineLost). Its answers are bounded, in bytes and time.
//   - After Close no container, volume, mount or directory is left; the image is, for the next
//     one ([RemoveStored]). When this program is killed, or the engine, the container ends with
//     its input; what is left of it, and mounts, go with the next container of the same owner.
//
// # What it does not promise
//
// The kernel of this computer is all that stands between programs and the person, and a
// fault in an engine with the rights of root gives those. Folders need FUSE: as root, or by
// fusermount3, and mounts that spread (mount --make-rshared /, as systemd has it). Where an
// engine shows its containers nothing of that (Docker without root or with userns-remap, SELinux,
// an engine in a machine), they work on copies in memory (Config.Copy), or are refused.
package container
