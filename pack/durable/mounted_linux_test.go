package durable

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestMountsIn(t *testing.T) {
	const info = "22 1 8:1 / / rw - ext4 /dev/a rw\n" +
		`35 22 0:30 / /data/vm/one\040task/folders rw,nosuid shared:7 - fuse.piwork piwork rw` + "\n36 22 0:31 / /data/vmx rw - tmpfs tmpfs rw\n"
	for dir, want := range map[string]string{
		"/data/vm/one task": "/data/vm/one task/folders", "/data/vm/one task/folders": "/data/vm/one task/folders",
		"/data/vm/one": "", "/data/v": "", "/other": "", "/data": "/data/vm/one task/folders", "/": "/",
	} {
		got := MountsIn(info, dir)
		if len(got) == 0 && want != "" || len(got) > 0 && got[0].At != want {
			t.Errorf("%s: %+v, not %q", dir, got, want)
		}
	}
	if got := MountsIn(info, "/data/vm"); len(got) != 1 || got[0] != (Mount{"/data/vm/one task/folders", "fuse.piwork", "0:30", true}) || MountsIn(info, "/")[0].Shared {
		t.Errorf("%+v", got)
	}
}

// A directory in which something is mounted stays as it is: it may be a person's folder.
func TestRemoveAllStopsAtAMount(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root may mount; on any computer TestMountsIn has what is found")
	}
	base := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	folder, dir := filepath.Join(base, "folder"), filepath.Join(base, "vm")
	at := filepath.Join(dir, "folders")
	for _, err := range []error{
		os.MkdirAll(folder, 0o700), os.MkdirAll(at, 0o700), os.WriteFile(filepath.Join(folder, "letter"), nil, 0o600),
		os.WriteFile(filepath.Join(dir, "ours"), nil, 0o600), os.Symlink(base, link),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.Mount(folder, at, "", unix.MS_BIND, ""); err != nil {
		t.Skipf("here nothing can be mounted: %v", err)
	}
	mounted := true
	defer func() {
		if mounted {
			_ = unix.Unmount(at, unix.MNT_DETACH)
		}
	}()
	for _, name := range []string{dir, at, filepath.Join(link, "vm")} {
		if err := RemoveAll(name); err == nil {
			t.Errorf("%s was removed", name)
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "letter")); err != nil {
		t.Fatal(err)
	}
	if err := unix.Unmount(at, 0); err != nil {
		t.Fatal(err)
	}
	mounted = false
	if err := RemoveAll(filepath.Join(link, "vm")); err != nil {
		t.Error(err)
	}
}
