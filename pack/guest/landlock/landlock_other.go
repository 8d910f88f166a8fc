//go:build !linux

package landlock

// Kernel is 0: only Linux has it.
func Kernel() int { return 0 }
