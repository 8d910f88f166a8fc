package keys

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
)

// Whoever asks for a key does not wait for those who open the file, which takes seconds each.
func TestKeysAreReadWhileTheFileIsOpened(t *testing.T) {
	f := NewFile(filepath.Join(t.TempDir(), "keys.age"))
	f.turn.Lock() // of somebody who guesses at the passphrase
	defer f.turn.Unlock()
	if !f.Locked() {
		t.Error("it is open")
	}
	if _, err := f.Get(context.Background(), "anthropic"); !errors.Is(err, ErrLocked) {
		t.Errorf("%v", err)
	}
}
