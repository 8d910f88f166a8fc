//go:build !linux

package landlock

// Version is 0: only Linux has it.
func Version() int { return 0 }
