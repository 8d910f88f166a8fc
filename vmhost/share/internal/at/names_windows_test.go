package at

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/windows"
)

// TestNamesOfWindows: what this system would read as something else, or could
// not give back as it was, is no name here.
func TestNamesOfWindows(t *testing.T) {
	root, err := OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	d, err := root.Dir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"NUL", "nul.txt", "CON", "con.tar.gz", "AUX", "PRN", "COM1", "com9.log", "LPT1", "COM¹", "CONIN$", "CONOUT$",
		"a:b", "a::$DATA", "file:stream", "a\\b", "..\\x", "C:", "C:x", "a*", "a?", "a\"", "a<", "a>", "a|",
		"a.", "a ", "...", "a. .", "a\x01b", "a\nb", "a\tb", "bad\xff", "\xc3",
	} {
		if f, _, err := d.Create(name, 0o644); err == nil {
			f.Close()
			t.Errorf("made %q", name)
		} else if !errors.Is(err, ErrName) {
			t.Errorf("%q: %v", name, err)
		}
		if err := d.Mkdir(name, 0o755); err == nil {
			t.Errorf("made the directory %q", name)
		}
	}
	for _, name := range []string{
		"a", ".a", "..a", "a b", " a", "null", "con1", "commander", "COM10", "aux-file", "naïve", "日本語", "a'b", "a#%&{}$!@+=~`^[];,",
		"e\u0301", "\u00e9", "NULs.txt", strings.Repeat("n", 250),
	} {
		f, _, err := d.Create(name, 0o644)
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		f.Close()
		if names, err := d.Names(-1); err != nil || len(names) != 1 || names[0] != name {
			t.Errorf("made %q, there is %q, %v", name, names, err)
		}
		if err := d.Remove(name); err != nil {
			t.Errorf("removing %q: %v", name, err)
		}
	}
}

// TestOwnName: a file is known by the name that it has, however it is asked for.
func TestOwnName(t *testing.T) {
	base := t.TempDir()
	root, err := OpenRoot(base)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	d, err := root.Dir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []string{"README.txt", "Straße", "ÄÖ"} {
		if err := os.WriteFile(filepath.Join(base, n), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for asked, want := range map[string]string{
		"README.txt": "README.txt", "readme.TXT": "README.txt", "STRAßE": "Straße", "äö": "ÄÖ",
		"missing": "missing", "..": "..", "a:b": "a:b", ".": ".",
	} {
		if got := d.OwnName(asked); got != want {
			t.Errorf("%q is %q, want %q", asked, got, want)
		}
	}
}

// TestChangeOfCase gives a file another spelling of its own name. (Wine takes
// that for no change at all.)
func TestChangeOfCase(t *testing.T) {
	base := t.TempDir()
	if err := os.WriteFile(filepath.Join(base, "README.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	root, err := OpenRoot(base)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	d, err := root.Dir(".")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Rename("README.txt", d, "readme.txt"); err != nil {
		t.Fatal(err)
	}
	if got := d.OwnName("README.TXT"); got != "readme.txt" {
		t.Errorf("after a rename it is %q", got)
	}
}

// TestLongPaths: deeper than MAX_PATH.
func TestLongPaths(t *testing.T) {
	root, err := OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	rel, part := ".", strings.Repeat("d", 60)
	for range 8 {
		d, err := root.Dir(rel)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Mkdir(part, 0o755); err != nil {
			t.Fatalf("%d characters deep: %v", len(rel), err)
		}
		d.Close()
		if rel == "." {
			rel = part
		} else {
			rel += "/" + part
		}
	}
	d, err := root.Dir(rel)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	f, _, err := d.Create("file", 0o644)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if err := d.Rename("file", d, "other"); err != nil {
		t.Error(err)
	}
	if info, err := root.Lstat(rel + "/other"); err != nil || info.Kind != File {
		t.Errorf("%+v, %v", info, err)
	}
	if err := d.Remove("other"); err != nil {
		t.Error(err)
	}
}

// TestSharingViolation: a file that another program has for itself is busy, and
// stays as it is.
func TestSharingViolation(t *testing.T) {
	base := t.TempDir()
	p := filepath.Join(base, "taken")
	if err := os.WriteFile(p, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	root, err := OpenRoot(base)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	d, err := root.Dir(".")
	if err != nil {
		t.Fatal(err)
	}
	u, _ := windows.UTF16PtrFromString(p)
	h, err := windows.CreateFile(u, windows.GENERIC_READ, 0, nil, windows.OPEN_EXISTING, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.Open("taken", os.O_RDWR); !errors.Is(err, windows.ERROR_SHARING_VIOLATION) {
		t.Errorf("opened: %v", err)
	}
	if info, err := d.Lstat("taken"); err != nil || info.Size != 1 {
		t.Errorf("it is %+v, %v", info, err)
	}
	if err := d.Remove("taken"); err == nil {
		t.Error("removed")
	}
	windows.CloseHandle(h)
	if err := d.Remove("taken"); err != nil {
		t.Error(err)
	}
}
