//go:build vm && linux

package vm

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"piwork/scripts/lib/kept"
	"piwork/vmhost/qemu"
	"piwork/vmhost/qemu/qemutest"
)

// made is a directory of templates with the one that the tests of this package share:
// in slow mode it takes the better part of a minute to make one.
var made struct {
	once sync.Once
	dir  string
	err  error
}

// realFactory has a template of the real pack, and was not there when it was made.
func realFactory(t *testing.T) *Factory {
	t.Helper()
	made.once.Do(func() {
		var remove func() error
		if made.dir, remove, made.err = kept.Dir("templates"); made.err != nil {
			return
		}
		atEnd = append(atEnd, remove)
		f := openFactory(t, made.dir)
		made.err = errors.Join(ensure(t, f), f.Close())
	})
	dir := filepath.Join(t.TempDir(), "templates")
	if made.err == nil {
		made.err = kept.LinkTemplates(made.dir, dir)
	}
	if made.err != nil {
		t.Fatal(made.err)
	}
	return ensured(t, dir)
}

// freshFactory makes a template of the real pack that no other test has.
func freshFactory(t *testing.T) *Factory {
	t.Helper()
	return ensured(t, filepath.Join(t.TempDir(), "templates"))
}

func ensured(t *testing.T, dir string) *Factory {
	t.Helper()
	f := closedAfter(t, openFactory(t, dir))
	if err := ensure(t, f); err != nil {
		t.Fatal(err)
	}
	return f
}

// openFactory is a factory of machines with the real pack, without anything yet.
func openFactory(t *testing.T, dir string, change ...func(*qemu.Image)) *Factory {
	t.Helper()
	image := qemutest.PackImage(t)
	for _, f := range change {
		f(&image)
	}
	f, err := NewFactory(FactoryOptions{
		Hardware: Hardware{Image: image, Accel: realAccel(), AppVersion: "test", MemoryMB: 512, BootTime: 15 * time.Second}, Dir: dir,
		ForDevice: func() bool { return image.Limits.No9PDevice },
		Log:       slog.New(slog.NewTextHandler(testWriter{t}, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func ensure(t *testing.T, f *Factory) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), stall)
	defer cancel()
	began := time.Now()
	err := f.Ensure(ctx)
	t.Logf("a template after %v: %+v", time.Since(began), f.State())
	return err
}

func closedAfter(t *testing.T, f *Factory) *Factory {
	t.Helper()
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			logs, _ := filepath.Glob(filepath.Join(f.o.Dir, "*.log", "*.log"))
			for _, l := range logs {
				b, _ := os.ReadFile(l)
				t.Logf("%s:\n%s", l, b)
			}
		}
	})
	return f
}
