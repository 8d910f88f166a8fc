package relocate

import (
	"bytes"
	"debug/elf"
	"os"
	"strings"
	"testing"
)

func TestFile(t *testing.T) {
	const at = "/h/env"
	for name, tt := range map[string]struct{ name, content, want string }{
		"a script":                   {"usr/bin/x", "#!/bin/sh\necho\n", "#!/h/env/bin/sh\necho\n"},
		"with an argument":           {"usr/bin/x", "#! /usr/bin/perl -w\n", "#!/h/env/usr/bin/perl -w\n"},
		"by its name":                {"x", "#!/usr/bin/env node\n", "#!/h/env/usr/bin/env node\n"},
		"of another place":           {"x", "#!/home/a/sh\n", "#!/home/a/sh\n"},
		"that runs a program":        {"x", "#!/bin/sh\nexec /usr/lib/7zip/7z \"$@\" </etc/x x/usr/lib /tmp/usr/\n", "#!/h/env/bin/sh\nexec /h/env/usr/lib/7zip/7z \"$@\" </etc/x x/usr/lib /tmp/usr/\n"},
		"configuration":              {"etc/fonts/fonts.conf", "<dir>/usr/share/fonts</dir>", "<dir>/h/env/usr/share/fonts</dir>"},
		"other configuration":        {"etc/x.conf", "<dir>/usr/share/fonts</dir>", "<dir>/usr/share/fonts</dir>"},
		"where ld.so looks":          {"usr/lib/ld-linux-x86-64.so.2", "\x7fELF/lib/x86_64-linux-gnu/\x00/usr/lib/x86_64-linux-gnu/\x00/lib/\x00/usr/lib/\x00/etc/ld.so.cache\x00", "\x7fELF/-no/x86_64-linux-gnu/\x00/usr/-no/x86_64-linux-gnu/\x00/-no/\x00/usr/-no/\x00/-no/ld.so.cache\x00"},
		"a library":                  {"usr/lib/libx.so.1", "\x7fELF…", "\x7fELF…"},
		"a script without a newline": {"x", "#!/bin/sh", "#!/h/env/bin/sh"},
	} {
		if got, err := (System{}).File(at, tt.name, []byte(tt.content)); err != nil || string(got) != tt.want {
			t.Errorf("%s: %q %v", name, got, err)
		}
	}
	if got, err := (System{}).File("/"+strings.Repeat("long/", 60), "x", []byte("#!/bin/sh\n")); err == nil {
		t.Errorf("what the kernel cuts off: %q", got)
	}
	for _, dir := range []string{"/media/My Passport", "/h/a\tb", "/h/$x", "/h/it's"} {
		if got, err := (System{}).File(dir, "x", []byte("#!/bin/sh\n")); err == nil {
			t.Errorf("%s: %q: the kernel takes the path for another", dir, got)
		}
	}
	for target, want := range map[string]string{"/etc/alternatives/x": at + "/etc/alternatives/x", "../x": "../x", "/proc/self/fd": "/proc/self/fd", "/dev/null": "/dev/null", "/usr": at + "/usr", "/usrx": "/usrx"} {
		if got := (System{}).Target(at, target); got != want {
			t.Errorf("%s leads to %s", target, got)
		}
	}
}

// program is one of this computer.
func program(t *testing.T) []byte {
	t.Helper()
	b, err := os.ReadFile("/bin/sh")
	if err != nil {
		t.Skip(err)
	}
	if f, err := elf.NewFile(bytes.NewReader(b)); err != nil || f.Class != elf.ELFCLASS64 || f.ByteOrder != order {
		t.Skip("this computer has other programs")
	}
	return b
}

// What ld.so and the kernel read of a program that was changed is what was meant; everything
// else is as before. That such programs run, TestPrograms of package host has.
func TestProgram(t *testing.T) {
	before := program(t)
	after, err := (System{}).File("/h/env", "bin/sh", bytes.Clone(before))
	if err != nil {
		t.Fatal(err)
	}
	old, err := elf.NewFile(bytes.NewReader(before))
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.NewFile(bytes.NewReader(after))
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Progs) != len(old.Progs) {
		t.Errorf("%d segments, it had %d", len(f.Progs), len(old.Progs))
	}
	text := func(f *elf.File) string {
		for _, p := range f.Progs {
			if p.Type == elf.PT_INTERP {
				b := make([]byte, p.Filesz)
				if _, err := p.ReadAt(b, 0); err != nil {
					t.Fatal(err)
				}
				return strings.TrimRight(string(b), "\x00")
			}
		}
		return ""
	}
	if got := text(f); got != "/h/env"+text(old) {
		t.Errorf("interpreter %q", got)
	}
	last := uint64(0)
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			if p.Vaddr < last || p.Vaddr%p.Align != p.Off%p.Align {
				t.Errorf("%+v after %#x", p.ProgHeader, last)
			}
			last = p.Vaddr + p.Memsz
		}
	}
	if again, err := (System{}).File("/h/env", "bin/sh", bytes.Clone(before)); err != nil || !bytes.Equal(again, after) {
		t.Errorf("it is another one the second time: %v", err)
	}
}

// A file that is no program, or half of one, is an error or stays as it is: nothing else.
func TestBroken(t *testing.T) {
	whole := program(t)
	for n := range 200 {
		_, _ = (System{}).File("/h/env", "x", bytes.Clone(whole[:n]))
	}
	for at := 4; at < min(len(whole), 1024); at += 2 {
		for _, value := range []byte{0, 0x80, 0xff} {
			b := bytes.Clone(whole)
			b[at], b[at+1] = value, value
			_, _ = (System{}).File("/h/env", "x", b)
		}
	}
}
