package qemu_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"piwork/vmhost/qemu"
)

func sharedRAM(t *testing.T, memoryMB int) *qemu.SharedRAM {
	t.Helper()
	r, err := qemu.NewSharedRAM(memoryMB)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// taken is how much memory there is behind r, bytes.
func taken(t *testing.T, r *qemu.SharedRAM) int64 {
	t.Helper()
	fi, err := r.File().Stat()
	if err != nil {
		t.Fatal(err)
	}
	return fi.Sys().(*syscall.Stat_t).Blocks * 512
}

func TestSharedRAM(t *testing.T) {
	const size = 64 << 20
	src := filepath.Join(t.TempDir(), "ram")
	f, err := os.Create(src)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	some := bytes.Repeat([]byte("memory"), 100_000)
	err = f.Truncate(size)
	for _, off := range []int64{4096, 20 << 20, 40<<20 + 123, size - int64(len(some))} {
		_, werr := f.WriteAt(some, off)
		err = errors.Join(err, werr)
	}
	_, werr := f.WriteAt(make([]byte, 8<<20), 30<<20) // no hole, and yet nothing
	if err = errors.Join(err, werr); err != nil {
		t.Fatal(err)
	}
	r := sharedRAM(t, 64)
	if n := taken(t, r); n != 0 {
		t.Errorf("%d bytes are taken before anything was in them", n)
	}
	n, err := r.Load(src)
	if limit := int64(4*len(some) + 8*4096); err != nil || n > limit || taken(t, r) > limit {
		t.Fatalf("%d bytes copied, %d taken: %v", n, taken(t, r), err)
	}
	want, _ := os.ReadFile(src)
	got, err := io.ReadAll(io.NewSectionReader(r.File(), 0, size+1))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("the copy differs, %v", err)
	}
	// Who has it mapped relies on its length.
	for _, length := range []int64{0, size - 4096, size + 4096} {
		if err := r.File().Truncate(length); !errors.Is(err, syscall.EPERM) {
			t.Errorf("cut to %d bytes: %v", length, err)
		}
	}
}

func TestSharedRAMOfNothingButHoles(t *testing.T) {
	src := filepath.Join(t.TempDir(), "ram")
	if err := errors.Join(os.WriteFile(src, nil, 0o600), os.Truncate(src, 1<<30)); err != nil {
		t.Fatal(err)
	}
	r := sharedRAM(t, 1024)
	if n, err := r.Load(src); n != 0 || err != nil || taken(t, r) != 0 {
		t.Errorf("%d bytes copied, %v", n, err)
	}
}

func TestSharedRAMOfAnother(t *testing.T) {
	src := filepath.Join(t.TempDir(), "ram")
	if err := os.WriteFile(src, make([]byte, 4096), 0o600); err != nil {
		t.Fatal(err)
	}
	r := sharedRAM(t, 1)
	if _, err := r.Load(src); !errors.Is(err, qemu.ErrBadState) {
		t.Errorf("of another size: %v", err)
	}
	if _, err := r.Load(src + "-not"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("of nobody: %v", err)
	}
}
