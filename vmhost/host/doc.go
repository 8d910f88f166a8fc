// Package host is the runtime that runs a task's programs on this computer itself, as its
// person, with nothing that keeps them in (Linux): for a computer that has no machine, no
// sandbox and no container, once a person allowed it.
//
// # Parties
//
// [New] returns a vmhost/hosted runtime. Its place is the agent (piwork-guest serve) as an
// ordinary program, kept by another (piwork-guest kept) that ends everything it started.
// The programs are those of the runtime pack, in an environment of their own
// (vmhost/sandbox/tree), never those of the computer: PATH, variables and interpreters
// lead there. The folders come from the same file server as those of a machine, mounted on
// this computer (vmhost/hosted/folders): so what a task changes in them is in the journal,
// and can be undone.
//
// # Where things are
//
// Without a mount namespace there is no /folders and no /work. They are in [Config.Dir]:
//
//	work     /work, where programs start; PIWORK_FOLDERS names the next
//	folders  /folders, the mount
//	state    /state, a link into it
//	tmp, home
//
// Paths of actions and of what comes of them keep their names: this package puts one in the
// place of the other ([paths]). An argument of a program is such a path when it begins like
// one; what is written in a script is not looked at.
//
// # What it does not promise
//
// Isolation: none. A program is the person. It reads what they can read, reaches what listens
// on a file (Docker, an agent of SSH), ends their other programs, and takes memory, disk and
// processor without a bound. That such a kind is used takes a person who switched it on.
//
// # Promises
//
//   - Root is refused (vmhost.ReasonHostRoot).
//   - No variable of the person's environment is inherited: none of SSH_AUTH_SOCK,
//     DOCKER_HOST, LD_PRELOAD, keys and tokens.
//   - Programs have no socket of a network: the filter of pack/guest/execution. They gain no
//     rights, and trace no process. They can have about 2,000 processes more than there are.
//   - Where the kernel has Landlock (5.13 and later, usually), they change the content of files
//     only in [Config.Dir], the folders and /dev/shm (and of devices, such as terminals; before
//     Linux 6.2 they cut no file by its name, before 5.19 they move none to another directory,
//     not even there), and start only programs that are there or in the environment. Two are the
//     computer's, as with Nix and Guix: /bin/sh and /usr/bin/env, whose paths are in programs and
//     scripts. Rights and times of the person's files it leaves open.
//     Before 5.19 there are no operations here, and so no chores: they move files, and start
//     programs on files of strangers.
//   - Where folders can't be mounted, Connect refuses them: what was done could not be undone.
//   - Connect refuses networks other than none, and limits of memory, processor and disk.
//   - After Close, and after this program was killed, no process is left; files are then
//     removed by the next place in the same directory. Before Linux 6.12 a program can get
//     around that: it kills the keeper and clears its environment, or stops the keeper before
//     this program is killed. Files that programs leave in /dev/shm (Python's multiprocessing and
//     Chromium need it) stay until the computer restarts: nothing says which of the person's
//     files there a task made.
package host
