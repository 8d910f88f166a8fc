package qemu

// Image is what a virtual machine is started from: files of a verified runtime
// pack. All paths are absolute.
type Image struct {
	Program  []string // argv prefix that runs QEMU: the program, or a loader with its options and the program
	Env      []string // whole environment of the process, e.g. QEMU_MODULE_DIR=…
	DataDir  string   // firmware, for -L
	Arch     string   // of the guest: "x86_64" or "aarch64"
	Kernel   string   // uncompressed vmlinux (PVH) or bzImage
	Initrd   string
	RootFS   string // read-only root image, raw
	WorkBase string // empty ext4 as qcow2: backing file of every task's overlay
	ID       string // identity of the build, e.g. SHA-256 of the manifest, to key caches by
}

// Accel is an accelerator of QEMU.
type Accel string

// Accelerators. TCG is emulation: the slow mode.
const (
	AccelKVM  Accel = "kvm"
	AccelHVF  Accel = "hvf"
	AccelWHPX Accel = "whpx"
	AccelTCG  Accel = "tcg"
)
