package relocate

import (
	"os"

	"golang.org/x/sys/unix"
)

// kindOf says what a directory lies on (statfs(2)).
func kindOf(dir string) (diskKind, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return diskLocal, &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	if st.Flags&unix.MNT_LOCAL == 0 {
		return diskNetwork, nil
	}
	return diskLocal, nil
}

func syncFile(f *os.File) error { return f.Sync() } // F_FULLFSYNC

// syncAll has nothing left to do but for dir itself.
func syncAll(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
