package remote

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// Everything goes, whatever programs made of its rights.
func TestRemoveAll(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if err := os.MkdirAll(filepath.Join(dir, "a/b/c"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a/b", "a"} {
		if err := os.Chmod(filepath.Join(dir, name), 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := removeAll(dir); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(dir); err == nil {
		t.Error("it is still there")
	}
}

// Only a directory of this user alone is used.
func TestOwn(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	dir, err := runs()
	if err != nil {
		t.Fatal(err)
	}
	for mode, good := range map[os.FileMode]bool{0o700: true, 0o750: false, 0o777: false} {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := runs(); (err == nil) != good {
			t.Errorf("%o: %v", mode, err)
		}
	}
	for _, id := range []string{"", "..", "../..", "0123456789abcdef/..", "0123"} {
		if err := enter(id); err == nil {
			t.Errorf("%q is entered", id)
		}
	}
}

// Places that begin at once do not remove one another's directory; what a holder that was killed
// left goes.
func TestRunsAtOnce(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Chdir(t.TempDir()) // newRun goes elsewhere
	all, err := runs()
	if err != nil {
		t.Fatal(err)
	}
	killed, making, abandoned := filepath.Join(all, "0123456789abcdef"), filepath.Join(all, newPrefix+"1"), filepath.Join(all, newPrefix+"2")
	for _, dir := range []string{killed, making, abandoned} {
		if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, lockName), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(abandoned, time.Time{}, time.Now().Add(-2*madeTime)); err != nil {
		t.Fatal(err)
	}
	var work sync.WaitGroup
	made := make(chan string, 200)
	for range 8 {
		work.Go(func() {
			for range cap(made) / 8 {
				_, dir, err := newRun()
				if err != nil {
					t.Error(err)
				}
				made <- dir
			}
		})
	}
	work.Wait()
	close(made)
	for dir := range made {
		if _, err := os.Stat(filepath.Join(dir, workName, "out")); err != nil {
			t.Error(err)
		}
	}
	for dir, left := range map[string]bool{killed: false, making: true, abandoned: false} {
		if _, err := os.Stat(dir); (err == nil) != left {
			t.Errorf("%s: %v", dir, err)
		}
	}
}
