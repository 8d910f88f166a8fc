// Package sandbox is the runtime that runs a task's programs without a machine, kept in by
// this computer's kernel (Linux): bubblewrap over the unpacked tree of the runtime pack.
//
// # Parties
//
// [New] returns a vmhost/hosted runtime. Its place is one bubblewrap with the agent
// (piwork-guest serve) as its first process. The folders come from the same file server as
// those of a machine (vmhost/share with its journal and guards): the kernel asks it over
// FUSE. This package knows nothing of files; its maker serves the device
// ([Config].ServeFUSE, share/virtiofs.ServeFUSE). vmhost/sandbox/tree unpacks the tree.
//
// # What keeps programs in
//
//	namespaces   user, process, mount, IPC, host name; of cgroups where there are no
//	             [Groups]; network: only loopback, with a proxy of this program on it where
//	             the task has a network ([Config].Door)
//	files        the pack's tree, read-only; /work, /tmp, the home and the folders; nothing
//	             else of this computer is there. Landlock, set by the agent, says so again
//	             where the kernel has it (5.19 and later).
//	rights       none: no capabilities, no new privileges, one user
//	calls        the filter of pack/guest/execution
//	space        1 GiB in memory for each of /tmp, /dev/shm and the home, or an eighth of the
//	             memory; /work is on the disk of this computer: a sandbox ends before that
//	             is full. With a limit of disk space (Limits.DiskMB) /work is in memory, too,
//	             and all four have the limit together, or a quarter of the memory.
//	processes    a bound of their number (without [Groups], for all but root); a program's
//	             own end with it, or with the place
//	memory, time only in a cgroup: where the person's systemd delegates one ([Groups])
//
// The folders are mounted in a mount namespace of this sandbox alone, by a process that
// then becomes bubblewrap: nobody else sees the mount, and it goes with the last process,
// however this program ends.
//
// # Promises
//
//   - Connect refuses what cannot be enforced here: a network that nobody judges and, where there
//     are no cgroups, limits of memory and processor time.
//   - Where bubblewrap is missing, or the system gives people no user namespaces, Connect fails
//     with a reason of its own (vmhost.ReasonSandboxMissing, ReasonSandboxDenied or the setting
//     that is the cause). Where folders cannot be served, it is a vmhost.UnsupportedError.
//   - After Close no process, mount or scratch file is left; nor is a process or mount
//     after this program was killed. Scratch files are then removed by the next sandbox in
//     the same directory.
//   - There is no weaker sandbox under this name: none of Landlock alone (arguments says why),
//     and none on other systems, for which the pack has no programs ([ErrSystem]).
//
// # What it does not promise
//
// The kernel of this computer is all that stands between programs and the person: a fault
// in it is a way out, unlike in a machine. Programs share the processor and the memory with
// everything else. A program may end the agent by a signal that no process can be spared;
// that ends its own sandbox. Programs can read in /proc/self/mountinfo where their mounts come
// from: the path of this program's data directory, and of its cache. They cannot reach them.
package sandbox
