package debian

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// makeDeb builds a package with dpkg-deb.
func makeDeb(t *testing.T, out, control string, files map[string]string) {
	t.Helper()
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("needs dpkg")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	files["DEBIAN/control"] = control
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, ok := strings.CutPrefix(text, "→"); ok {
			err = os.Symlink(target, file)
		} else {
			err = os.WriteFile(file, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	c := exec.CommandContext(t.Context(), "dpkg-deb", "--root-owner-group", "--build", dir, out)
	if text, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}

const control = "Package: aa\nVersion: 1+2~3\nArchitecture: amd64\nMaintainer: x <x@example.org>\nDescription: short\n long\n .\n more\n"

// stored makes a package and puts it into a new store.
func stored(t *testing.T, control string, files map[string]string) (*Store, Package) {
	t.Helper()
	s, err := OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tmp := filepath.Join(t.TempDir(), "x.deb")
	makeDeb(t, tmp, control, files)
	data, err := os.ReadFile(tmp)
	if err != nil {
		t.Fatal(err)
	}
	p := packageOf("aa", string(data))
	if err := os.WriteFile(s.Path(p), data, 0o644); err != nil {
		t.Fatal(err)
	}
	return s, p
}

func TestContents(t *testing.T) {
	s, p := stored(t, control, map[string]string{"usr/bin/x": "hello", "usr/bin/y": "→x"})
	got := map[string]string{}
	err := Contents(t.Context(), s.Path(p), func(h *tar.Header, r io.Reader) error {
		text, err := io.ReadAll(r)
		got[h.Name] = string(text) + h.Linkname
		return err
	})
	if err != nil || got["usr/bin/x"] != "hello" || got["usr/bin/y"] != "x" {
		t.Errorf("%v %q", err, got)
	}
	stop := errors.New("stop")
	if err := Contents(t.Context(), s.Path(p), func(*tar.Header, io.Reader) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the caller's error became %v", err)
	}
	bad := filepath.Join(t.TempDir(), "bad.deb")
	if err := os.WriteFile(bad, []byte("nonsense"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Contents(t.Context(), bad, func(*tar.Header, io.Reader) error { return nil }); err == nil {
		t.Error("nonsense was read")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Contents(ended, s.Path(p), func(*tar.Header, io.Reader) error { return nil }); err == nil {
		t.Error("no error when cancelled")
	}
}

func TestWriteRepository(t *testing.T) {
	s, p := stored(t, control, map[string]string{"usr/bin/x": "hello"})
	l := someLock(p)
	dir := t.TempDir()
	if err := WriteRepository(t.Context(), dir, l, s); err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(filepath.Join(dir, "dists/trixie/main/binary-amd64/Packages"))
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%sFilename: pool/%s.deb\nSize: %d\nSHA256: %[2]s\n\n", control, p.SHA256, p.Size)
	if string(index) != want {
		t.Errorf("index %q, want %q", index, want)
	}
	release, err := os.ReadFile(filepath.Join(dir, "dists/trixie/Release"))
	if err != nil {
		t.Fatal(err)
	}
	line := fmt.Sprintf("\nSHA256:\n %x %d main/binary-amd64/Packages\n", sha256.Sum256(index), len(index))
	for _, part := range []string{line, "Codename: trixie\n", "Date: Fri, 02 Jan 2026 03:04:05 UTC\n", "Architectures: amd64\n"} {
		if !strings.Contains(string(release), part) {
			t.Errorf("no %q in %q", part, release)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, "pool", p.SHA256+".deb")); err != nil || info.Size() != p.Size {
		t.Errorf("%v %v", info, err)
	}
}

func TestWriteRepositoryRefusesMislabelled(t *testing.T) {
	s, p := stored(t, strings.Replace(control, "1+2~3", "9", 1), map[string]string{})
	err := WriteRepository(t.Context(), t.TempDir(), someLock(p), s)
	if err == nil || !strings.Contains(err.Error(), "contains aa 9") {
		t.Errorf("error %v", err)
	}
}

func TestCheckStatus(t *testing.T) {
	l := someLock(somePackage("a", "1"), somePackage("b", "2"))
	const a, b = "Package: a\nStatus: install ok installed\nVersion: 1\n\n", "Package: b\nStatus: install ok installed\nVersion: 2\n\n"
	for name, c := range map[string]struct{ status, fails string }{
		"as locked":      {a + b, ""},
		"missing":        {a, `b is "" instead of 2`},
		"other version":  {a + strings.Replace(b, "n: 2", "n: 3", 1), `b is "3" instead of 2`},
		"too many":       {a + b + "Package: c\nStatus: install ok installed\nVersion: 1\n", "c 1 is not in the lock"},
		"half installed": {a + strings.Replace(b, "ok installed", "ok half-configured", 1), `b is "install ok half-configured"`},
	} {
		t.Run(name, func(t *testing.T) {
			err := CheckStatus(strings.NewReader(c.status), l)
			if c.fails == "" && err != nil || c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)) {
				t.Errorf("error %v, want one with %q", err, c.fails)
			}
		})
	}
}
