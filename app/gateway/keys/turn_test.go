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
	if err := f.turn.take(t.Context()); err != nil { // of somebody who guesses at the passphrase
		t.Fatal(err)
	}
	defer f.turn.leave()
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

// Who stops waiting for the file, or for the keychain, is told what ended their request.
func TestWhatEndsAWaitIsSaid(t *testing.T) {
	why := errors.New("the program is ending")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	f := NewFile(filepath.Join(t.TempDir(), "keys.age"))
	if err := f.turn.take(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := f.Unlock(ctx, NewSecret("the right one")); !errors.Is(err, why) {
		t.Errorf("the file: %v", err)
	}
	if _, err := ask(ctx, "ask", func() (int, error) { return 1, nil }); !errors.Is(err, why) {
		t.Errorf("the keychain: %v", err)
	}
}
