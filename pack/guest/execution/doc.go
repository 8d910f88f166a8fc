// Package execution starts programs in the guest, bounds them and ends them.
//
// # Parties
//
// The [Engine] keeps sessions and executions by the ids of the host. A
// [Process] is one program with everything it starts. The launcher
// ([Launch]) is this same binary: it becomes the program.
//
// # How a program is started
//
// The agent forks the launcher into a new cgroup and a new session. The
// launcher gives up every privilege for good (uid, groups, capabilities,
// no_new_privs; operations keep one, see Program.Programs), and what no program needs:
// most of the kernel's rarer calls (seccomp, filter_linux.go), and all processes but
// its own (Landlock, apart_linux.go; not in named sessions). It sets resource limits,
// enters the directory and execs. Why not from the agent directly: while a Go program
// waits for an exec it cannot start another, and exec or chdir on a share may wait
// for a person; the launcher comes from memory and waits alone.
//
// # How it ends
//
//	by itself            what it left behind is killed, but for named sessions:
//	                     there it lives until the session is closed
//	limit or cancel      SIGTERM to its process group, after a grace SIGKILL to
//	                     its whole cgroup (cgroup.kill)
//	out of memory        the kernel kills the whole cgroup (memory.oom.group)
//
// An agent that is no machine's has cgroups where one was delegated to it ([DivideGroup]).
// Where none can be made (a nil [Group]) the program's
// session takes the place of its cgroup, and what left that ends with the place. Limits of
// memory, of processor time and of processes of a whole tree are then nobody's to enforce.
//
// # Output
//
// Output is handed on as it comes, in order within a stream. A receiver that
// does not take it holds the program on its pipe; nothing is buffered beyond
// that pipe and one chunk per stream. A [Process] is done after its last output was taken.
// What it left behind and keeps its output open holds it up for seconds at most.
//
// # A program that stands by
//
// A [Standby] keeps one started process of a program waiting. It reads everything that
// it has to do from its standard input, for example the parameters of an operation.
//
// # Why not a library
//
// containerd/cgroups (v3.1.3) was built: 6.7 MB and 48 packages more (eBPF, D-Bus, logrus) in an initramfs
// that each boot unpacks.
//
// # Orphans
//
// As PID 1 the agent inherits every orphan. [Children] tells them from the
// processes that somebody here waits for, and reaps only the orphans.
package execution
