package qemu_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piwork/pack/image/debian"
	"piwork/pack/image/qemu"
	"piwork/pack/image/qemu/forgery"
)

var mac = qemu.Target{OS: "darwin", Arch: "arm64", Guest: "aarch64"}

func TestOpenDirectory(t *testing.T) {
	for _, target := range []qemu.Target{mac, {OS: "darwin", Arch: "amd64", Guest: "x86_64"}} {
		dir := t.TempDir()
		forgery.New(target).Write(t, dir)
		d, err := qemu.OpenDirectory(dir, target)
		if err != nil {
			t.Fatal(err)
		}
		if d.AdHoc || len(d.Hash) != 64 {
			t.Errorf("%+v", d)
		}
		out := t.TempDir()
		if err := d.Place(out); err != nil {
			t.Fatal(err)
		}
		for name, mode := range map[string]os.FileMode{
			"files/bin/qemu-system-" + target.Guest: 0o755, "files/lib/libglib-2.0.0.dylib": 0o644, "licence/qemu": 0o644,
		} {
			info, err := os.Stat(filepath.Join(out, filepath.FromSlash(name)))
			if err != nil || info.Mode() != mode {
				t.Errorf("%s: %v %v", name, info, err)
			}
		}
		// What changes after the check is seen.
		if err := os.WriteFile(filepath.Join(dir, "licence/qemu"), []byte("other terms"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := d.Place(t.TempDir()); err == nil {
			t.Error("a changed file was placed")
		}
	}
}

func TestOpenDirectoryAdHoc(t *testing.T) {
	f, dir := forgery.New(mac), t.TempDir()
	f.Program.AdHoc, f.Program.CMS, f.Program.Team = true, false, ""
	f.Write(t, dir)
	if d, err := qemu.OpenDirectory(dir, mac); err != nil || !d.AdHoc {
		t.Errorf("%+v %v", d, err)
	}
}

func TestOpenDirectoryRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		before func(f *forgery.Directory)
		after  func(f *forgery.Directory, dir string)
		want   string
	}{
		"another system":         {before: func(f *forgery.Directory) { f.Lock.OS = "linux" }, want: "it is for"},
		"another processor":      {before: func(f *forgery.Directory) { f.Program.Arch = "amd64" }, want: "not a program for arm64 alone"},
		"a library as a program": {before: func(f *forgery.Directory) { f.Program.Library = true }, want: "no executable"},
		"made for iOS":           {before: func(f *forgery.Directory) { f.Program.Platform = 2 }, want: "no executable for macOS"},
		"not signed":             {before: func(f *forgery.Directory) { f.Program.Unsigned = true }, want: "not signed"},
		"library not signed":     {before: func(f *forgery.Directory) { f.Library.Unsigned = true }, want: "not signed"},
		"no hardened runtime":    {before: func(f *forgery.Directory) { f.Program.Hardened = false }, want: "notarisation"},
		"no certificate":         {before: func(f *forgery.Directory) { f.Program.CMS = false }, want: "notarisation"},
		"no hypervisor": {before: func(f *forgery.Directory) {
			f.Program.Entitlements = forgery.Entitlements[:1]
		}, want: "the lock says"},
		"hypervisor said no": {before: func(f *forgery.Directory) {
			f.Program.Entitlements = []string{forgery.Entitlements[0], "!" + forgery.Entitlements[1]}
		}, want: "the lock says"},
		"debuggers let in": {before: func(f *forgery.Directory) {
			f.Program.Entitlements = append([]string{"com.apple.security.get-task-allow"}, forgery.Entitlements...)
		}, want: "entitled to com.apple.security.get-task-allow"},
		"foreign libraries let in": {before: func(f *forgery.Directory) {
			f.Program.Entitlements = append([]string{"com.apple.security.cs.disable-library-validation"}, forgery.Entitlements...)
		}, want: "disable-library-validation"},
		"a library of somebody's": {before: func(f *forgery.Directory) { f.Program.Libraries = []string{"/opt/local/lib/libglib-2.0.0.dylib"} }, want: "it needs /opt"},
		"a library that is not there": {before: func(f *forgery.Directory) {
			f.Program.Libraries = []string{"@rpath/libpixman.dylib"}
		}, want: "it needs @rpath"},
		"a library from elsewhere": {before: func(f *forgery.Directory) {
			f.Program.Libraries = []string{"@executable_path/../../lib/libglib-2.0.0.dylib"}
		}, want: "it needs"},
		"without hvf":         {before: func(f *forgery.Directory) { f.Program.Names = without(f.Program.Names, "hvf-accel") }, want: "without hvf-accel"},
		"without a device":    {before: func(f *forgery.Directory) { f.Program.Names = without(f.Program.Names, "virtserialport") }, want: "without virtserialport"},
		"a program as data":   {before: func(f *forgery.Directory) { f.Files["share/tool"] = []byte("\xcf\xfa\xed\xfe") }, want: "among data"},
		"a script as program": {before: func(f *forgery.Directory) { f.Files["bin/qemu-img"] = []byte("#!/bin/sh\n") }, want: "mach-o"},
		"no sources":          {before: func(f *forgery.Directory) { f.Lock.Sources = nil }, want: "no sources"},
		"no terms":            {before: func(f *forgery.Directory) { delete(f.Files, "licence/qemu"); f.Files["licence/x"] = []byte("x") }, want: "no terms of qemu"},
		"a strange source": {before: func(f *forgery.Directory) {
			f.Lock.Sources = []debian.Source{{Name: "qemu", Version: "1", Archive: "elsewhere"}}
		}, want: "archive"},
		"another schema": {before: func(f *forgery.Directory) { f.Lock.Schema++ }, want: "schema"},
		"a file outside": {after: func(f *forgery.Directory, dir string) { f.Lock.Files[0].Path = "../x/y" }, want: "file"},
		"a hidden file":  {after: func(f *forgery.Directory, dir string) { f.Lock.Files[0].Path = "bin/.x" }, want: "file"},
		"another place":  {after: func(f *forgery.Directory, dir string) { f.Lock.Files[0].Path = "Applications/x" }, want: "file"},
		"a file twice":   {after: func(f *forgery.Directory, dir string) { f.Lock.Files[1] = f.Lock.Files[0] }, want: "not after"},
		"a flipped bit":  {after: func(f *forgery.Directory, dir string) { f.Lock.Files[0].SHA256 = strings.Repeat("0", 64) }, want: "SHA-256"},
		"another size":   {after: func(f *forgery.Directory, dir string) { f.Lock.Files[0].Size++ }, want: "bytes, the lock says"},
		"a huge size":    {after: func(f *forgery.Directory, dir string) { f.Lock.Files[0].Size = 1 << 40 }, want: "size"},
		"a missing file": {after: func(f *forgery.Directory, dir string) { _ = os.Remove(filepath.Join(dir, "licence/qemu")) }, want: "licence/qemu"},
		"one file more": {after: func(f *forgery.Directory, dir string) {
			_ = os.WriteFile(filepath.Join(dir, "bin/extra"), []byte("x"), 0o755)
		}, want: "bin/extra is not in the lock"},
		"a link out": {after: func(f *forgery.Directory, dir string) {
			_ = os.Remove(filepath.Join(dir, "licence/qemu"))
			_ = os.Symlink("/etc/hostname", filepath.Join(dir, "licence/qemu"))
		}, want: "licence/qemu"},
	} {
		t.Run(name, func(t *testing.T) {
			f, dir := forgery.New(mac), t.TempDir()
			if c.before != nil {
				c.before(f)
			}
			f.Write(t, dir)
			if c.after != nil {
				c.after(f, dir)
				f.WriteLock(t, dir)
			}
			_, err := qemu.OpenDirectory(dir, mac)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

func without(names []string, name string) []string {
	var left []string
	for _, n := range names {
		if n != name {
			left = append(left, n)
		}
	}
	return left
}

// FuzzParseDirectoryLock: whatever a lock file says, it is refused or harmless.
func FuzzParseDirectoryLock(f *testing.F) {
	dir := f.TempDir()
	forgery.New(mac).Write(f, dir)
	data, err := os.ReadFile(filepath.Join(dir, qemu.DirectoryLockFile))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"schema":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := qemu.ParseDirectoryLock(data)
		if err != nil {
			return
		}
		for _, file := range l.Files {
			if !filepath.IsLocal(filepath.FromSlash(file.Path)) {
				t.Errorf("path %q", file.Path)
			}
		}
	})
}
