package pack

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"piwork/pack/spec"
	"piwork/pack/trust"
)

// A bundle is everything that an installation without a network needs, in one
// plain tar file: the program, packs, the metadata of the update channel, licences
// and sources. Its list is signed as a manifest is. Packs are installed straight
// out of it, and each is verified by its own signature too, so that the list adds
// what belongs together and nothing to whom is trusted.

// Names in a bundle: the two entries in front, and the directories that the rest
// is in.
const (
	BundleName          = "bundle.json"
	BundleSignatureName = "bundle.json.sig" // empty when nobody vouches for the list

	bundleApp     = "app/"
	bundlePacks   = "packs/"
	bundleChannel = "channel/"
	bundleLicence = "licenses/"
	bundleSources = "sources/"
)

// maxBundleFile bounds one entry: what USTAR can say.
const maxBundleFile = spec.MaxFileSize

// BundleFile is one entry of a bundle.
type BundleFile struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"` // bytes
	Mode   uint32 `json:"mode"` // 0644 or 0755
	SHA256 string `json:"sha256"`
	Pack   string `json:"pack,omitempty"` // SHA-256 of the manifest of a pack
}

// BundleManifest is the list of a bundle. Its encoding is canonical, as that of a
// [spec.Manifest].
type BundleManifest struct {
	Key      string       `json:"key,omitempty"` // as in Manifest
	Schema   int          `json:"schema"`
	Name     string       `json:"name"`     // "piwork-bundle"
	Version  string       `json:"version"`  // of the runtime in it
	HostOS   string       `json:"hostOS"`   // as GOOS
	HostArch string       `json:"hostArch"` // as GOARCH
	Built    time.Time    `json:"built"`    // UTC, full seconds
	Files    []BundleFile `json:"files"`    // by path
}

const bundleWord = "piwork-bundle"

// ArchiveName is the file name of the bundle.
func (m *BundleManifest) ArchiveName() string {
	return fmt.Sprintf("%s-%s-%s-%s.tar", m.Name, m.HostOS, m.HostArch, m.Version)
}

func (m *BundleManifest) encode() ([]byte, error) {
	if err := m.validate(); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(m); err != nil {
		return nil, fmt.Errorf("encode the list of the bundle: %w", err)
	}
	if b.Len() > spec.MaxManifest {
		return nil, spec.Refuse(spec.KindTooLarge, BundleName, "%d bytes", b.Len())
	}
	return b.Bytes(), nil
}

// parseBundle reads and validates a list. It does not verify the signature: that
// comes before.
func parseBundle(data []byte) (*BundleManifest, error) {
	if len(data) > spec.MaxManifest {
		return nil, spec.Refuse(spec.KindTooLarge, BundleName, "%d bytes", len(data))
	}
	var m BundleManifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, spec.Refuse(spec.KindBadManifest, BundleName, "%w", err)
	}
	if m.Schema > spec.Schema {
		return nil, spec.Refuse(spec.KindUnknownSchema, BundleName, "schema %d, this program knows %d", m.Schema, spec.Schema)
	}
	canonical, err := m.encode()
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(canonical, data) {
		return nil, spec.Refuse(spec.KindBadManifest, BundleName, "not in canonical form")
	}
	return &m, nil
}

func (m *BundleManifest) validate() error {
	bad := func(format string, args ...any) error {
		return spec.Refuse(spec.KindBadManifest, BundleName, format, args...)
	}
	switch {
	case m.Schema != spec.Schema:
		return bad("schema %d", m.Schema)
	case m.Key != "" && !spec.IsSHA256(m.Key):
		return bad("key %.80q", m.Key)
	case m.Name != bundleWord:
		return bad("name %.80q", m.Name)
	case !spec.ArchPattern().MatchString(m.HostOS) || !spec.ArchPattern().MatchString(m.HostArch):
		return bad("host %.80q %.80q", m.HostOS, m.HostArch)
	case len(m.Files) > spec.MaxFiles:
		return spec.Refuse(spec.KindTooLarge, BundleName, "%d files, more than %d", len(m.Files), spec.MaxFiles)
	}
	if err := spec.CheckVersion(m.Version); err != nil {
		return bad("version %.80q: %w", m.Version, err)
	}
	if err := spec.CheckBuilt(m.Built); err != nil {
		return bad("%w", err)
	}
	names := spec.NameSet{}
	var total int64
	packs := 0
	for i, f := range m.Files {
		if err := spec.CheckName(f.Path); err != nil {
			return spec.Refuse(spec.KindUnsafeName, f.Path, "%w", err)
		}
		if err := names.Add(f.Path); err != nil {
			return err
		}
		name, isPack := strings.CutPrefix(f.Path, bundlePacks)
		switch {
		case i > 0 && f.Path < m.Files[i-1].Path:
			return spec.Refuse(spec.KindBadManifest, f.Path, "files are not sorted by path")
		case !inBundle(f.Path):
			return spec.Refuse(spec.KindBadManifest, f.Path, "in no directory of a bundle")
		case f.Size < 0:
			return spec.Refuse(spec.KindBadManifest, f.Path, "size %d", f.Size)
		case f.Size > maxBundleFile:
			return spec.Refuse(spec.KindTooLarge, f.Path, "%d bytes, more than %d", f.Size, int64(maxBundleFile))
		case f.Mode != 0o644 && f.Mode != 0o755:
			return spec.Refuse(spec.KindBadManifest, f.Path, "mode %#o", f.Mode)
		case !spec.IsSHA256(f.SHA256):
			return spec.Refuse(spec.KindBadManifest, f.Path, "sha256 %.80q", f.SHA256)
		case isPack != (f.Pack != "") || f.Pack != "" && !spec.IsSHA256(f.Pack):
			return spec.Refuse(spec.KindBadManifest, f.Path, "pack %.80q", f.Pack)
		case isPack && strings.Contains(name, "/"):
			return spec.Refuse(spec.KindBadManifest, f.Path, "a pack in a subdirectory")
		}
		if isPack {
			packs++
		}
		if total += f.Size; total > spec.MaxPackSize {
			return spec.Refuse(spec.KindTooLarge, BundleName, "more than %d bytes of files", spec.MaxPackSize)
		}
	}
	if packs == 0 {
		return bad("no pack")
	}
	return nil
}

func inBundle(path string) bool {
	return slices.ContainsFunc([]string{bundleApp, bundlePacks, bundleChannel, bundleLicence, bundleSources},
		func(dir string) bool { return strings.HasPrefix(path, dir) })
}

// layout is that of the files behind the two entries in front.
func (m *BundleManifest) layout() *layout {
	files := make([]spec.File, len(m.Files))
	for i, f := range m.Files {
		files[i] = spec.File{Path: f.Path, Size: f.Size, Mode: f.Mode, SHA256: f.SHA256}
	}
	return newLayout(files)
}

// verifyBundle verifies and reads a list, signature first. An empty signature is
// for the caller to decide about; then the key is the zero value.
func verifyBundle(raw, sig []byte, keys *trust.KeyRing) (*BundleManifest, trust.Key, error) {
	var key trust.Key
	if len(sig) > 0 {
		var err error
		if key, err = verifySignature(raw, sig, BundleSignatureName, keys); err != nil {
			return nil, key, err
		}
	}
	m, err := parseBundle(raw)
	return m, key, err
}
