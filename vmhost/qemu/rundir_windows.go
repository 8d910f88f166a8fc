package qemu

import "os"

// runParents returns where a directory for sockets may be, best first.
func runParents() []string {
	return []string{os.Getenv("LOCALAPPDATA"), os.TempDir()}
}
