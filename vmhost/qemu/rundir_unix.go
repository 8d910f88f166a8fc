//go:build unix

package qemu

import "os"

// runParents returns where a directory for sockets may be, best first. The
// runtime directory is in memory, private and emptied at logout.
func runParents() []string {
	return []string{os.Getenv("XDG_RUNTIME_DIR"), os.TempDir(), "/tmp"}
}
