package keys

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
)

// Whoever asks for a key does not wait for those who open the file, which takes seconds each;
// and of those nobody does it after they gave up.
func TestKeysAreReadWhileTheFileIsOpened(t *testing.T) {
	f := NewFile(filepath.Join(t.TempDir(), "keys.age"))
	if err := f.turn.Acquire(t.Context(), 1); err != nil { // of somebody who guesses at the passphrase
		t.Fatal(err)
	}
	defer f.turn.Release(1)
	if !f.Locked() {
		t.Error("it is open")
	}
	if _, err := f.Get(t.Context(), "anthropic"); !errors.Is(err, ErrLocked) {
		t.Errorf("%v", err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	pass := NewSecret("correct horse")
	for name, err := range map[string]error{"unlock": f.Unlock(gone, pass), "change": f.Change(gone, pass, pass), "delete": f.Delete(gone, "anthropic")} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
