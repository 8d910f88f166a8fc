package job

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"piwork/scripts/lib/memdir"
)

// TestPlace puts a result on the file system of scratch, and on another.
func TestPlace(t *testing.T) {
	other, err := os.MkdirTemp("/dev/shm", "place-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(other) })
	data := bytes.Repeat([]byte("result "), 50_000)
	sum := sha256.Sum256(data)
	when := time.Unix(1_000_000_000, 0)
	for name, home := range map[string]string{"same": memdir.Disk(t), "other": other} {
		t.Run(name, func(t *testing.T) {
			scratch := filepath.Join(memdir.Disk(t), "out")
			target := filepath.Join(home, "target")
			place := func(replace bool) error {
				if err := os.WriteFile(scratch, data, 0o600); err != nil { // it stays there
					t.Fatal(err)
				}
				var events []string
				p := Placer{target: target, replace: replace, placing: func(part string) { events = append(events, part) }, Time: when}
				f, err := p.place(t.Context(), scratch)
				if err == nil && (f.Path != target || f.Size != int64(len(data)) || f.SHA256 != hex.EncodeToString(sum[:])) {
					t.Errorf("%+v", f)
				}
				if len(events) != 2 || !IsPart(events[0]) || filepath.Dir(events[0]) != home || events[1] != "" {
					t.Errorf("announced: %q", events)
				}
				return err
			}
			if err := place(false); err != nil {
				t.Fatal(err)
			}
			st, err := os.Stat(target)
			if err != nil || st.Mode().Perm() != 0o644 || !st.ModTime().Equal(when) {
				t.Errorf("%v %v %v", st.Mode(), st.ModTime(), err)
			}
			if err := os.WriteFile(target, []byte("the person's"), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := place(false); !errors.Is(err, fs.ErrExist) {
				t.Errorf("over a file that is there: %v", err)
			}
			if b, err := os.ReadFile(target); string(b) != "the person's" {
				t.Errorf("%.20q %v", b, err)
			}
			if err := place(true); err != nil {
				t.Fatal(err)
			}
			if b, err := os.ReadFile(target); !bytes.Equal(b, data) {
				t.Errorf("%.20q %v", b, err)
			}
			if entries, err := os.ReadDir(home); len(entries) != 1 {
				t.Errorf("%v %v", entries, err)
			}
		})
	}
}

// TestPlaceOnlyFiles has a program that was taken over leave something else than a
// file as its result.
func TestPlaceOnlyFiles(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, leave := range map[string]func(path string) error{
		"link":     func(path string) error { return os.Symlink(secret, path) },
		"pipe":     func(path string) error { return unix.Mkfifo(path, 0o600) }, // to open it would wait for a writer
		"folder":   func(path string) error { return os.Mkdir(path, 0o700) },
		"nothing":  func(string) error { return nil },
		"dangling": func(path string) error { return os.Symlink("/nonexistent/x", path) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			scratch, target := filepath.Join(dir, "out"), filepath.Join(dir, "target")
			if err := leave(scratch); err != nil {
				t.Fatal(err)
			}
			f, err := Placer{target: target, placing: func(string) {}}.place(t.Context(), scratch)
			if err == nil || strings.Contains(err.Error(), "target") {
				t.Errorf("%+v %v", f, err)
			}
			if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("there is a result: %v", err)
			}
			if b, err := ReadBounded(scratch, 100); err == nil {
				t.Errorf("read as what it printed: %q", b)
			}
		})
	}
}
