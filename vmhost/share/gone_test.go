//go:build unix

package share_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"piwork/vmhost/share"
	"piwork/vmhost/share/internal/at"
)

// failing is a store whose disk answers with err.
type failing struct {
	share.Store
	err error
}

func (s *failing) Lstat(rel string) (at.Info, error) {
	return at.Info{}, &fs.PathError{Op: "lstat", Path: rel, Err: s.err}
}
func (s *failing) Close() {}

// A disk that is pulled out is noticed by the first call that fails as it does then, once; a
// bad sector, a folder that the person renamed, and other failures are something else.
func TestGoneIsNoticedOnce(t *testing.T) {
	remove := func(t *testing.T, dir string) {
		if err := os.Remove(dir); err != nil {
			t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct {
		err  error
		then func(t *testing.T, dir string)
		told int
	}{
		"pulled out":       {syscall.EIO, remove, 1},
		"network drive":    {syscall.ESTALE, remove, 1},
		"its program died": {syscall.ENOTCONN, remove, 1},
		"another in place": {syscall.EIO, func(t *testing.T, dir string) {
			_ = os.Mkdir(dir+"2", 0o700)
			remove(t, dir)
			_ = os.Rename(dir+"2", dir)
		}, 1},
		"bad sector":         {syscall.EIO, func(*testing.T, string) {}, 0},
		"renamed":            {syscall.ENOENT, func(t *testing.T, dir string) { _ = os.Rename(dir, dir+".new") }, 0},
		"no right":           {syscall.EACCES, remove, 0},
		"what was not there": {syscall.ENOENT, remove, 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir, told := filepath.Join(t.TempDir(), "stick"), 0
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			set := share.NewSet(share.Options{Gone: func(f share.Folder) {
				if told++; f.ID != "f" {
					t.Errorf("%+v", f)
				}
			}})
			t.Cleanup(set.Close)
			f, err := set.AddStore(share.Folder{ID: "f", Path: dir, Name: "Stick"}, &failing{err: tt.err})
			if err != nil {
				t.Fatal(err)
			}
			tt.then(t, dir)
			for range 3 {
				if _, err := set.Lookup(f.Name).Lstat("a"); err == nil {
					t.Error("no error")
				}
			}
			if told != tt.told {
				t.Errorf("told %d times", told)
			}
		})
	}
}
