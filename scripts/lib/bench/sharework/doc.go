// Package sharework is the work by which ./scripts/bench share measures a shared
// folder, and the words in which the bench tells its guest to do it. The guest is
// scripts/lib/bench/shareguest.
//
// Every work is done by ordinary system calls, as programs do them: what a person
// waits for is measured, not a server. The guest's caches are dropped before each.
package sharework

import "time"

// Order is what the guest is told: one line of JSON.
type Order struct {
	Do   string   `json:"do"`             // a name in Works, or one of the guest's own
	Dir  string   `json:"dir"`            // where
	Size int64    `json:"size,omitempty"` // of a large file, bytes
	N    int      `json:"n,omitempty"`    // how many
	Argv []string `json:"argv,omitempty"`
}

// Answer is what it says: one line of JSON.
type Answer struct {
	Took  time.Duration `json:"took"`
	Text  string        `json:"text,omitempty"`
	Error string        `json:"error,omitempty"`
}

// Names of the port and of tags of file devices.
const (
	PortOrders = "bench.orders"
	TagOurs    = "ours"
	TagDevice  = "device"
	TagTheirs  = "theirs"
	TagDaemon  = "daemon"
)

// Disks of the guest.
const (
	RootDisk = "/dev/vda" // the pack's programs
	OwnDisk  = "/dev/vdb" // room of its own, as a task has it
)
