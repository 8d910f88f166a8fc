package at

import (
	"os"
	"path/filepath"
	"testing"
)

// A file is made durable by whoever has it open, also to read, and also one that nobody may
// write to.
func TestSyncOfWhatIsRead(t *testing.T) {
	for name, mode := range map[string]os.FileMode{"ordinary": 0o644, "read-only": 0o444} {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, []byte("content"), mode); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		for what, do := range map[string]func(*os.File) error{"Sync": Sync, "SyncData": SyncData} {
			if err := do(f); err != nil {
				t.Errorf("%s of what is %s: %v", what, name, err)
			}
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
