package agent

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// TestScratches leaves directories from several sides: each is gone once somebody
// needs the room, and without that after a moment.
func TestScratches(t *testing.T) {
	dir := t.TempDir()
	report := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}
	s := scratches{remove: os.RemoveAll, report: report}
	made := func(name string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Join(path, "a", "b"), 0o700); err != nil {
			t.Error(err)
		}
		return path
	}
	var all sync.WaitGroup
	for _, name := range []string{"1", "2", "3", "4"} {
		all.Go(func() {
			own := made(name)
			s.leave(own)
			s.clear()
			if _, err := os.Stat(own); !os.IsNotExist(err) {
				t.Errorf("%s is there when its room is needed: %v", name, err)
			}
		})
	}
	all.Wait()
	// Who leaves one does not wait for those that are being removed.
	s.removing.Lock()
	s.leave(made("late"))
	s.removing.Unlock()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(scratchPause) {
		left, err := os.ReadDir(dir)
		if err != nil || time.Now().After(end) {
			t.Fatalf("%v is left, %v", left, err)
		}
		if len(left) == 0 {
			break
		}
	}
}
