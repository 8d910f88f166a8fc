package pack

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

func startFlush(*os.File, int64, int64) {}

// syncFile hands the file to the disk, whose own cache syncTree empties once for
// all files (fsync(2) and F_FULLFSYNC in fcntl(2)).
func syncFile(f *os.File) error { return unix.Fsync(int(f.Fd())) }

// syncTree makes the directories durable and everything that syncFile handed over.
func syncTree(root *os.Root, dirs []string) error {
	for _, name := range dirs {
		d, err := root.Open(name)
		if err != nil {
			return err
		}
		err = unix.Fsync(int(d.Fd()))
		d.Close()
		if err != nil {
			return fmt.Errorf("sync directory %s: %w", name, err)
		}
	}
	return syncDir(root, ".")
}

// syncDir makes the names in a directory durable.
func syncDir(root *os.Root, name string) error {
	d, err := root.Open(name)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync() // F_FULLFSYNC
}
