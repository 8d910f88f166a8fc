package machine

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"piwork/vmhost/wire"
)

func TestIdentify(t *testing.T) {
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
	p := wire.PrepareParams{Hostname: "room", TimeZone: "Europe/Berlin"}
	if err := Identify(root, p); err != nil {
		t.Fatal(err)
	}
	first := read("etc/machine-id")
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
	p.TimeZone = "Mars/Olympus"
	if err := Identify(root, p); err != nil {
		t.Errorf("a zone that the image does not have: %v", err)
	}
	if read("etc/machine-id") == first {
		t.Error("two guests have the same machine-id")
	}
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
