package tree

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// syncAll makes all of a tree durable. One call for each of thousands of files takes much
// longer.
func syncAll(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(unix.Syncfs(int(d.Fd())), d.Close())
}
