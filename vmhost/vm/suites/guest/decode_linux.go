//go:build vm || long

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Of a PCI device's configuration (PCI Local Bus Specification 3.0, 6.2.2).
const (
	pciCommand       = 4 // where it is
	pciCommandMemory = 2 // the device answers at its addresses
)

// decode lets the device with the folders come to its place in the machine's memory
// and leave it, again and again, as a kernel does when it looks for devices, while
// the other processor writes to its interrupt controller all the time. Its arguments
// are how long.
func decode(args []string) int {
	d, err := time.ParseDuration(args[0])
	if err == nil {
		err = decodeFor(d)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "decode:", err)
		return 1
	}
	return 0
}

func decodeFor(d time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	config, err := foldersConfig(ctx)
	if err != nil {
		return err
	}
	defer config.Close()
	command := make([]byte, 2)
	if _, err := config.ReadAt(command, pciCommand); err != nil {
		return err
	}
	busy := make(chan error, 1)
	go func() {
		busy <- on(1, func() error {
			for ctx.Err() == nil {
				// Each end of it is an interrupt, and a new time for the next one.
				_ = unix.Nanosleep(&unix.Timespec{Nsec: 1000}, nil)
			}
			return nil
		})
	}()
	times := 0
	err = on(0, func() error {
		for ; ctx.Err() == nil; times++ {
			for _, b := range []byte{command[0] &^ pciCommandMemory, command[0] | pciCommandMemory} {
				if _, err := config.WriteAt([]byte{b, command[1]}, pciCommand); err != nil {
					return err
				}
			}
		}
		return nil
	})
	cancel()
	fmt.Fprintln(os.Stdout, times)
	return errors.Join(err, <-busy)
}

// on runs f on one processor.
func on(processor int, f func() error) error {
	runtime.LockOSThread() // and never unlocked: no other goroutine is to be held there
	var set unix.CPUSet
	set.Set(processor)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("processor %d: %w", processor, err)
	}
	return f()
}

// foldersConfig is the configuration of the device with the folders, when it is there.
func foldersConfig(ctx context.Context) (*os.File, error) {
	for ; ctx.Err() == nil; <-time.After(5 * time.Millisecond) {
		files, err := filepath.Glob("/sys/bus/pci/devices/*/device")
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			id, err := os.ReadFile(f)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
			if strings.TrimSpace(string(id)) == "0x105a" { // Virtio 1.2, 4.1.2.1 and 5.11
				return os.OpenFile(filepath.Join(filepath.Dir(f), "config"), os.O_RDWR, 0)
			}
		}
	}
	return nil, errors.New("there is no device with folders")
}
