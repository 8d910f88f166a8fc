//go:build vm

package vm_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piwork/pack/packtest"
	"piwork/scripts/lib/tier"
	"piwork/vmhost"
	"piwork/vmhost/qemu"
	"piwork/vmhost/qemu/qemutest"
	"piwork/vmhost/share"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/ninep"
	"piwork/vmhost/vm"
	"piwork/vmhost/wire"
)

// A folder reaches a machine over 9p on whatever this system has for it: both sides have
// what the other one does, and what the guest did can be taken back.
func TestFolderOver9PForReal(t *testing.T) {
	tier.Rest(t, "TestFoldersOfRestoredForReal, over virtio-fs")
	packtest.Needs9P(t)
	dir := filepath.Join(t.TempDir(), "Zoë’s folder")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write("kept", "of the host")
	write("removed", "for now")
	j, err := journal.Open(t.TempDir(), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	set := share.NewSet(share.Options{})
	defer set.Close()
	f, err := set.Add(share.Folder{ID: "1", Path: dir}, j)
	if err != nil {
		t.Fatal(err)
	}
	v, err := vm.New(vm.Config{
		Hardware: vm.Hardware{Image: qemutest.PackImage(t), Accel: qemu.AccelTCG, MemoryMB: 512},
		Dir:      filepath.Join(t.TempDir(), "vm"), Folders: []vmhost.FolderInView{{Path: wire.FoldersDir + "/" + f.Name}},
		ServeFS: func(ctx context.Context, conn io.ReadWriteCloser) error {
			return ninep.Serve(ctx, conn, set, ninep.Options{})
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	defer func() {
		if err := v.Close(ctx); err != nil {
			t.Error(err)
		}
	}()
	if err := v.Connect(ctx); err != nil {
		t.Fatal(err)
	}
	if kind, why := v.Share(); kind != vm.Share9P || why != nil {
		t.Errorf("%s, %v", kind, why)
	}
	shell := func(script string) string {
		t.Helper()
		obs, err := v.Execute(ctx, vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"/bin/sh", "-c", script}}})
		if err != nil || obs.Exec.ExitCode != 0 {
			t.Fatalf("%s: %+v, %v", script, obs.Exec, err)
		}
		return strings.TrimSpace(string(obs.Exec.Stdout))
	}
	if got := shell("cat kept; rm removed; mkdir d; head -c 3000000 /dev/zero > d/large; mv d/large large; rmdir d; wc -c < large; ls | tr '\\n' ' '"); got != "of the host3000000\nkept large" {
		t.Errorf("the guest has %q", got)
	}
	if fi, err := os.Stat(filepath.Join(dir, "large")); err != nil || fi.Size() != 3_000_000 {
		t.Errorf("the host has %v, %v", fi, err)
	}
	write("kept", "newer")
	if got := shell("cat kept"); got != "newer" {
		t.Errorf("the guest has %q", got)
	}
	if r, err := j.Undo(ctx, nil, journal.UndoOptions{}); err != nil || len(r.Conflicts) > 0 {
		t.Errorf("undo: %+v %v", r, err)
	}
	if got := shell("cat removed; ls | tr '\\n' ' '"); got != "for nowkept removed" {
		t.Errorf("after undo the guest has %q", got)
	}
}
