package machine

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

func TestNames(t *testing.T) {
	root := t.TempDir()
	for _, d := range []string{"etc", "usr/share/zoneinfo/Europe"} {
		if err := os.MkdirAll(filepath.Join(root, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{"usr/share/zoneinfo/Europe/Berlin", "outside"} {
		if err := os.WriteFile(filepath.Join(root, f), []byte("keep"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// Files of the image may be links; they are replaced, never followed.
	if err := os.Symlink(filepath.Join(root, "outside"), filepath.Join(root, "etc/hostname")); err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Error(err)
		}
		return string(b)
	}
	n := Names{Root: root, Run: t.TempDir()}
	if err := errors.Join(n.Fresh(), n.Write("room", "Europe/Berlin")); err != nil {
		t.Fatal(err)
	}
	first, firstBoot := read("etc/machine-id"), readBootID(t, n)
	if !regexp.MustCompile(`^[0-9a-f]{32}\n$`).MatchString(first) {
		t.Errorf("machine-id %q", first)
	}
	if read("etc/hostname") != "room\n" || read("outside") != "keep" {
		t.Errorf("hostname %q, outside %q", read("etc/hostname"), read("outside"))
	}
	if hosts := read("etc/hosts"); hosts != "127.0.0.1 localhost\n127.0.1.1 room\n::1 localhost ip6-localhost ip6-loopback\n" {
		t.Errorf("hosts %q", hosts)
	}
	if link, err := os.Readlink(filepath.Join(root, "etc/localtime")); err != nil || link != "/usr/share/zoneinfo/Europe/Berlin" {
		t.Errorf("localtime %q, %v", link, err)
	}
	// What is written is not written again: then nothing is copied up after a
	// restore.
	if err := os.WriteFile(filepath.Join(root, "etc/hosts"), []byte("kept"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(n.Fresh(), n.Write("room", "Europe/Berlin"), n.Write("", "")); err != nil || read("etc/hosts") != "kept" {
		t.Errorf("%v, %q", err, read("etc/hosts"))
	}
	if read("etc/machine-id") == first || readBootID(t, n) == firstBoot {
		t.Error("two guests have the same ids")
	}
	if err := n.Write("other", "Mars/Olympus"); err != nil {
		t.Errorf("a zone that the image does not have: %v", err)
	}
	if read("etc/hostname") != "other\n" {
		t.Errorf("hostname %q", read("etc/hostname"))
	}
	n.Moved()
	if err := os.Remove(filepath.Join(root, "etc/machine-id")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(n.Fresh(), n.Write("room", "")); err != nil || read("etc/hostname") != "room\n" || len(read("etc/machine-id")) != 33 {
		t.Errorf("%v, hostname %q, machine-id %q", err, read("etc/hostname"), read("etc/machine-id"))
	}
}

func readBootID(t *testing.T, n Names) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(n.Run, bootIDFile))
	if err != nil || !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\n$`).Match(b) {
		t.Errorf("%q, %v", b, err)
	}
	return string(b)
}

func TestPackageVersions(t *testing.T) {
	status := filepath.Join(t.TempDir(), "status")
	text := "Package: qpdf\nStatus: install ok installed\nVersion: 12.2.0-1\n\nPackage: other\nVersion: 1\n\n" +
		"Package: imagemagick-7.q16\nDescription: x\n Version: 9\nVersion: 8:7.1.1.43+dfsg1-1+deb13u14\n"
	if err := os.WriteFile(status, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := PackageVersions(status, map[string]string{"qpdf": "qpdf", "imagemagick-7.q16": "imagemagick", "absent": "absent"})
	if err != nil || len(got) != 2 || got["qpdf"] != "12.2.0" || got["imagemagick"] != "7.1.1.43" {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := PackageVersions(status+"x", nil); err == nil {
		t.Error("a missing file is no error")
	}
}

func TestUpstream(t *testing.T) {
	for in, want := range map[string]string{"1.2-3": "1.2", "1:2.3": "2.3", "0.6.1": "0.6.1", "1.0-rc1-2": "1.0-rc1", "2:1+dfsg1-4": "1", "": ""} {
		if got := upstream(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestAvailable(t *testing.T) {
	for text, want := range map[string]int64{
		"MemTotal:  2048 kB\nMemAvailable:     1024 kB\nBuffers: 1 kB\n": 1 << 20, "MemTotal: 5 kB\n": 0, "MemAvailable: x kB\n": 0, "": 0,
	} {
		if got := available(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
