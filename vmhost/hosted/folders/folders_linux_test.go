package folders

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"piwork/vmhost/hosted/hostedtest"
)

// Only the mounts of this program are its own.
func TestMounted(t *testing.T) {
	info := `22 1 8:1 / / rw - ext4 /dev/a rw
40 22 0:40 / /run/x/one/folders rw,nosuid - fuse.piwork piwork rw
41 22 0:41 / /run/x/two\040words/folders rw shared:7 - fuse.piwork piwork rw
42 22 0:42 / /run/xy/folders rw - fuse.piwork piwork rw
43 22 0:43 / /run/x/another rw - fuse.sshfs piwork rw
broken
`
	if got := mounted(info, "/run/x"); !slices.Equal(got, []string{"/run/x/one/folders", "/run/x/two words/folders"}) {
		t.Errorf("%q", got)
	}
}

// What is mounted on a directory reaches containers only if its own mount is shared, and
// the container has to have that one file system.
func TestMounts(t *testing.T) {
	info := `22 1 8:1 / / rw shared:1 - ext4 /dev/a rw
40 22 8:2 / /run rw - tmpfs tmpfs rw
41 40 8:2 / /run/x rw shared:7 - tmpfs tmpfs rw
42 41 0:42 / /run/x/folders rw - fuse.piwork piwork rw
43 22 0:43 / /run/y rw - fuse.piwork piwork rw
44 43 8:1 / /run/y rw - ext4 /dev/a rw
`
	for dir, want := range map[string]bool{"/home": true, "/run": false, "/run/z": false, "/run/x": true, "/run/xy": false, "/run/x/one": true, "/run/x/folders": false} {
		if spreads(info, dir) != want {
			t.Errorf("%s: %v", dir, !want)
		}
	}
	for at, want := range map[string]string{"/run/x/folders": "0:42", "/run/x": "", "/run/y": "", "/folders": ""} {
		if got := device(info, at); got != want {
			t.Errorf("%s: %q", at, got)
		}
	}
}

// A directory that is reached through a link loses the mounts that a killed program left, and
// keeps those that are served.
func TestClearThroughALink(t *testing.T) {
	hostedtest.NeedFUSE(t)
	data, link := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "link")
	here, err := filepath.EvalSymlinks(filepath.Dir(data))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(data, link); err != nil {
		t.Fatal(err)
	}
	mount := func(task string) (dir string, device *os.File) {
		dir = filepath.Join(link, task, "folders")
		if err := os.MkdirAll(filepath.Join(data, task, "folders"), 0o700); err != nil {
			t.Fatal(err)
		}
		device, err := Mount(t.Context(), dir, false)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { device.Close(); _ = Unmount(dir, true) })
		return dir, device
	}
	_, device := mount("killed")
	device.Close()
	live.Clear()
	served, _ := mount("served")
	now := func() []string {
		info, err := os.ReadFile(mountInfo)
		if err != nil {
			t.Fatal(err)
		}
		return mounted(string(info), here)
	}
	for _, dir := range []string{link, data, filepath.Join(link, "none")} {
		if err := Clear(dir); err != nil {
			t.Errorf("%s: %v", dir, err)
		}
		if all := now(); !slices.Equal(all, []string{filepath.Join(here, "data/served/folders")}) {
			t.Errorf("%s: mounted: %q", dir, all)
		}
	}
	if _, err := os.Lstat(filepath.Join(data, "killed")); !os.IsNotExist(err) {
		t.Errorf("what a killed program left: %v", err)
	}
	if err := Unmount(served, false); err != nil {
		t.Error(err)
	}
	if all := now(); len(all) > 0 {
		t.Errorf("mounted: %q", all)
	}
}
