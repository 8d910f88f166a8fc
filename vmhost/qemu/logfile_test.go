package qemu

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLogFileIsBounded(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "console.log")
	l, err := openLog(path, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var all bytes.Buffer
	for i := range 500 {
		p := bytes.Repeat([]byte{byte('a' + i%26)}, i%97)
		all.Write(p)
		if n, err := l.Write(p); n != len(p) || err != nil {
			t.Fatalf("write: %d %v", n, err)
		}
	}
	if _, err := l.Write(bytes.Repeat([]byte("x"), 5500)); err != nil { // more than both files hold
		t.Fatal(err)
	}
	all.Write(bytes.Repeat([]byte("x"), 5500))
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Write([]byte("late")); err != nil {
		t.Error("a write after Close failed")
	}
	older, err := os.ReadFile(path + ".1")
	if err != nil {
		t.Fatal(err)
	}
	newer, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(older) != 1000 || len(newer) > 1000 {
		t.Errorf("%d and %d bytes", len(older), len(newer))
	}
	if !bytes.HasSuffix(all.Bytes(), append(older, newer...)) {
		t.Error("the files are not the end of what was written")
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 2 {
		t.Errorf("files: %v %v", names, err)
	}
	if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("mode %v %v", fi.Mode(), err)
	}
}

func TestLogFileGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "qemu.log")
	for _, text := range []string{"one\n", "two\n"} {
		l, err := openLog(path, 1000)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "one\ntwo\n" {
		t.Errorf("%q %v", b, err)
	}
}

// A log that cannot be rotated ends; its writer does not.
func TestLogFileBreaks(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "log")
	if err := os.MkdirAll(path+".1/in the way", 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := openLog(path, 10)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if n, err := l.Write([]byte("0123456")); n != 7 || err != nil {
			t.Errorf("%d %v", n, err)
		}
	}
	if err := l.Close(); err == nil {
		t.Error("Close does not say that the log is not whole")
	}
}

func TestTail(t *testing.T) {
	tl := &tail{max: 10}
	for _, tt := range []struct{ write, want string }{
		{"abc", "abc"},
		{"", "abc"},
		{"defghij", "abcdefghij"},
		{"kl", "cdefghijkl"},
		{strings.Repeat("y", 9) + "0123456789", "0123456789"},
	} {
		if _, err := tl.Write([]byte(tt.write)); err != nil || tl.String() != tt.want {
			t.Errorf("after %q: %q, want %q", tt.write, tl.String(), tt.want)
		}
	}
}
