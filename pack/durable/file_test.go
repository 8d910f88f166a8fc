package durable

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

func TestWriteFile(t *testing.T) {
	writesFile(t, func(path string, data []byte) error { return WriteFile(path, data, 0o600) })
}

func TestReplaceFile(t *testing.T) { writesFile(t, ReplaceFile) }

// A new file replaces none, and leaves nothing where it cannot be.
func TestWriteNew(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x.json")
	if err := WriteNew(file, []byte("one")); err != nil {
		t.Fatal(err)
	}
	if err := WriteNew(file, []byte("two")); !errors.Is(err, os.ErrExist) {
		t.Errorf("over a file: %v", err)
	}
	got, err := os.ReadFile(file)
	if err != nil || string(got) != "one" {
		t.Errorf("%q, %v", got, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("left beside it: %v, %v", entries, err)
	}
	if err := WriteNew(filepath.Join(dir, "no", "x"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("into nowhere: %v", err)
	}
}

func writesFile(t *testing.T, write func(path string, data []byte) error) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x.json")
	for _, content := range []string{"one", "a longer second one", ""} {
		if err := write(file, []byte(content)); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(file)
		if err != nil || string(got) != content {
			t.Errorf("%q, %v", got, err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left beside it: %v, %v", entries, err)
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if err := write(filepath.Join(dir, "no", "x"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("into nowhere: %v", err)
	}
}

// A record is replaced again and again while others read it: everybody sees one
// whole content, and nobody is in the way.
func TestWriteFileWhileItIsRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.json")
	content := func(i int) []byte { return bytes.Repeat([]byte{byte('a' + i%26)}, 10_000) }
	if err := WriteFile(file, content(0), 0o600); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				got, err := ReadFile(file)
				if err != nil || len(got) != 10_000 || bytes.Count(got, got[:1]) != len(got) {
					t.Errorf("%d bytes, %v", len(got), err)
					return
				}
			}
		})
	}
	for i := range 50 {
		if err := WriteFile(file, content(i), 0o600); err != nil {
			t.Errorf("the %d. time: %v", i+1, err)
		}
	}
	close(stop)
	readers.Wait()
}
