package qemu

import "time"

// WithPatience returns o with other limits, for tests that wait for them.
func WithPatience(o ProveOptions, slow, floor, stall time.Duration) ProveOptions {
	o.patience = &patience{slow: slow, floor: floor, stall: stall}
	return o
}

// WithBootID makes c believe in a boot of the computer.
func WithBootID(c *ProofCache, id func() (string, error)) { c.bootID = id }

// CheckState is what Restore asks of a state of s.
func CheckState(path string, s Spec) error { return checkState(path, stateOf(s)) }
