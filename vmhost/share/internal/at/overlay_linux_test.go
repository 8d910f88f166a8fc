package at_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/realfs"
)

// After CopyUp an overlayfs knows a thing as what it was, whatever is done to it, and nothing of the
// thing but the time of its inode is another.
func TestCopyUp(t *testing.T) {
	for _, kind := range []string{"overlay", "overlay of two", "overlay with an index", "overlay of attributes", "overlay of an overlay", "overlay of a user"} {
		realfs.On(t, kind, func(t *testing.T, d *realfs.Disk) {
			name := func(n string) string { return filepath.Join(d.Dir, n) }
			must := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			old := time.Date(2020, 1, 2, 3, 4, 5, 6, time.UTC)
			must(errors.Join(os.WriteFile(name("file"), []byte("x"), 0o644), os.WriteFile(name("fixed"), []byte("x"), 0o444), os.Link(name("file"), name("second")),
				os.Mkdir(name("dir"), 0o755), os.Symlink("file", name("link")), unix.Mkfifo(name("fifo"), 0o600)))
			for _, n := range []string{"file", "fixed", "dir"} {
				must(os.Chtimes(name(n), old, old))
			}
			d.Lower()
			root, err := at.OpenRoot(d.Dir)
			must(err)
			defer root.Close()
			top, err := root.Dir(".")
			must(err)
			ids := map[string]at.ID{}
			all := []string{"file", "fixed", "second", "dir", "link", "fifo"}
			for _, n := range all {
				before, err := top.Lstat(n)
				must(err)
				top.CopyUp(n, func(at.ID) bool { return false })
				info, err := top.Lstat(n)
				must(err)
				if !info.MTime.Equal(before.MTime) || info.Mode != before.Mode || info.Size != before.Size || !info.ATime.Equal(before.ATime) && info.Kind != at.File {
					t.Errorf("%s is %+v and was %+v", n, info, before)
				}
				ids[n] = info.ID
			}
			must(errors.Join(os.WriteFile(name("file"), []byte("new"), 0o644), os.Chmod(name("fixed"), 0o600), os.WriteFile(name("fixed"), []byte("new"), 0o644),
				os.WriteFile(name("dir/new"), nil, 0o644), os.Rename(name("link"), name("link 2")), os.Rename(name("link 2"), name("link"))))
			for range 2 {
				for _, n := range all {
					info, err := top.Lstat(n)
					must(err)
					if !ids[n].Same(info.ID) || ids[n].Other(info.ID) || !info.Layered {
						t.Errorf("%s is %+v and was %+v", n, info.ID, ids[n])
					}
				}
				d.Forget()
			}
		})
	}
}
