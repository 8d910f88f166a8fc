// Package lock is the exclusive right of one controller to a data directory, and how
// others find the one that has it.
//
// A controller starts on a full disk, too, so that a person can clean up with it: one that
// started while there was room left [ReserveFile], and the next gives that up where it is needed.
package lock

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"piwork/app/capacity"
	"piwork/pack/durable"
)

// Names in the data directory.
const (
	File       = "controller.lock" // held while a controller lives
	HolderFile = "controller.json" // who holds it; beside the lock, which Windows lets nobody read

	// ReserveFile takes room that a controller has when it starts on a full disk.
	ReserveFile = "controller.reserve"
)

const (
	reserveMB   = 1  // for the records of a clean-up and of an undo
	reserveFrom = 32 // MiB that are free: with less the reserve would be in a person's way
)

// HeldError says that another controller has the data directory: be its
// client.
type HeldError struct {
	PID    int    // of its process, 0 when it did not say
	Socket string // where it answers, "" when it did not say
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("the data directory is in use by process %d", e.PID)
}

// Holder is the content of HolderFile.
type Holder struct {
	PID     int       `json:"pid"`
	Socket  string    `json:"socket"`
	Version string    `json:"version"`
	Since   time.Time `json:"since"`
}

// Lock is the exclusive right to a data directory. It ends with the process,
// however that ends.
type Lock struct {
	dir string
	f   *flock.Flock
}

// Acquire takes the lock of dir, or returns a *HeldError.
func Acquire(ctx context.Context, dir string) (*Lock, error) {
	f := flock.New(filepath.Join(dir, File), flock.SetPermissions(0o600))
	ok, err := f.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock the data directory %s: %w", dir, err)
	}
	if !ok {
		return nil, lockedBy(ctx, dir)
	}
	l := &Lock{dir: dir, f: f}
	l.reserve(ctx)
	return l, nil
}

// reserve takes room on the disk for a later start, or gives it to this one. Without it a
// controller works all the same, as long as the disk is not full.
func (l *Lock) reserve(ctx context.Context) {
	file := filepath.Join(l.dir, ReserveFile)
	free, err := capacity.DiskFree(ctx, l.dir)
	if err == nil && free < reserveMB {
		_ = os.Remove(file)
	}
	if info, serr := os.Lstat(file); err != nil || free < reserveFrom || serr == nil && info.Size() == reserveMB<<20 {
		return
	}
	data := make([]byte, reserveMB<<20)
	_, _ = rand.Read(data) // a disk that compresses would keep nothing of zeros
	_ = os.WriteFile(file, data, 0o600)
}

// Announce says to others who holds the lock.
func (l *Lock) Announce(h Holder) error {
	data, err := json.Marshal(h)
	if err != nil {
		return err
	}
	write := func() error { return durable.ReplaceFile(filepath.Join(l.dir, HolderFile), append(data, '\n')) }
	err = write()
	if durable.IsFull(err) && os.Remove(filepath.Join(l.dir, ReserveFile)) == nil { // a quota: the disk has room
		err = write()
	}
	if err != nil {
		return fmt.Errorf("say who holds the data directory: %w", err)
	}
	return nil
}

// lockedBy reads who holds the lock. A holder that only just took it has not
// said so yet: it gets a moment.
func lockedBy(ctx context.Context, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	again := time.NewTicker(lockPatience / 20)
	defer again.Stop()
	for {
		var h Holder
		data, err := durable.ReadFile(filepath.Join(dir, HolderFile))
		if err == nil && json.Unmarshal(data, &h) == nil {
			return &HeldError{PID: h.PID, Socket: h.Socket}
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return &HeldError{}
		}
	}
}

// Release gives the directory back.
func (l *Lock) Release() error {
	err := os.Remove(filepath.Join(l.dir, HolderFile))
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, l.f.Close())
}

// InUse reports whether a controller has a directory of data.
func InUse(dir string) bool {
	file := filepath.Join(dir, File)
	if _, err := os.Lstat(file); err != nil {
		return false
	}
	f := flock.New(file)
	ok, err := f.TryLock()
	if !ok || err != nil {
		return true
	}
	return f.Close() != nil
}

const lockPatience = time.Second // for the holder of the lock to say who it is
