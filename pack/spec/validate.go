package spec

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/Masterminds/semver/v3"

	"piwork/pack/lazyregexp"
)

// Bounds on manifests. A pack beyond them is refused, signed or not: a mistake
// while building one must not fill a person's disk.
const (
	MaxManifest = 8 << 20         // bytes
	MaxFiles    = 20_000          // files in a pack
	MaxFileSize = 8<<30 - 1       // bytes of one file: what USTAR can say
	MaxPackSize = int64(16) << 30 // bytes of all files
	MaxTools    = 1_000           // also of layers
	MaxLicences = 10_000          // entries
	MaxWord     = 1 << 10         // bytes of any other text
	MaxVersion  = 64              // bytes
)

var (
	wordPattern = lazyregexp.New(`^[a-z][a-z0-9-]{0,63}$`)
	// ArchPattern is the form of a processor's name, as Go or QEMU have it.
	ArchPattern = lazyregexp.New(`^[a-z0-9_]{1,32}$`)
)

// Validate checks everything that can be checked without a file. It changes
// nothing.
func (m *Manifest) Validate() error {
	bad := func(format string, args ...any) error {
		return Refuse(KindBadManifest, ManifestName, format, args...)
	}
	switch {
	case m.Schema != Schema:
		return bad("schema %d", m.Schema)
	case m.Minor < 0 || m.Minor > 1000:
		return bad("minor %d", m.Minor)
	case m.Key != "" && !IsSHA256(m.Key):
		return bad("key %.80q", m.Key)
	case !wordPattern().MatchString(m.Name):
		return bad("name %.80q", m.Name)
	case !ArchPattern().MatchString(m.HostOS) || !ArchPattern().MatchString(m.HostArch):
		return bad("host %.80q %.80q", m.HostOS, m.HostArch)
	case !ArchPattern().MatchString(m.GuestArch):
		return bad("guest architecture %.80q", m.GuestArch)
	case m.Flavour != "" && !wordPattern().MatchString(string(m.Flavour)):
		return bad("flavour %.80q", m.Flavour)
	}
	if err := CheckVersion(m.Version); err != nil {
		return bad("version %.80q: %w", m.Version, err)
	}
	if m.RequiresApp != "" {
		if len(m.RequiresApp) > MaxWord {
			return bad("requires-app range of %d bytes", len(m.RequiresApp))
		}
		if _, err := semver.NewConstraint(m.RequiresApp); err != nil {
			return bad("requires-app range %q: %w", m.RequiresApp, err)
		}
	}
	if err := CheckBuilt(m.Built); err != nil {
		return bad("%w", err)
	}
	if err := m.validateFiles(); err != nil {
		return err
	}
	if err := m.validateLists(); err != nil {
		return bad("%w", err)
	}
	if err := m.validateAddOn(); err != nil {
		return bad("%w", err)
	}
	return nil
}

func (m *Manifest) validateFiles() error {
	if _, index := m.ChunkIndexFile(); len(m.Files) == 0 || index && len(m.Files) == 1 {
		return Refuse(KindBadManifest, ManifestName, "no files")
	}
	if len(m.Files) > MaxFiles {
		return Refuse(KindTooLarge, ManifestName, "%d files, more than %d", len(m.Files), MaxFiles)
	}
	var names NameSet
	for _, reserved := range []string{ManifestName, SignatureName} {
		if err := names.Add(reserved); err != nil {
			return err
		}
	}
	var total int64
	for i, f := range m.Files {
		if err := CheckName(f.Path); err != nil {
			return Refuse(KindUnsafeName, f.Path, "%w", err)
		}
		if err := names.Add(f.Path); err != nil {
			return err
		}
		if i > 0 && f.Path < m.Files[i-1].Path {
			return Refuse(KindBadManifest, f.Path, "files are not sorted by path")
		}
		switch {
		case f.Size < 0:
			return Refuse(KindBadManifest, f.Path, "size %d", f.Size)
		case f.Size > MaxFileSize:
			return Refuse(KindTooLarge, f.Path, "%d bytes, more than %d", f.Size, int64(MaxFileSize))
		case f.Mode != 0o644 && f.Mode != 0o755:
			return Refuse(KindBadManifest, f.Path, "mode %#o", f.Mode)
		case !IsSHA256(f.SHA256):
			return Refuse(KindBadManifest, f.Path, "sha256 %.80q", f.SHA256)
		case !wordPattern().MatchString(string(f.Role)):
			return Refuse(KindBadManifest, f.Path, "role %.80q", f.Role)
		case (f.Role == RoleChunks || f.Path == ChunksName) && (i > 0 || f.Role != RoleChunks || f.Path != ChunksName || f.Size > MaxIndex):
			return Refuse(KindBadManifest, f.Path, "not where the chunk index is, or not what it is")
		}
		if total += f.Size; total > MaxPackSize {
			return Refuse(KindTooLarge, ManifestName, "more than %d bytes of files", MaxPackSize)
		}
	}
	return nil
}

func (m *Manifest) validateLists() error {
	if len(m.Tools) > MaxTools || len(m.Layers) > MaxTools || len(m.Licences) > MaxLicences {
		return fmt.Errorf("%d tools, %d layers, %d licences", len(m.Tools), len(m.Layers), len(m.Licences))
	}
	for _, t := range m.Tools {
		if err := words(t.Name, t.Version); err != nil {
			return fmt.Errorf("tool: %w", err)
		}
		if len(t.Operations) > MaxTools {
			return fmt.Errorf("tool %s: %d operations", t.Name, len(t.Operations))
		}
		if err := words(t.Operations...); err != nil {
			return fmt.Errorf("tool %s: operation: %w", t.Name, err)
		}
	}
	for _, l := range m.Licences {
		if err := words(l.Package, l.Version, l.Licence); err != nil {
			return fmt.Errorf("licence: %w", err)
		}
		if l.File != "" && !m.Has(l.File) {
			return fmt.Errorf("licence of %s: no file %.80q", l.Package, l.File)
		}
		if l.Source != "" {
			if err := words(l.Source); err != nil {
				return fmt.Errorf("source of %s: %w", l.Package, err)
			}
		}
	}
	seen := map[string]bool{}
	for _, l := range m.Layers {
		switch {
		case !wordPattern().MatchString(l.Name):
			return fmt.Errorf("layer %.80q", l.Name)
		case seen[l.Name]:
			return fmt.Errorf("layer %s twice", l.Name)
		case !m.Has(l.Path):
			return fmt.Errorf("layer %s: no file %.80q", l.Name, l.Path)
		}
		if err := CheckVersion(l.Version); err != nil {
			return fmt.Errorf("layer %s: version %.80q: %w", l.Name, l.Version, err)
		}
		if l.Base != "" && !IsSHA256(l.Base) {
			return fmt.Errorf("layer %s: base %.80q", l.Name, l.Base)
		}
		if err := m.validateVerity(l); err != nil {
			return fmt.Errorf("layer %s: %w", l.Name, err)
		}
		seen[l.Name] = true
	}
	return nil
}

// validateVerity checks that a hash tree can be where the layer says.
func (m *Manifest) validateVerity(l Layer) error {
	v := l.Verity
	if v == nil {
		return nil
	}
	f, _ := m.file(l.Path)
	salt, err := hex.DecodeString(v.Salt)
	switch {
	case !IsSHA256(v.RootHash):
		return fmt.Errorf("root hash %.80q", v.RootHash)
	case err != nil || len(salt) > 32:
		return fmt.Errorf("salt %.80q", v.Salt)
	case v.DataBlocks < 1 || v.DataBlocks >= f.Size/VerityBlock:
		return fmt.Errorf("%d data blocks in %d bytes", v.DataBlocks, f.Size)
	}
	return nil
}

// Has reports whether the pack has this file; Files must be sorted.
func (m *Manifest) Has(path string) bool {
	_, ok := m.file(path)
	return ok
}

// file returns the file at path; Files must be sorted.
func (m *Manifest) file(path string) (File, bool) {
	i, ok := slices.BinarySearchFunc(m.Files, path, func(f File, p string) int { return strings.Compare(f.Path, p) })
	if !ok {
		return File{}, false
	}
	return m.Files[i], true
}

// words refuses empty, overlong and unprintable texts.
func words(list ...string) error {
	for _, s := range list {
		if s == "" || len(s) > MaxWord {
			return fmt.Errorf("text of %d bytes", len(s))
		}
		for _, r := range s {
			if r < ' ' || r == 0x7f || r == '\uFFFD' {
				return fmt.Errorf("unprintable text %.80q", s)
			}
		}
	}
	return nil
}

// CheckVersion accepts semantic versions (semver.org 2.0.0) that are one file
// name on every file system, which rules out capitals.
func CheckVersion(v string) error {
	if len(v) > MaxVersion {
		return fmt.Errorf("longer than %d bytes", MaxVersion)
	}
	if v != strings.ToLower(v) {
		return errors.New("capital letters")
	}
	_, err := semver.StrictNewVersion(v)
	return err
}

// CheckBuilt keeps times within what USTAR and the canonical form can say.
func CheckBuilt(t time.Time) error {
	if t.Location() != time.UTC || t.Nanosecond() != 0 {
		return fmt.Errorf("build time %s: not in full seconds UTC", t.Format(time.RFC3339Nano))
	}
	if t.Unix() < 0 || t.Year() > 2200 {
		return fmt.Errorf("build time %s: out of range", t.Format(time.RFC3339))
	}
	return nil
}
