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
	seams func(context.Context, Options) (seams, error)
	o     Options
}

// NewTestWorld makes a world with a model that works by [killScript]: it writes, and
// wants to delete.
func NewTestWorld(t *testing.T) *TestWorld {
	memdir.OnDisk(t) // folders of the system are not shared, /dev is one
	server := gatewaytest.New(testKey)
	t.Cleanup(server.Close)
	server.Reply(killScript)
	w := aiWorld(t, "", server.URL)
	return testWorld(t, w, w.options(), withPi(w))
}

// NewTestPackWorld makes a world in which the packs are real, too: two versions are
// installed, and a channel answers.
func NewTestPackWorld(t *testing.T) *TestWorld {
	memdir.OnDisk(t)
	s := newPackWorld(t, "1.0.0", "1.1.0")
	c := s.open()
	for _, v := range []string{"1.0.0", "1.1.0"} {
		if _, err := c.InstallPack(t.Context(), s.packs[v].File, nil); err != nil {
			t.Fatal(err)
		}
	}
	s.close(c)
	return testWorld(t, s.world, s.options(), s.seams)
}

func testWorld(t *testing.T, w *world, o Options, below func(context.Context, Options) (seams, error)) *TestWorld {
	out := &TestWorld{world: w, Notes: filepath.Join(w.base, "Notes"), seams: below, o: o}
	if err := errors.Join(os.MkdirAll(out.Notes, 0o755), os.WriteFile(filepath.Join(out.Notes, "notes.md"), []byte("buy milk\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	return out
}

// Open takes the world's data directory, or answers that another controller has it.
func (w *TestWorld) Open(ctx context.Context) (*Controller, error) {
	return open(ctx, w.o, w.seams)
}
