// Package boot is what the agent does as init between the kernel and the
// first program: file systems, kernel modules, the root, loopback, and at the
// end power off.
//
// # Stages
//
// [Early] makes the agent reachable: kernel file systems and the modules that
// the RPC port needs. [Root] then mounts the merged root and moves the whole
// process into it, while the port already answers.
//
//	/dev/vda  read-only root image, squashfs or erofs (piwork.root=)   lower
//	/dev/vdb  ext4 of this task (piwork.work=)                         upper, /work
//	overlay of both                                                    /
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
