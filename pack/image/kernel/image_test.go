package kernel

import (
	"errors"
	"strings"
	"testing"

	"piwork/pack/image/internal/elftest"
)

func TestCheckImage(t *testing.T) {
	notes := append(elftest.Note("Linux", 1, []byte("abcde")), elftest.Note("Xen", 18, make([]byte, 8))...)
	pvh := elftest.File{Notes: append(notes, elftest.Note("GNU", 3, nil)...)}.Bytes()
	arm := []byte(strings.Repeat("\x00", arm64MagicAt) + arm64Magic + "rest")
	for _, tt := range []struct {
		name, guest string
		image       []byte
		ok          bool
	}{
		{"vmlinux", "x86_64", pvh, true},
		{"no notes", "x86_64", elftest.File{}.Bytes(), false},
		{"another note", "x86_64", elftest.File{Notes: elftest.Note("Xen", 17, make([]byte, 8))}.Bytes(), false},
		{"another name", "x86_64", elftest.File{Notes: elftest.Note("Zen", 18, make([]byte, 8))}.Bytes(), false},
		{"half a note", "x86_64", elftest.File{Notes: elftest.Note("Xen", 18, make([]byte, 8))[:10]}.Bytes(), false},
		{"Image for x86", "x86_64", arm, false},
		{"nothing", "x86_64", nil, false},
		{"Image", "aarch64", arm, true},
		{"vmlinux for arm64", "aarch64", pvh, false},
		{"half a header", "aarch64", arm[:arm64MagicAt+2], false},
	} {
		if err := checkImage(tt.guest, tt.image); (err == nil) != tt.ok || err != nil && !errors.Is(err, errNotBootable) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}
