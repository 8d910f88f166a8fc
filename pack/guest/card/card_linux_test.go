package card

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"unsafe"
)

// The files that a card is found by and set up with, in a root of the test's own.
func TestFiles(t *testing.T) {
	root := t.TempDir()
	write := func(rel, text string) {
		t.Helper()
		path := filepath.Join(root, rel)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("sys/class/net/lo/address", "00:00:00:00:00:00\n")
	write("sys/class/net/eth1/address", "02:00:00:00:00:0a\n")
	for mac, want := range map[string]string{"02:00:00:00:00:0a": "eth1", "02:00:00:00:00:0A": "eth1", "02:00:00:00:00:0b": ""} {
		hw, err := net.ParseMAC(mac)
		if err != nil {
			t.Fatal(err)
		}
		if got := find(root, hw); got != want {
			t.Errorf("%s: %q", mac, got)
		}
	}
	if got := find(filepath.Join(root, "none"), net.HardwareAddr{1}); got != "" {
		t.Errorf("without interfaces: %q", got)
	}
	write("elsewhere", "untouched")
	if err := os.MkdirAll(filepath.Join(root, "etc"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../elsewhere", filepath.Join(root, resolver)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := prepare(root, "10.0.2.3"); err != nil {
			t.Fatal(err)
		}
	}
	if err := withoutIPv6(root, "eth1"); err != nil {
		t.Fatalf("without IPv6 in the kernel: %v", err)
	}
	write("proc/sys/net/ipv6/conf/eth1/disable_ipv6", "0")
	if err := withoutIPv6(root, "eth1"); err != nil {
		t.Fatal(err)
	}
	if err := withoutIPv6(root, "eth2"); err == nil {
		t.Error("a card whose IPv6 cannot be switched off is taken")
	}
	for rel, want := range map[string]string{resolver: "nameserver 10.0.2.3\n", "elsewhere": "untouched", "proc/sys/net/ipv6/conf/eth1/disable_ipv6": "1"} {
		if b, err := os.ReadFile(filepath.Join(root, rel)); err != nil || string(b) != want {
			t.Errorf("%s: %q %v", rel, b, err)
		}
	}
}

// As the kernel's own headers have it on every processor with 64 bits.
func TestLayout(t *testing.T) {
	var r rtentry
	for what, at := range map[string][2]uintptr{
		"gateway": {unsafe.Offsetof(r.gateway), 24}, "flags": {unsafe.Offsetof(r.flags), 56}, "dev": {unsafe.Offsetof(r.dev), 88}, "all": {unsafe.Sizeof(r), 120},
	} {
		if at[0] != at[1] {
			t.Errorf("%s at %d, not %d", what, at[0], at[1])
		}
	}
}
