package qemu

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"piwork/pack/image/debian"
	"piwork/pack/image/qemu/macho"
)

// DirectoryLockFile lies in the directory of a QEMU that was built elsewhere.
const DirectoryLockFile = "qemu.lock.json"

// DirectorySchema is the form of that file.
const DirectorySchema = 1

// Bounds of a directory.
const (
	maxDirectoryLock  = 1 << 20
	maxDirectoryFiles = 512
	maxDirectoryBytes = 1 << 30
)

// DirectoryLock says what a directory with a QEMU has to be, byte by byte, and
// what it was built from.
type DirectoryLock struct {
	Schema int       `json:"schema"`
	OS     string    `json:"os"`    // of the host, as GOOS
	Arch   string    `json:"arch"`  // of the host, as GOARCH
	Guest  string    `json:"guest"` // as QEMU names it
	Time   time.Time `json:"time"`  // of the build, for what is made from it
	// Sources are Debian's source packages that it was built from, for the offer
	// of sources; the terms of each are in licence/<name>.
	Sources []debian.Source `json:"sources"`
	Files   []DirectoryFile `json:"files"` // by path: bin/, lib/, share/ and licence/
}

// DirectoryFile is one file of the directory.
type DirectoryFile struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"` // bytes
	SHA256 string `json:"sha256"`
	// Entitlements are those that the program's signature grants, in order;
	// programs and libraries only.
	Entitlements []string `json:"entitlements,omitempty"`
}

// Entitlements that a program for macOS must have, by accelerator, and all that
// it may have: each of the others would open a door.
const (
	entitlementHypervisor = "com.apple.security.hypervisor"
	entitlementJIT        = "com.apple.security.cs.allow-jit"
)

// Directory is a checked directory.
type Directory struct {
	Dir  string
	Lock DirectoryLock
	Hash string // of the lock file, to key what is made from it
	// AdHoc says that nobody vouches for the program: macOS starts it on the
	// developer's own machine only.
	AdHoc bool
}

// OpenDirectory reads a directory with a QEMU for a target and holds it to its
// lock file and to what the target needs. Nothing of it is run.
func OpenDirectory(dir string, t Target) (*Directory, error) {
	d, err := openDirectory(dir, t)
	if err != nil {
		return nil, fmt.Errorf("QEMU in %s: %w", dir, err)
	}
	return d, nil
}

func openDirectory(dir string, t Target) (*Directory, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.Open(DirectoryLockFile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxDirectoryLock+1))
	if err != nil {
		return nil, err
	}
	lock, err := ParseDirectoryLock(data)
	if err != nil {
		return nil, err
	}
	if lock.OS != t.OS || lock.Arch != t.Arch || lock.Guest != t.Guest {
		return nil, fmt.Errorf("it is for %s/%s and guests of %s, not %s/%s and %s", lock.OS, lock.Arch, lock.Guest, t.OS, t.Arch, t.Guest)
	}
	sum := sha256.Sum256(data)
	d := &Directory{Dir: dir, Lock: *lock, Hash: hex.EncodeToString(sum[:])}
	if err := d.checkFiles(root, t); err != nil {
		return nil, err
	}
	return d, d.checkNothingElse(root)
}

// ParseDirectoryLock reads and checks a lock file.
func ParseDirectoryLock(data []byte) (*DirectoryLock, error) {
	if len(data) > maxDirectoryLock {
		return nil, fmt.Errorf("%s: more than %d bytes", DirectoryLockFile, maxDirectoryLock)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var l DirectoryLock
	if err := dec.Decode(&l); err != nil {
		return nil, fmt.Errorf("%s: %w", DirectoryLockFile, err)
	}
	if err := l.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", DirectoryLockFile, err)
	}
	return &l, nil
}

func (l *DirectoryLock) check() error {
	if l.Schema != DirectorySchema {
		return fmt.Errorf("schema %d, this program knows %d", l.Schema, DirectorySchema)
	}
	if l.Time.IsZero() || len(l.Sources) == 0 || len(l.Files) > maxDirectoryFiles {
		return errors.New("no time, no sources or too many files")
	}
	// A lock of packages checks its sources.
	whole := debian.Lock{Schema: debian.LockSchema, Suite: "directory", Architecture: BuildArch, Time: l.Time, Sources: l.Sources}
	data, err := whole.Encode()
	if err != nil {
		return err
	}
	if _, err := debian.ParseLock(data); err != nil {
		return err
	}
	var total int64
	for i, f := range l.Files {
		hash, err := hex.DecodeString(f.SHA256)
		top, _, below := strings.Cut(f.Path, "/")
		switch {
		case !fs.ValidPath(f.Path) || !below || !slices.Contains([]string{"bin", "lib", "share", "licence"}, top) || strings.Contains(f.Path, "/."):
			return fmt.Errorf("file %q", f.Path)
		case i > 0 && l.Files[i-1].Path >= f.Path:
			return fmt.Errorf("%s is not after %s", f.Path, l.Files[i-1].Path)
		case f.Size <= 0 || f.Size > maxDirectoryBytes:
			return fmt.Errorf("%s: size %d", f.Path, f.Size)
		case err != nil || len(hash) != 32 || f.SHA256 != strings.ToLower(f.SHA256):
			return fmt.Errorf("%s: SHA-256 %q", f.Path, f.SHA256)
		}
		if total += f.Size; total > maxDirectoryBytes {
			return fmt.Errorf("more than %d bytes", int64(maxDirectoryBytes))
		}
	}
	for _, s := range l.Sources {
		if _, ok := l.file("licence/" + s.Name); !ok {
			return fmt.Errorf("no terms of %s", s.Name)
		}
	}
	return nil
}

func (l *DirectoryLock) file(name string) (DirectoryFile, bool) {
	i, ok := slices.BinarySearchFunc(l.Files, name, func(f DirectoryFile, n string) int { return strings.Compare(f.Path, n) })
	if !ok {
		return DirectoryFile{}, false
	}
	return l.Files[i], true
}

// checkFiles holds every file to its lock, and programs to the target.
func (d *Directory) checkFiles(root *os.Root, t Target) error {
	program := "bin/" + t.Program()
	wanted := []string{program}
	for _, f := range needsOf[t.Guest].firmware {
		wanted = append(wanted, "share/"+f)
	}
	for _, name := range wanted {
		if _, ok := d.Lock.file(name); !ok {
			return fmt.Errorf("no %s", name)
		}
	}
	for _, f := range d.Lock.Files {
		file, err := root.Open(f.Path)
		if err != nil {
			return err
		}
		err = d.checkFile(file, f, t)
		file.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	return nil
}

func (d *Directory) checkFile(file *os.File, f DirectoryFile, t Target) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Size() != f.Size {
		return fmt.Errorf("%s with %d bytes, the lock says a file with %d", info.Mode().Type(), info.Size(), f.Size)
	}
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(file, f.Size+1)); err != nil {
		return err
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != f.SHA256 {
		return fmt.Errorf("SHA-256 %s, the lock says %s", got, f.SHA256)
	}
	head := make([]byte, min(4, f.Size))
	if _, err := file.ReadAt(head, 0); err != nil {
		return err
	}
	top := path.Dir(f.Path)
	code := top == "bin" || strings.HasPrefix(f.Path, "lib/")
	if !code && (macho.Is(head) || len(f.Entitlements) > 0) {
		return errors.New("a program among data")
	}
	if !code {
		return nil
	}
	programs, err := macho.Read(file, f.Size)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(programs, func(p macho.Program) bool { return p.Arch == t.Arch })
	if i < 0 || len(programs) > 1 {
		return fmt.Errorf("not a program for %s alone", t.Arch)
	}
	p := programs[i]
	if err := d.checkProgram(p, f, top == "bin"); err != nil {
		return err
	}
	if f.Path != "bin/"+t.Program() {
		return nil
	}
	d.AdHoc = p.Signature.AdHoc
	have := p.Names(t.Needs())
	var missing []string
	for _, n := range t.Needs() {
		if !have[n] {
			missing = append(missing, n)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("built without %s", strings.Join(missing, ", "))
	}
	needed := []string{entitlementJIT}
	if slices.Contains(t.Needs(), "hvf-accel") {
		needed = append(needed, entitlementHypervisor)
	}
	for _, e := range needed {
		if !p.Signature.Entitlements[e] {
			return fmt.Errorf("not entitled to %s", e)
		}
	}
	return nil
}

// checkProgram holds a program or library to what any of them must be.
func (d *Directory) checkProgram(p macho.Program, f DirectoryFile, executable bool) error {
	kind := macho.Library
	if executable {
		kind = macho.Executable
	}
	if p.Kind != kind || !p.MacOS {
		return fmt.Errorf("no %s for macOS", kind)
	}
	for _, l := range p.Libraries {
		if strings.HasPrefix(l, "/usr/lib/") || strings.HasPrefix(l, "/System/Library/") {
			continue
		}
		name := path.Base(l)
		place := strings.TrimSuffix(l, "/"+name)
		if _, ok := d.Lock.file("lib/" + name); !ok || !slices.Contains([]string{"@rpath", "@loader_path", "@executable_path/../lib", "@loader_path/../lib"}, place) {
			return fmt.Errorf("it needs %s", l)
		}
	}
	if p.Signature == nil {
		return errors.New("not signed")
	}
	var granted []string
	for e, yes := range p.Signature.Entitlements {
		if e != entitlementHypervisor && e != entitlementJIT {
			return fmt.Errorf("entitled to %s", e)
		}
		if yes {
			granted = append(granted, e)
		}
	}
	slices.Sort(granted)
	if !slices.Equal(granted, f.Entitlements) {
		return fmt.Errorf("entitled to %v, the lock says %v", granted, f.Entitlements)
	}
	if !p.Signature.AdHoc && (!p.Signature.Hardened || !p.Signature.CMS || p.Signature.Team == "") {
		return errors.New("signed, but not for notarisation: no hardened runtime, certificate or team")
	}
	return nil
}

// checkNothingElse refuses files that the lock does not name.
func (d *Directory) checkNothingElse(root *os.Root) error {
	return fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || name == DirectoryLockFile {
			return err
		}
		if _, ok := d.Lock.file(name); !ok {
			return fmt.Errorf("%s is not in the lock", name)
		}
		return nil
	})
}

// Place copies the directory into a part, in the form of [Build]. What is copied
// is held to the lock once more.
func (d *Directory) Place(dir string) error {
	root, err := os.OpenRoot(d.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range d.Lock.Files {
		to := path.Join(FilesDir, f.Path)
		if name, ok := strings.CutPrefix(f.Path, "licence/"); ok {
			to = path.Join(LicenceDir, name)
		}
		mode := fs.FileMode(0o644)
		if strings.HasPrefix(f.Path, "bin/") {
			mode = 0o755
		}
		if err := d.place(root, f, filepath.Join(dir, filepath.FromSlash(to)), mode); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	return nil
}

func (d *Directory) place(root *os.Root, f DirectoryFile, to string, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	in, err := root.Open(f.Path)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	defer out.Close()
	h := sha256.New()
	if _, err := io.Copy(io.MultiWriter(out, h), io.LimitReader(in, f.Size+1)); err != nil {
		return err
	}
	if hex.EncodeToString(h.Sum(nil)) != f.SHA256 {
		return errors.New("changed meanwhile")
	}
	return errors.Join(out.Chmod(mode), out.Close())
}
