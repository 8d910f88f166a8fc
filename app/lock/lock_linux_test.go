package lock

import (
	"os"
	"path/filepath"
	"testing"

	"piwork/scripts/lib/smalldisk"
)

// A disk that only now has no room, or none for this user, is told who holds the lock all the same.
func TestAnnounceOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	smalldisk.Mount(t, dir, 0, "size=48m")
	l, err := Acquire(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	smalldisk.Fill(t, dir)
	if err := l.Announce(Holder{PID: 7}); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(filepath.Join(dir, ReserveFile)); !os.IsNotExist(err) {
		t.Error("it keeps its room:", err)
	}
	if err := l.Release(); err != nil {
		t.Error(err)
	}
}
