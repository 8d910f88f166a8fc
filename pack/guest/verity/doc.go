// Package verity opens read-only disks through the kernel's dm-verity target
// (Linux, Documentation/admin-guide/device-mapper/verity.rst): every block is
// checked against a hash tree when it is read, and the tree against a root hash
// that the host has from a signed manifest. Package pack/image/verity makes the
// trees.
//
// # Promises
//
// A block that is not as it was signed is given to nobody: the machine stops
// with a panic that names the disk (panic_on_corruption), and so it does when a
// block cannot be read at all (panic_on_error). vmhost/qemu knows the words. A
// disk that is too small for its tree cannot be opened ([ErrDamaged]).
//
// Devices are made with the ioctls of the device mapper (include/uapi/linux/
// dm-ioctl.h); nothing of udev or libdevmapper is needed in the guest. There is
// a library, anatol/devmapper.go: it brings more than these few calls, for
// targets that nobody has here, and is not looked after any more.
package verity
