package remote

import (
	"archive/tar"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"piwork/vmhost/wire/resume"
)

// A sender makes nothing outside of the tree, and nothing that has rights.
func TestUnpackHostile(t *testing.T) {
	outside := t.TempDir()
	dir := tar.Header{Typeflag: tar.TypeDir, Name: ".", Mode: 0o755}
	file := func(name string) tar.Header {
		return tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o6755, Size: 2}
	}
	for name, all := range map[string][]tar.Header{
		"up":                {dir, file("../x")},
		"absolute":          {dir, file("/x")},
		"over a link":       {dir, {Typeflag: tar.TypeSymlink, Name: "l", Linkname: outside}, file("l/x")},
		"over an up link":   {dir, {Typeflag: tar.TypeSymlink, Name: "l", Linkname: ".."}, file("l/x")},
		"a hard link out":   {dir, {Typeflag: tar.TypeLink, Name: "x", Linkname: "../../etc/passwd"}},
		"a hard link, abs.": {dir, {Typeflag: tar.TypeLink, Name: "x", Linkname: "/etc/passwd"}},
		"a device":          {dir, {Typeflag: tar.TypeChar, Name: "x", Devmajor: 1, Devminor: 3}},
		"a pipe":            {dir, {Typeflag: tar.TypeFifo, Name: "x"}},
		"twice":             {dir, file("x"), file("x")},
		"deep":              {dir, file(strings.Repeat("a/", maxDepth+1) + "x")},
	} {
		if err := unpack(filepath.Join(t.TempDir(), "tree"), archive(t, all)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
		t.Errorf("outside: %v %v", left, err)
	}
	at := filepath.Join(t.TempDir(), "tree")
	if err := unpack(at, archive(t, []tar.Header{dir, file("x")})); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(at, "x")); err != nil || info.Mode() != 0o755 {
		t.Errorf("%v %v", info, err)
	}
}

func archive(t testing.TB, all []tar.Header) *bytes.Reader {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range all {
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Size > 0 {
			w.Write([]byte("xy"))
		}
	}
	w.Close()
	return bytes.NewReader(b.Bytes())
}

// What is no tar is refused, however it is broken.
func FuzzUnpack(f *testing.F) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: ".", Mode: 0o755})
	w.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: "l", Linkname: "/"})
	w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "x", Mode: 0o644, Size: 2})
	w.Write([]byte("xy"))
	w.Close()
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		around := t.TempDir()
		_ = unpack(filepath.Join(around, "tree"), bytes.NewReader(b))
		if all, err := os.ReadDir(around); err != nil || len(all) != 1 {
			t.Errorf("%v %v", all, err)
		}
	})
}

// A pack has a name that is a digest, and what is not to be found is said.
func TestPackNames(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	for _, name := range []string{"", "..", "../../x", "0123", "0123456789ABCDEF", "0123456789abcdef/.."} {
		if _, err := usePack(name); err == nil {
			t.Errorf("%q is a pack", name)
		}
		if err := receivePack(name, strings.NewReader(""), &bytes.Buffer{}); err == nil {
			t.Errorf("%q is received", name)
		}
	}
	var code *codeError
	if _, err := usePack("0123456789abcdef"); !errors.As(err, &code) {
		t.Errorf("%v", err)
	}
}

// Programs that were changed stay as long as a place works with them.
func TestPackInUse(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	const name = "0123456789abcdef"
	dir, err := below("pack")
	if err == nil {
		_, err = lockFile(filepath.Join(dir, usePrefix+name), unix.LOCK_SH)
	}
	if err = errors.Join(err, os.Mkdir(filepath.Join(dir, name), 0o700)); err != nil {
		t.Fatal(err)
	}
	var code *codeError
	if err := receivePack(name, strings.NewReader(""), &bytes.Buffer{}); !errors.As(err, &code) || code.code != resume.CodeBusy {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
		t.Error(err)
	}
}
