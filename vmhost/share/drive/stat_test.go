package drive

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Of what is in a folder that is known to be silent nothing is asked.
func TestStat(t *testing.T) {
	Hasten(150)
	before, answer := ask, make(chan struct{})
	t.Cleanup(func() { close(answer); ask = before; Hasten(1) })
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if info, err := Stat(t.Context(), filepath.Join(dir, "a")); err != nil || info.Size() != 1 {
		t.Fatal(info, err)
	}
	if _, err := Stat(t.Context(), filepath.Join(dir, "b")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	ask = func(string) { <-answer }
	for Waits(dir) < Silence() {
		time.Sleep(time.Millisecond)
	}
	_, err := Stat(t.Context(), filepath.Join(dir, "a"))
	if silent, is := errors.AsType[*SilentError](err); !is || silent.Dir != dir {
		t.Error(err)
	}
}
