package app

import "os"

// private reports whether dir is a real directory; it is in the user's profile.
func private(dir string) bool {
	info, err := os.Lstat(dir)
	return err == nil && info.IsDir()
}
