// Package guest is what runs inside the virtual machine: two static programs.
// cmd/piwork-guest is the initramfs, which the boot reads and unpacks as a whole,
// so it is kept small. cmd/piwork-operate is in the root image.
//
// # Parties
//
// The first program decides by its process id and first argument who it is (main_linux.go
// has them all):
//
//	PID 1    init and agent: mounts, RPC server (packages boot, agent)
//	launch   becomes a program: drops privileges, sets limits, execs (package execution)
//	bridge   joins local connections to the host's gateway (package bridge)
//	serve    the agent without a machine, as in a sandbox
//	remote   a place on another computer (package remote)
//	copy     moves files of folders that are copies (package copied)
//
// The second carries out one typed operation as an ordinary user (package
// operate), by an order of the agent (package order).
//
// The host is trusted by the guest; the programs that the guest runs are
// trusted by nobody: they are uid 1000, cannot gain privileges, and live in a
// cgroup of their own that can be killed as a whole. A program reaches no process but
// those that it started (in a named session, those of its user), and few calls of the kernel
// (package execution); what operations start is uid 1001 and reaches no files but its copies
// either (package operate).
// There are no namespaces of users and no io_uring. Without a network the machine has no
// card, so that no datagram leaves it.
//
// # Life
//
//	booted    the root image is open; guest.hello is answered
//	warmed    guest.warm: the root stands, what every task reads is in
//	          memory. Here a machine is saved, or waits
//	prepared  guest.prepare: time, randomness, ids, names, add-ons, folders
//	joined    guest.gateway, guest.network: what the host plugged for this task
//
// Each step does what the one before did not, so a booted machine becomes the
// same as a restored one. What is left after a restore is kept short: nothing is
// started, few files are opened, no type is looked at for the first time.
//
// Copies of one template share the memory layout and the seeds of hash tables of what
// runs in it already: the kernel, this program and one piwork-operate that waits.
// Nothing that a task's programs draw is shared: each is started in the copy (see Names
// in package machine for ids).
//
// # Invariants
//
//   - The agent never touches a shared folder itself. A call there may wait for
//     a person on the host, so it is made by a process that can be killed. (It
//     mounts the state, about which nobody is asked.)
//   - The agent never exits. A host that goes away is waited for; what it
//     started goes on within its limits and can be asked for again by id.
//   - The agent, which may do everything, never works in a directory that programs
//     own: what is to be done there, a process of their user does.
//   - The only programs that the agent itself starts are itself in another part,
//     from the initramfs: starting one never waits for a disk or a share.
//   - Nothing has to be configured in the guest: everything comes from the
//     kernel command line, the initramfs and the host's calls.
package guest
