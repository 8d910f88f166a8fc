package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"piwork/app/durable"
)

const (
	lockFile   = "controller.lock" // held while a controller lives
	holderFile = "controller.json" // who holds it; beside the lock, which Windows lets nobody read
)

// LockedError says that another controller has the data directory: be its
// client.
type LockedError struct {
	PID    int    // of its process, 0 when it did not say
	Socket string // where it answers, "" when it did not say
}

func (e *LockedError) Error() string {
	return fmt.Sprintf("the data directory is in use by process %d", e.PID)
}

// holder is the content of holderFile.
type holder struct {
	PID     int       `json:"pid"`
	Socket  string    `json:"socket"`
	Version string    `json:"version"`
	Since   time.Time `json:"since"`
}

// lock is the exclusive right to a data directory. It ends with the process,
// however that ends.
type lock struct {
	dir string
	f   *flock.Flock
}

// acquire takes the lock of dir, or returns a *LockedError.
func acquire(ctx context.Context, dir string) (*lock, error) {
	f := flock.New(filepath.Join(dir, lockFile), flock.SetPermissions(0o600))
	ok, err := f.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock the data directory %s: %w", dir, err)
	}
	if !ok {
		return nil, lockedBy(ctx, dir)
	}
	return &lock{dir: dir, f: f}, nil
}

// announce says to others who holds the lock.
func (l *lock) announce(h holder) error {
	data, err := json.Marshal(h)
	if err == nil {
		err = durable.WriteFile(filepath.Join(l.dir, holderFile), append(data, '\n'))
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
		var h holder
		data, err := durable.ReadFile(filepath.Join(dir, holderFile))
		if err == nil && json.Unmarshal(data, &h) == nil {
			return &LockedError{PID: h.PID, Socket: h.Socket}
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return &LockedError{}
		}
	}
}

// release gives the directory back.
func (l *lock) release() error {
	err := os.Remove(filepath.Join(l.dir, holderFile))
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, l.f.Close())
}
