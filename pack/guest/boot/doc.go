// Package boot is what the agent does as init between the kernel and the first
// program: file systems, the root, loopback.
//
// # Stages
//
// [Early] makes the agent reachable: kernel file systems, the console, the modules
// of its port. [LoadModules] then loads the other modules, and has the kernel refuse
// any more; piwork's own kernel has none. [Settle] makes settings of the kernel and
// loopback. [OpenBase] opens the root image, while the
// port already answers. [Root.Assemble] mounts the task's disk and the add-ons, merges
// everything and moves the agent and what it started into the result. guest.warm
// has that done without add-ons, before a machine is saved; a task that has some,
// plugged in a moment ago perhaps, has it done again over them.
//
//	/dev/vda   root image, erofs, read-only (piwork.root=)     lowest
//	by serial  images of add-ons, erofs, read-only             above it
//	/dev/vdb   ext4 of this task (piwork.work=), else memory   upper, /work
//	overlay    of all                                          /
//
// Images are read through dm-verity (package verity) when the host says what
// they must be: the root image by piwork.verity=, add-ons in guest.prepare. An
// image that is not as it was signed ends the machine ([verity.ErrDamaged] for
// what is seen when it is opened, a panic for what is seen later).
//
// Without piwork.root= the agent stays in the initramfs: that is a proof boot,
// which only shows that this machine can run this kernel.
//
// # Promises
//
// No step waits by polling: devices that are not there yet are waited for by
// the kernel's own events. A step that fails without being fatal is kept in
// [Log] and told to the host in wire.Hello.
package boot
