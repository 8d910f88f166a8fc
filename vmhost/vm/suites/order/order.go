// Package order is what a test says to the guest of vmhost/vm/suites, and what
// that answers.
package order

import "time"

const (
	// Port is the guest's port for orders.
	Port = "suites"
	// RawPort is the guest's port to the file server, where no kernel is in between.
	RawPort = "raw9p"
	// User is who programs run as.
	User = 1000

	// Programs is where the programs and scripts lie that came with the guest.
	Programs = "/run/suites"

	// Secret is in files that no guest may read.
	Secret = "SECRET-that-no-guest-reads"
)

// Kinds of orders.
const (
	Run     = "run"
	MountFS = "mount-virtiofs"
	MountV9 = "mount-virtio9p"
	Unmount = "unmount"
	Clock   = "clock"
)

// Order is one request.
type Order struct {
	Do    string
	Limit time.Duration
	Tag   string // of the device, for MountFS and MountV9
	Time  int64  // nanoseconds since 1970, for Clock

	// Of Run. Without Bare the program runs in the root file system of the disk.
	Argv []string
	Env  []string
	Dir  string
	Root bool // as root instead of User
	Bare bool
}

// Result is its answer. Out is the end of what the program said.
type Result struct {
	Error   string
	Exit    int
	Limited bool // it took longer than it may
	Out     []byte
}

// MaxOut bounds Out, in bytes.
const MaxOut = 8 << 20
