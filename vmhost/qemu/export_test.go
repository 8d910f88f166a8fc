package qemu

import (
	"context"
	"time"
)

// WithPatience returns o with other limits, for tests that wait for them.
func WithPatience(o ProveOptions, slow, floor, stall time.Duration) ProveOptions {
	o.patience = &patience{slow: slow, floor: floor, stall: stall}
	return o
}

// WithBootID makes c believe in a boot of the computer.
func WithBootID(c *ProofCache, id func() (string, error)) { c.bootID = id }

// WithFreeSpace makes a machine believe in a disk of this computer.
func WithFreeSpace(o StartOptions, free func() (uint64, error)) StartOptions {
	o.freeSpace = func(context.Context, string) (uint64, error) { return free() }
	return o
}

// SealState makes a file with a state one of s.
func SealState(path string, s Spec) error { return sealState(path, stateOf(s)) }
