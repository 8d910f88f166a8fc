package macho_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"piwork/pack/image/qemu/macho"
	"piwork/pack/image/qemu/macho/machotest"
)

func read(data []byte) ([]macho.Program, error) {
	return macho.Read(bytes.NewReader(data), int64(len(data)))
}

func TestRead(t *testing.T) {
	o := machotest.Notarised(machotest.Options{
		Arch: "arm64", Libraries: []string{"/usr/lib/libSystem.B.dylib", "@rpath/libglib.dylib"}, Names: []string{"hvf-accel", "virtio-blk-pci"},
		Identifier: "org.example.qemu", Entitlements: []string{"com.apple.security.hypervisor", "!com.apple.security.cs.allow-jit"},
	})
	thin := machotest.Forge(o)
	other := machotest.Forge(machotest.Options{Arch: "amd64", Unsigned: true, Platform: 2})
	all, err := read(machotest.Fat(thin, other))
	if err != nil || len(all) != 2 {
		t.Fatalf("%v %v", all, err)
	}
	single, err := read(thin)
	if err != nil || len(single) != 1 {
		t.Fatalf("%v %v", single, err)
	}
	for _, p := range []macho.Program{all[0], single[0]} {
		s := p.Signature
		if p.Arch != "arm64" || p.Kind != macho.Executable || !p.MacOS || p.MinOS != "12.0" || !slices.Equal(p.Libraries, o.Libraries) || s == nil {
			t.Fatalf("%+v", p)
		}
		if s.Identifier != o.Identifier || s.Team != o.Team || s.AdHoc || !s.Hardened || !s.CMS {
			t.Errorf("%+v", s)
		}
		if len(s.Entitlements) != 2 || !s.Entitlements["com.apple.security.hypervisor"] || s.Entitlements["com.apple.security.cs.allow-jit"] {
			t.Errorf("%v", s.Entitlements)
		}
		if n := p.Names([]string{"hvf-accel", "virtio-blk", "virtio-blk-pci", "tcg-accel"}); len(n) != 2 || !n["hvf-accel"] || !n["virtio-blk-pci"] {
			t.Errorf("%v", n)
		}
	}
	if p := all[1]; p.Arch != "amd64" || p.Kind != macho.Executable || p.MacOS || p.Signature != nil {
		t.Errorf("%+v", p)
	}
}

func TestLibrary(t *testing.T) {
	all, err := read(machotest.Forge(machotest.Options{Arch: "amd64", Library: true, AdHoc: true, Identifier: "l"}))
	if err != nil || all[0].Kind != macho.Library || !all[0].Signature.AdHoc || all[0].Signature.Hardened {
		t.Errorf("%+v %v", all, err)
	}
}

func TestReadRefuses(t *testing.T) {
	good := machotest.Forge(machotest.Options{Arch: "arm64", Identifier: "x", Entitlements: []string{"a"}})
	// change replaces bytes of the file that occur in it once.
	change := func(from, to string) []byte {
		if bytes.Count(good, []byte(from)) != 1 {
			t.Fatalf("%q occurs %d times", from, bytes.Count(good, []byte(from)))
		}
		return bytes.Replace(good, []byte(from), []byte(to), 1)
	}
	plist := func(text string) []byte {
		return machotest.Forge(machotest.Options{Arch: "arm64", Plist: text})
	}
	for name, data := range map[string][]byte{
		"nothing":                    {},
		"text":                       []byte("#!/bin/sh\nexit 0\n"),
		"cut in the header":          good[:20],
		"cut in the signature":       good[:len(good)-1],
		"no slices":                  machotest.Fat(),
		"a slice past the end":       machotest.Fat(good)[:100],
		"other signature":            change("\xfa\xde\x0c\xc0", "\xfa\xde\x0c\xc1"),
		"no code directory":          change("\xfa\xde\x0c\x02", "\xfa\xde\x0c\x03"),
		"many blobs":                 change("\xfa\xde\x0c\xc0\x00\x00", "\xfa\xde\x0c\xc0\xff\xff"),
		"entitlements: no list":      plist("<plist></plist>"),
		"entitlements: two lists":    plist("<plist><dict/><dict/></plist>"),
		"entitlements: an array":     plist("<plist><array/></plist>"),
		"entitlements: no key":       plist("<plist><dict><true/></dict></plist>"),
		"entitlements: a key twice":  plist("<plist><dict><key>a</key><true/><key>a</key><false/></dict></plist>"),
		"entitlements: not finished": plist("<plist><dict><key>a</key><true/>"),
		"entitlements: entities":     plist("<!DOCTYPE p [<!ENTITY e 'x'>]><plist><dict><key>&e;</key><true/></dict></plist>"),
	} {
		if p, err := read(data); err == nil {
			t.Errorf("%s: accepted, %+v", name, p)
		}
	}
}

func TestIs(t *testing.T) {
	thin := machotest.Forge(machotest.Options{Arch: "amd64"})
	for name, c := range map[string]struct {
		head []byte
		want bool
	}{
		"thin": {thin, true}, "fat": {machotest.Fat(thin), true}, "text": {[]byte(strings.Repeat("x", 8)), false}, "short": {thin[:3], false},
	} {
		if got := macho.Is(c.head); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// FuzzRead: nothing that a file says makes the reader fail other than by an
// error.
func FuzzRead(f *testing.F) {
	o := machotest.Options{Arch: "arm64", Libraries: []string{"/usr/lib/l"}, Names: []string{"n"}, Identifier: "i", Entitlements: []string{"a", "!b"}}
	thin := machotest.Forge(machotest.Notarised(o))
	f.Add(thin)
	f.Add(machotest.Fat(thin, machotest.Forge(machotest.Options{Arch: "amd64", Unsigned: true})))
	f.Add(machotest.Forge(machotest.Options{Arch: "amd64", AdHoc: true, Plist: "<plist><dict><key>a</key><array><true/></array></dict></plist>"}))
	f.Fuzz(func(t *testing.T, data []byte) {
		programs, err := read(data)
		if err != nil {
			return
		}
		for _, p := range programs {
			p.Names([]string{"n"})
			if p.Signature != nil && p.Signature.Entitlements == nil {
				t.Error("a signature without a list of entitlements")
			}
		}
	})
}
