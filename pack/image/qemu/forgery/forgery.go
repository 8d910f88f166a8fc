// Package forgery makes directories for tests that look like a QEMU for macOS.
package forgery

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"piwork/pack/image/debian"
	"piwork/pack/image/qemu"
	"piwork/pack/image/qemu/macho/machotest"
)

// Entitlements of a QEMU that uses the hypervisor.
var Entitlements = []string{"com.apple.security.cs.allow-jit", "com.apple.security.hypervisor"}

// Directory is what will be written. Tests change it before.
type Directory struct {
	Program machotest.Options
	Library machotest.Options
	Files   map[string][]byte // further files, by path; "" takes one away
	Lock    qemu.DirectoryLock
}

// New returns a directory that is all right.
func New(t qemu.Target) *Directory {
	d := &Directory{
		Program: machotest.Notarised(machotest.Options{
			Arch: t.Arch, Identifier: "qemu-system-" + t.Guest, Names: t.Needs(), Entitlements: Entitlements,
			Libraries: []string{"/usr/lib/libSystem.B.dylib", "@executable_path/../lib/libglib-2.0.0.dylib"},
		}),
		Library: machotest.Notarised(machotest.Options{Arch: t.Arch, Library: true, Identifier: "libglib"}),
		Files:   map[string][]byte{"licence/qemu": []byte("the terms of QEMU")},
		Lock: qemu.DirectoryLock{
			Schema: qemu.DirectorySchema, OS: t.OS, Arch: t.Arch, Guest: t.Guest, Time: time.Unix(1700000000, 0).UTC(),
			Sources: []debian.Source{{
				Name: "qemu", Version: "1:10.0", Archive: debian.ArchiveMain, Directory: "pool/main/q/qemu",
				Files: []debian.SourceFile{{Name: "qemu_10.0.dsc", Size: 7, SHA256: hex.EncodeToString(make([]byte, 32))}},
			}},
		},
	}
	for _, f := range t.Firmware() {
		d.Files["share/"+f] = []byte("firmware " + f)
	}
	return d
}

// Write writes the files and their lock, which says what is in them.
func (d *Directory) Write(t testing.TB, dir string) {
	t.Helper()
	files := maps.Clone(d.Files)
	program := "bin/qemu-system-" + d.Lock.Guest
	files[program] = machotest.Forge(d.Program)
	files["lib/libglib-2.0.0.dylib"] = machotest.Forge(d.Library)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		data := files[name]
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		f := qemu.DirectoryFile{Path: name, Size: int64(len(data)), SHA256: hex.EncodeToString(sum[:])}
		if name == program {
			f.Entitlements = Entitlements
		}
		d.Lock.Files = append(d.Lock.Files, f)
	}
	d.WriteLock(t, dir)
}

// WriteLock writes the lock file alone.
func (d *Directory) WriteLock(t testing.TB, dir string) {
	t.Helper()
	data, err := json.MarshalIndent(d.Lock, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, qemu.DirectoryLockFile), data, 0o644); err != nil {
		t.Fatal(err)
	}
}
