package qemu

// Image is what a virtual machine is started from: files of a verified runtime
// pack. All paths are absolute.
type Image struct {
	Program  []string // argv prefix that runs QEMU: the program, or a loader with its options and the program
	Env      []string // whole environment of the process, e.g. LC_ALL=C
	DataDir  string   // firmware, for -L
	Arch     string   // of the guest: "x86_64" or "aarch64"
	Kernel   string   // uncompressed vmlinux (PVH) or bzImage
	Initrd   string
	RootFS   string  // read-only root image, raw
	Verity   *Verity // of RootFS; nil: it is not protected block by block
	AddOns   []Layer // further read-only images, in the order of their names
	WorkBase string  // empty ext4 as qcow2: backing file of every task's overlay
	Limits   Limits  // of its kernel and QEMU
	ID       string  // identity of the build, e.g. SHA-256 of the manifest, to key caches by
}

// Limits are what the kernel and the QEMU of an image cannot do, and those of
// others can.
type Limits struct {
	// OneEmulatedCPU: with a second processor QEMU aborts now and then in the slow
	// mode, so that machines there have one, whatever was asked for.
	OneEmulatedCPU bool

	// KeepsPrivateMemory: what a machine changed of a template's memory it keeps
	// until it ends.
	KeepsPrivateMemory bool

	// No9PDevice: QEMU has no device whose 9p comes to a socket (Spec.Folders), and the
	// guest's 9p client is not ready for one.
	No9PDevice bool
}

// Layer is the read-only image of an add-on, to be laid over the root image.
type Layer struct {
	Name   string // "media", "office"…
	File   string // absolute
	Verity *Verity
}

// Verity is what the guest's kernel needs to check an image block by block
// (dm-verity): the tree follows the data in the same file, blocks have 4096
// bytes. It comes out of a signed manifest.
type Verity struct {
	RootHash   string // SHA-256, hex
	Salt       string // hex
	DataBlocks int64
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
