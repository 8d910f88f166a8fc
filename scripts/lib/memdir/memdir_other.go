//go:build !linux

package memdir

func inMemory() string { return "" }
