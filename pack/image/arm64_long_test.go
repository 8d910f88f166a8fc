//go:build long && linux

package image

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piwork/pack/guest/guestvm"
	"piwork/pack/image/debian"
	"piwork/pack/image/disk"
	"piwork/pack/image/verity"
	"piwork/vmhost/wire"
)

// binfmtARM64 is there when this system runs programs for arm64 (Linux,
// Documentation/admin-guide/binfmt-misc.rst), as Debian's qemu-user-static
// arranges: maintainer scripts need it.
const binfmtARM64 = "/proc/sys/fs/binfmt_misc/qemu-aarch64"

// TestGuestForARM64 builds the guest for arm64, a kernel with it, and a small
// root, and boots them in emulation.
func TestGuestForARM64(t *testing.T) {
	if _, err := exec.LookPath("qemu-system-aarch64"); err != nil {
		t.Fatalf("./scripts/setup --long installs it: %v", err)
	}
	b, err := newBuilder(Options{SourceDir: "../..", Log: func(line string) { t.Log(line) }})
	if err != nil {
		t.Fatal(err)
	}
	b.guest = platforms["arm64"]
	b.sets = []set{kernelQuestion(b.guest), {name: setTools, arch: b.host.debian, want: toolPackages}}
	unlock, err := b.cache.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	for _, s := range b.sets {
		if b.locks[s.name], err = b.packages.lock(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	kernelDir, err := b.kernel(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	agent, initramfs, err := b.initramfs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(filepath.Dir(agent))
	toolDir, err := b.part(t.Context(), setTools, []string{setTools}, nil, b.scratch(func(ctx context.Context, dir, scratch string) error {
		r := relocation{platform: b.host, programs: toolPrograms}
		return r.into(ctx, dir, scratch, b.locks[setTools], b.store)
	}))
	if err != nil {
		t.Fatal(err)
	}

	pack := t.TempDir()
	if err := os.Mkdir(filepath.Join(pack, "guest"), 0o755); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{
		filepath.Join(kernelDir, "kernel"):         kernelPath,
		filepath.Join(initramfs, "initramfs.cpio"): initramfsPath,
	} {
		if err := os.Symlink(from, filepath.Join(pack, to)); err != nil {
			t.Fatal(err)
		}
	}
	work := disk.Work{Size: workSize, Time: b.timeOf(setTools), Mke2fs: relocatedCommand(toolDir, b.host, "mke2fs")}
	if err := work.Make(t.Context(), filepath.Join(pack, workPath), t.TempDir()); err != nil {
		t.Fatal(err)
	}
	image := filepath.Join(pack, rootfsPath)
	whole := rootForARM64(t, b, toolDir, image)
	tree, err := verity.Append(image, []byte("salt"))
	if err != nil {
		t.Fatal(err)
	}
	addOn := filepath.Join(t.TempDir(), "addon.img")
	if err := os.WriteFile(addOn, guestvm.Erofs(map[string]string{"opt/addon": "from an add-on\n"}), 0o600); err != nil {
		t.Fatal(err)
	}
	addOnTree, err := verity.Append(addOn, []byte("salt"))
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(guestvm.RemoveAgent)
	m := guestvm.Boot(t, guestvm.Options{
		Pack: pack, Arch: "aarch64", CommandLine: fmt.Sprintf("piwork.verity=%x:%x:%d", tree.Root, "salt", tree.DataBlocks),
		Disks: []guestvm.Disk{{Serial: "layer-0", File: addOn}},
	})
	h := guestvm.Call[wire.Hello](m, wire.MethodHello, wire.HelloParams{Version: wire.Version})
	t.Logf("kernel %s, marks %v", h.Kernel, h.MarksMS)
	if len(h.Errors) != 0 || !strings.Contains(h.Kernel, "-piwork") {
		t.Errorf("%+v", h)
	}
	guestvm.Call[wire.Empty](m, wire.MethodPrepare, wire.PrepareParams{
		UnixNano: time.Now().UnixNano(), Entropy: bytes.Repeat([]byte{7}, 64), Hostname: "workroom",
		Layers: []wire.Layer{{Name: "addon", Disk: "layer-0", RootHash: hex.EncodeToString(addOnTree.Root[:]), Salt: hex.EncodeToString([]byte("salt")), DataBlocks: addOnTree.DataBlocks}},
	})
	if whole {
		r := guestvm.Call[wire.ExecResult](m, wire.MethodExecRun, wire.ExecParams{ID: "x", Argv: []string{"sh", "-c", "uname -m; id -un; cat /opt/addon; echo written > /work/x && cat /work/x"}})
		if r.ExitCode != 0 || string(r.Stdout) != "aarch64\npiwork\nfrom an add-on\nwritten\n" {
			t.Errorf("%+v\n%s%s", r, r.Stdout, r.Stderr)
		}
	}
	guestvm.Call[wire.Empty](m, wire.MethodShutdown, nil)
	m.AwaitExit()
}

// rootForARM64 makes a root image: Debian's essential packages where this system
// runs their maintainer scripts (then it reports true), else a few files.
func rootForARM64(t *testing.T, b *builder, toolDir, image string) bool {
	t.Helper()
	if _, err := os.Stat(binfmtARM64); err != nil {
		t.Logf("programs for arm64 do not run here, so the root image has none (Debian: qemu-user-static): %v", err)
		if err := os.WriteFile(image, guestvm.Erofs(map[string]string{"etc/hostname": "x\n"}), 0o600); err != nil {
			t.Fatal(err)
		}
		return false
	}
	from, err := b.packages.archive(b.guest.debian)
	if err != nil {
		t.Fatal(err)
	}
	if err := from.Update(t.Context()); err != nil {
		t.Fatal(err)
	}
	l := &debian.Lock{Schema: debian.LockSchema, Set: "essential", Suite: suite, Architecture: b.guest.debian, Want: []string{essential}}
	if l.Packages, err = from.Resolve(t.Context(), l.Want); err != nil {
		t.Fatal(err)
	}
	if l.Time, err = from.Time(); err != nil {
		t.Fatal(err)
	}
	if err := from.Fetch(t.Context(), l.All(), func(int, int64) {}); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	r := rootfs{
		lock: l, store: b.store, time: l.Time, log: b.log,
		mkfs: relocatedCommand(toolDir, b.host, "mkfs.erofs"), image: "root.img",
	}
	if err := r.into(t.Context(), dir, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	v, err := verityOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(dir, "root.img")
	if err := os.Truncate(root, v.DataBlocks*verity.BlockSize); err != nil { // its tree is made again, with the test's salt
		t.Fatal(err)
	}
	if err := os.Rename(root, image); err != nil {
		t.Fatal(err)
	}
	return true
}
