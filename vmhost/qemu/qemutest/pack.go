package qemutest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"piwork/vmhost/qemu"
)

// PackImage returns the image in the unpacked runtime pack that the environment
// names, and skips the test without one. It checks no signature: what runs in
// tests was built for them.
func PackImage(t testing.TB) qemu.Image {
	t.Helper()
	dir := os.Getenv("PIWORK_RUNTIME_DIR")
	if dir == "" {
		t.Skip("PIWORK_RUNTIME_DIR names no unpacked runtime pack")
	}
	in := func(parts ...string) string { return filepath.Join(append([]string{dir}, parts...)...) }
	// Guests have the processor of their host.
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	program := "qemu-system-" + arch
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	img := qemu.Image{
		Program:  []string{in("qemu", "bin", program)},
		DataDir:  in("qemu", "share"),
		Arch:     arch,
		Kernel:   in("guest", "vmlinux"),
		Initrd:   in("guest", "initramfs.cpio"),
		RootFS:   in("guest", "rootfs.img"),
		WorkBase: in("guest", "work.qcow2"),
	}
	for _, f := range []string{img.Kernel, img.Initrd, img.RootFS, img.WorkBase} {
		if !exists(f) {
			t.Fatalf("the runtime pack in %s has no %s", dir, f)
		}
	}
	// Any change of the pack changes a size or a time.
	h := sha256.New()
	for _, f := range append([]string{img.Kernel, img.Initrd, img.RootFS, img.WorkBase}, img.Program...) {
		if fi, err := os.Stat(f); err == nil {
			fmt.Fprintf(h, "%s %d %d\n", f, fi.Size(), fi.ModTime().UnixNano())
		}
	}
	img.Verity = verityOf(t, in("manifest.json"))
	img.ID = hex.EncodeToString(h.Sum(nil))
	return img
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
