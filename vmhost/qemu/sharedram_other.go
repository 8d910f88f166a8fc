//go:build !linux

package qemu

import (
	"fmt"
	"os"
	"runtime"
)

// SharedRAM is memory that a device outside of QEMU can see too; there is none
// where no such device can be plugged (CanPlugFolders).
type SharedRAM struct{}

// NewSharedRAM returns ErrNoFolderDevice.
func NewSharedRAM(int) (*SharedRAM, error) {
	return nil, fmt.Errorf("%w: %s", ErrNoFolderDevice, runtime.GOOS)
}

// File returns nil.
func (*SharedRAM) File() *os.File { return nil }

// Close does nothing.
func (*SharedRAM) Close() error { return nil }

// Load returns ErrNoFolderDevice.
func (*SharedRAM) Load(string) (int64, error) {
	return 0, fmt.Errorf("%w: %s", ErrNoFolderDevice, runtime.GOOS)
}
