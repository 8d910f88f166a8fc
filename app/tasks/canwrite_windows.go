package tasks

import "os"

// canWrite returns an error for a directory that is not there. Who may write
// into it only trying tells.
func canWrite(dir string) error {
	_, err := os.Stat(dir)
	return err
}
