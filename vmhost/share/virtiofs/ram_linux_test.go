package virtiofs_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"piwork/vmhost/share/virtiofs"
)

func TestCopyRAM(t *testing.T) {
	const size = 64 << 20
	dir := t.TempDir()
	src, dst := filepath.Join(dir, "src"), filepath.Join(dir, "dst")
	f, err := os.Create(src)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(size); err != nil {
		t.Fatal(err)
	}
	some := bytes.Repeat([]byte("memory"), 100_000)
	for _, off := range []int64{4096, 20 << 20, 40<<20 + 123, size - int64(len(some))} {
		if _, err := f.WriteAt(some, off); err != nil {
			t.Fatal(err)
		}
	}
	n, err := virtiofs.CopyRAM(dst, src)
	if err != nil || n > 8<<20 {
		t.Fatalf("%d bytes copied, %v", n, err)
	}
	want, _ := os.ReadFile(src)
	got, err := os.ReadFile(dst)
	if !bytes.Equal(got, want) {
		t.Errorf("the copy differs, %v", err)
	}
	info, err := os.Stat(dst)
	if err != nil || info.Mode() != 0o600 || info.Sys().(*syscall.Stat_t).Blocks*512 > 8<<20 {
		t.Errorf("%v: %d blocks, %v", info.Mode(), info.Sys().(*syscall.Stat_t).Blocks, err)
	}
	if _, err := virtiofs.CopyRAM(dst, src); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a file: %v", err)
	}
	if got, _ := os.ReadFile(dst); !bytes.Equal(got, want) {
		t.Error("the file in the way was changed")
	}
	if _, err := virtiofs.CopyRAM(filepath.Join(dir, "no/x"), src); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("to nowhere: %v", err)
	}
}

func TestCopyRAMOfNothingButHoles(t *testing.T) {
	dir := t.TempDir()
	src, dst := filepath.Join(dir, "src"), filepath.Join(dir, "dst")
	if err := errors.Join(os.WriteFile(src, nil, 0o600), os.Truncate(src, 1<<30)); err != nil {
		t.Fatal(err)
	}
	n, err := virtiofs.CopyRAM(dst, src)
	if n != 0 || err != nil {
		t.Errorf("%d bytes copied, %v", n, err)
	}
	if info, err := os.Stat(dst); err != nil || info.Size() != 1<<30 {
		t.Errorf("%v %v", info, err)
	}
}
