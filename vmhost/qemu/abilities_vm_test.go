//go:build vm

package qemu_test

import (
	"bytes"
	"context"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/pack/spec"
	"piwork/vmhost/qemu/qemutest"
)

// The pack's QEMU has what machines are given after their start: saved states,
// plugged shares, networks, memory that comes back. And it has no more than that
// of what a guest could reach.
func TestAbilitiesForReal(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	img := qemutest.PackImage(t)
	ask := func(args ...string) string {
		t.Helper()
		c := exec.CommandContext(ctx, img.Program[0], append(append([]string{}, img.Program[1:]...), args...)...)
		c.Env = append([]string{}, img.Env...)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	installed := filepath.Dir(filepath.Dir(img.Program[len(img.Program)-1]))
	for dir := range strings.Lines(ask("-L", "help")) { // its modules are looked for beside them
		if !strings.HasPrefix(filepath.Clean(strings.TrimSpace(dir)), installed) {
			t.Errorf("it looks at this computer's %s", dir)
		}
	}
	devices := ask("-device", "help")
	want := []string{
		"virtio-blk-pci", "virtio-serial-pci", "virtserialport", "virtio-net-pci", "virtio-rng-pci", "virtio-balloon-pci",
		"vmgenid", "pvpanic", "i6300esb",
	}
	objects := []string{"memory-backend-ram", "rng-builtin"}
	if runtime.GOOS == "linux" {
		want = append(want, "vhost-user-fs-pci")
		objects = append(objects, "memory-backend-file", "memory-backend-memfd")
	}
	for _, d := range want {
		if !strings.Contains(devices, `name "`+d+`"`) {
			t.Errorf("no device %s", d)
		}
	}
	var surplus []string // that nobody needs
	for _, d := range []string{"virtio-9p-pci", "e1000", "rtl8139", "VGA", "cirrus", "usb-storage", "scsi-hd", "virtio-gpu", "AC97", "intel-hda", "nvme", "vfio", "tpm", "sdhci", "isa-fdc", "floppy"} {
		if strings.Contains(devices, `name "`+d) {
			surplus = append(surplus, d)
		}
	}
	for _, o := range objects {
		if !slices.Contains(strings.Fields(ask("-object", "help")), o) {
			t.Errorf("no object %s", o)
		}
	}
	backends := strings.Fields(ask("-netdev", "help"))
	if !slices.Contains(backends, "stream") {
		t.Errorf("network back ends: %q", backends)
	}
	qemutest.Needs(t, "a QEMU with no more than piwork uses", func(a spec.Abilities) bool { return a.SmallMachine })
	if !strings.Contains(devices, `name "virtio-9p-chardev-pci"`) {
		t.Error("no device whose 9p comes here")
	}
	if len(surplus) > 0 || slices.Contains(backends, "user") {
		t.Errorf("devices %q and network back ends %q that nobody needs", surplus, backends)
	}
}

// A pack's QEMU for Linux runs where nothing else is installed.
func TestStaticForReal(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere the system's own libraries are always there")
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	qemutest.Needs(t, "a QEMU of one program", func(a spec.Abilities) bool { return a.SmallMachine })
	img := qemutest.PackImage(t)
	c := exec.CommandContext(ctx, img.Program[0], "--version")
	c.Env = []string{"LD_DEBUG=libs"} // a dynamic loader would speak
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil || errs.Len() > 0 || !strings.Contains(out.String(), "(piwork ") {
		t.Errorf("%v %s%s", err, out.String(), errs.String())
	}
}
