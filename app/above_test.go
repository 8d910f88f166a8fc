package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"piwork/app/gateway/gatewaytest"
	"piwork/scripts/lib/memdir"
)

// TestWorld is the rooms below a real controller, invented, for tests of what stands
// above it (package app_test).
type TestWorld struct {
	*world
	Notes string // a folder of a person with one file
}

// NewTestWorld makes a world with a model that works by [killScript]: it writes, and
// wants to delete.
func NewTestWorld(t *testing.T) *TestWorld {
	memdir.OnDisk(t) // folders of the system are not shared, /dev is one
	server := gatewaytest.New(testKey)
	t.Cleanup(server.Close)
	server.Reply(killScript)
	w := &TestWorld{world: aiWorld(t, "", server.URL)}
	w.Notes = filepath.Join(w.base, "Notes")
	if err := errors.Join(os.MkdirAll(w.Notes, 0o755), os.WriteFile(filepath.Join(w.Notes, "notes.md"), []byte("buy milk\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	return w
}

// Open takes the world's data directory, or answers that another controller has it.
func (w *TestWorld) Open(ctx context.Context) (*Controller, error) {
	return open(ctx, w.options(), withPi(w.world))
}
