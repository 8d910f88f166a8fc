package operate

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

	"piwork/pack/tools/picture"
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
				p := placer{target: target, replace: replace, placing: func(part string) { events = append(events, part) }, time: when}
				f, err := p.place(t.Context(), scratch)
				if err == nil && (f.Path != target || f.Size != int64(len(data)) || f.SHA256 != hex.EncodeToString(sum[:])) {
					t.Errorf("%+v", f)
				}
				if len(events) != 2 || !isPart(events[0]) || filepath.Dir(events[0]) != home || events[1] != "" {
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
			f, err := placer{target: target, placing: func(string) {}}.place(t.Context(), scratch)
			if err == nil || strings.Contains(err.Error(), "target") {
				t.Errorf("%+v %v", f, err)
			}
			if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("there is a result: %v", err)
			}
			if b, err := readBounded(scratch, 100); err == nil {
				t.Errorf("read as what it printed: %q", b)
			}
		})
	}
}

// TestScratchLeadsNowhere has a program that was taken over leave links to a file of the
// person's under names that the operation writes next.
func TestScratchLeadsNowhere(t *testing.T) {
	const persons = "%PDF-1.4\ntrailer << /ID [<00112233><44556677>] >>\n"
	file := filepath.Join(t.TempDir(), "persons.pdf")
	if err := os.WriteFile(file, []byte(persons), 0o600); err != nil {
		t.Fatal(err)
	}
	r := &run{order: Order{Scratch: t.TempDir()}}
	for what, touch := range map[string]func(name string) error{
		"write":     func(name string) error { return r.scratchWrite(name, []byte("x")) },
		"arguments": func(name string) error { return r.arguments(name, []string{"x"}) },
		"create":    func(name string) error { _, err := r.scratchCreate(name); return err },
		"page":      func(name string) error { return r.joinText(nil, name) },
		"trailer":   func(name string) error { return blankTrailer(r.scratch(name)) },
		"cut":       func(name string) error { return cutJPEG(r.scratch(name), picture.Info{End: 3, MPFOffset: 1}) },
		"read":      func(name string) error { _, err := readBounded(r.scratch(name), 100); return err },
		"table":     func(name string) error { _, err := parseJSON(r.scratch(name)); return err },
	} {
		if err := os.Symlink(file, r.scratch(what)); err != nil {
			t.Fatal(err)
		}
		if err := touch(what); err == nil {
			t.Errorf("%s: went through a link", what)
		}
		if b, err := os.ReadFile(file); string(b) != persons {
			t.Fatalf("%s: the person's file is now %q (%v)", what, b, err)
		}
		if err := r.scratchRemove(what); err != nil {
			t.Error(err)
		}
	}
}
