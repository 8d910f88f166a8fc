//go:build long && linux

package image_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/pack/guest/guestvm"
	build "piwork/pack/image"
	"piwork/pack/image/qemu"
	"piwork/pack/image/verity"
	"piwork/pack/spec"
	"piwork/pack/trust"
	"piwork/vmhost/wire"
)

// TestPackForARM64 makes the pack for Linux on arm64, works in its guest, and
// runs its QEMU: both in emulation, on whatever processor this is.
func TestPackForARM64(t *testing.T) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := trust.NewSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	made, err := build.BuildArchives(t.Context(), build.Options{
		HostOS: "linux", HostArch: "arm64", SourceDir: "../..", OutDir: filepath.Join(t.TempDir(), "pack"), Log: func(line string) { t.Log(line) },
	}, build.ArchiveOptions{Signer: signer})
	if err != nil {
		t.Fatal(err)
	}
	r := build.Result{Header: made[0].Manifest, Dir: made[0].Path}
	if h := r.Header; h.HostOS != "linux" || h.HostArch != "arm64" || h.GuestArch != "aarch64" || len(h.Layers) != 1 || h.Layers[0].Verity == nil {
		t.Fatalf("%s/%s with a guest of %s, layers %+v", h.HostOS, h.HostArch, h.GuestArch, h.Layers)
	}
	t.Run("guest", func(t *testing.T) { workInARM64(t, r) })
	t.Run("QEMU", func(t *testing.T) { askQEMUForARM64(t, r.Dir) })
	t.Run("host", func(t *testing.T) { hostOnARM64(t, r.Dir) })
}

// workInARM64 boots the guest over its protected root with this system's QEMU,
// looks around in it, and does a chore.
func workInARM64(t *testing.T, r build.Result) {
	if _, err := exec.LookPath("qemu-system-aarch64"); err != nil {
		t.Fatalf("./scripts/setup --long installs it: %v", err)
	}
	addOn := filepath.Join(t.TempDir(), "addon.img")
	if err := os.WriteFile(addOn, guestvm.Erofs(map[string]string{"opt/addon": "from an add-on\n"}), 0o600); err != nil {
		t.Fatal(err)
	}
	tree, err := verity.Append(addOn, []byte("salt"))
	if err != nil {
		t.Fatal(err)
	}
	v := r.Header.Layers[0].Verity
	m := guestvm.Boot(t, guestvm.Options{
		Pack: r.Dir, Arch: "aarch64", CommandLine: fmt.Sprintf("piwork.verity=%s:%s:%d", v.RootHash, v.Salt, v.DataBlocks),
		Disks: []guestvm.Disk{{Serial: "layer-0", File: addOn}},
	})
	h := prepare(m, wire.Layer{
		Name: "addon", Disk: "layer-0", RootHash: hex.EncodeToString(tree.Root[:]), Salt: hex.EncodeToString([]byte("salt")), DataBlocks: tree.DataBlocks,
	})
	t.Logf("kernel %s, marks %v", h.Kernel, h.MarksMS)
	if len(h.Errors) != 0 || !strings.Contains(h.Kernel, "-piwork") {
		t.Errorf("%+v", h)
	}
	run := func(id, script string, stdin []byte) string {
		t.Helper()
		r := guestvm.Call[wire.ExecResult](m, wire.MethodExecRun, wire.ExecParams{ID: id, Argv: []string{"sh", "-c", script}, Stdin: stdin})
		if r.ExitCode != 0 {
			t.Errorf("%s: %+v\n%s%s", id, r, r.Stdout, r.Stderr)
		}
		return string(r.Stdout)
	}
	if out := run("processor", "uname -m; id -un; cat /opt/addon; echo written > /work/x && cat /work/x", nil); out != "aarch64\npiwork\nfrom an add-on\nwritten\n" {
		t.Errorf("%s", out)
	}
	var picture bytes.Buffer
	if err := jpeg.Encode(&picture, image.NewRGBA(image.Rect(0, 0, 64, 48)), nil); err != nil {
		t.Fatal(err)
	}
	run("put", "mkdir -p /work/in && cat > /work/in/a.jpg", picture.Bytes())
	made := guestvm.Call[wire.ToolResult](m, wire.MethodToolRun, wire.ToolParams{
		ID: "chore", Op: "image.convert", In: []string{"/work/in/a.jpg"}, Out: "/work/out/a.pdf", Params: map[string]any{"format": "pdf"},
	})
	if len(made.Out) != 1 || len(made.Problems) != 0 {
		t.Errorf("%+v", made)
	}
	if out := run("pages", "qpdf --show-npages /work/out/a.pdf", nil); out != "1\n" {
		t.Errorf("%q pages", out)
	}
	holdsPromises(t, m)
	shutdown(m)
}

// askQEMUForARM64 runs the pack's QEMU, which is a program for arm64.
func askQEMUForARM64(t *testing.T, dir string) {
	target := qemu.Target{OS: "linux", Arch: "arm64", Guest: "aarch64"}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	ask := func(args ...string) string {
		t.Helper()
		c := exec.CommandContext(ctx, filepath.Join(dir, "qemu", "bin", target.Program()), args...)
		c.Env = []string{"LD_DEBUG=libs"} // a dynamic loader would speak
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	if out := ask("--version"); !strings.HasPrefix(out, "QEMU emulator version ") || !strings.Contains(out, "(piwork ") {
		t.Errorf("%s", out)
	}
	if out := ask("-machine", "help"); !strings.Contains(out, "\nvirt ") || strings.Contains(out, "raspi") {
		t.Errorf("%s", out)
	}
	if out := strings.Fields(ask("-accel", "help")); !slices.Contains(out, "tcg") || !slices.Contains(out, "kvm") {
		t.Errorf("%s", out)
	}
	devices := ask("-device", "help")
	for _, d := range []string{
		"virtio-blk-pci", "virtio-serial-pci", "virtserialport", "virtio-net-pci", "virtio-rng-pci", "virtio-balloon-pci", "vhost-user-fs-pci",
		"virtio-9p-chardev-pci", "pcie-root-port", "pvpanic-pci", "i6300esb",
	} {
		if !strings.Contains(devices, `name "`+d+`"`) {
			t.Errorf("no device %s", d)
		}
	}
	for _, d := range []string{"virtio-9p-pci", "virtio-9p-device", "e1000", "rtl8139", "VGA", "usb-", "scsi-hd", "virtio-gpu", "intel-hda", "nvme", "vfio", "tpm", "sdhci"} {
		if strings.Contains(devices, `name "`+d) {
			t.Errorf("a device %s that nobody needs", d)
		}
	}
}

// withoutFilters runs QEMU without its system call filters (seccomp(2)), which
// the emulation of single programs does not have.
const withoutFilters = `#!/bin/sh
for word; do
	shift
	case $word in
	-sandbox) skip=yes ;;
	*) [ "$skip" = yes ] || set -- "$@" "$word"; skip= ;;
	esac
done
exec '%s' "$@"
`

// hostOnARM64 boots the pack as vmhost/qemu does, in a program for arm64 that
// starts a program for arm64: emulation in emulation. The guest answers, and its
// state is saved.
func hostOnARM64(t *testing.T, dir string) {
	scratch := t.TempDir()
	exe := filepath.Join(scratch, "tests")
	c := exec.CommandContext(t.Context(), "go", "test", "-c", "-tags", "vm long", "-o", exe, "../../vmhost/qemu")
	c.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	wrapped := filepath.Join(scratch, "pack")
	program := filepath.Join("qemu", "bin", "qemu-system-aarch64")
	err := errors.Join(
		os.MkdirAll(filepath.Join(wrapped, filepath.Dir(program)), 0o755),
		os.Symlink(filepath.Join(dir, "guest"), filepath.Join(wrapped, "guest")),
		os.Symlink(filepath.Join(dir, spec.ManifestName), filepath.Join(wrapped, spec.ManifestName)),
		os.WriteFile(filepath.Join(wrapped, program), fmt.Appendf(nil, withoutFilters, filepath.Join(dir, program)), 0o755),
	)
	if err != nil {
		t.Fatal(err)
	}
	c = exec.CommandContext(t.Context(), exe, "-test.v", "-test.timeout=20m", "-test.run=^TestPortsForReal$")
	c.Env = append(os.Environ(), "PIWORK_RUNTIME_DIR="+wrapped)
	out, err := c.CombinedOutput()
	t.Logf("%s", out)
	if err != nil || !strings.Contains(string(out), "--- PASS: TestPortsForReal") {
		t.Errorf("%v", err)
	}
}
