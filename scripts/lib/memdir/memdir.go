// Package memdir gives tests temporary directories in memory. Most tests write files
// that nobody reads after a power cut; on a disk they wait for every sync: half of the
// time of the unit tests.
//
// A test package opts in with a TestMain:
//
//	func TestMain(m *testing.M) {
//		memdir.Use()
//		os.Exit(m.Run())
//	}
//
// What a test asks of a real file system (holes, clones, extended attributes, two
// file systems) stays on the disk: Disk is a directory there.
//
// Nothing changes where TMPDIR is set, where there is no file system in memory
// (Windows, macOS) or where it is small, as in most containers.
package memdir

import (
	"os"
	"testing"
)

// enough is how much room there must be: the largest package needs less than a
// gigabyte, and some run at once.
const enough = 4 << 30

// disk is where temporary files are without Use.
var disk = os.TempDir()

// Use has os.TempDir and t.TempDir make directories in memory from now on, also those
// of child processes.
func Use() {
	if os.Getenv("TMPDIR") != "" {
		return
	}
	if dir := inMemory(); dir != "" {
		_ = os.Setenv("TMPDIR", dir)
	}
}

// Disk is a directory where temporary files are without Use, removed with the test.
func Disk(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp(disk, "piwork-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}
