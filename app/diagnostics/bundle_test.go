package diagnostics

import (
	"archive/zip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piwork/app/problem"
)

func sample() Bundle {
	c := NewCollector(anna(), time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC))
	c.JSON("about.json", map[string]any{"version": "1.0.0", "n": 12345678901234567})
	c.Text("logs/qemu.log", "open /home/anna/x: permission denied\r\nü\n")
	c.Failed("audit.json", errors.New("read /home/anna/CANARY: eof"))
	return c.Bundle()
}

// What is written is what was shown, byte for byte.
func TestWrittenIsShown(t *testing.T) {
	b := sample()
	path := filepath.Join(t.TempDir(), "report.zip")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	n, err := b.Write(path, true)
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if info, err := os.Stat(path); err != nil || info.Size() != n || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	if len(z.File) != len(b.Files) {
		t.Fatalf("%d files, shown were %d", len(z.File), len(b.Files))
	}
	for i, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil || f.Name != b.Files[i].Name || string(data) != b.Files[i].Text || int64(len(data)) != b.Files[i].Bytes {
			t.Errorf("%s: %q, shown was %+v (%v)", f.Name, data, b.Files[i], err)
		}
		if c := leaks(string(data)); c != "" {
			t.Errorf("%s leaks %s", f.Name, c)
		}
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("%v %v", left, err)
	}
	again, err := b.Zip()
	if err != nil {
		t.Fatal(err)
	}
	if data, _ := os.ReadFile(path); string(data) != string(again) {
		t.Error("the same bundle gives other bytes")
	}
}

// What cannot be written leaves nothing behind, and replaces nothing but a file.
func TestWriteRefuses(t *testing.T) {
	dir := t.TempDir()
	for path, code := range map[string]string{dir: problem.CodeOutputExists, filepath.Join(dir, "none", "x.zip"): problem.CodeOutputDenied} {
		if _, err := sample().Write(path, true); err == nil || problem.From(err).Code != code {
			t.Errorf("%s: %v", path, err)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 0 {
		t.Errorf("%v %v", left, err)
	}
}

// Nothing grows without bounds, and the end of a log is what stays.
func TestBounds(t *testing.T) {
	c := NewCollector(anna(), time.Time{})
	c.Text("a.log", strings.Repeat("first of all the lines of a log that goes on and on and on\n", MaxFile/16)+"last\n")
	c.Text("one-line.log", strings.Repeat("x", 2*MaxFile))
	c.JSON("big.json", []string{strings.Repeat("word ", MaxFile/4)})
	for range 18 {
		c.JSON("numbers.json", make([]int, MaxFile/4)) // long, and no text that takes a while to redact
	}
	total := int64(0)
	for _, f := range c.Bundle().Files {
		if total += f.Bytes; f.Bytes > MaxFile+64 || f.Bytes != int64(len(f.Text)) {
			t.Errorf("%s: %d bytes", f.Name, f.Bytes)
		}
	}
	if total > MaxBundle+64*64 {
		t.Errorf("%d bytes in all", total)
	}
	if first := c.Bundle().Files[0].Text; !strings.HasSuffix(first, "last\n") || !strings.HasPrefix(first, "[…]\nfirst") {
		t.Errorf("%.40q … %.40q", first, first[len(first)-40:])
	}
}
