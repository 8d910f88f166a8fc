package spec

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// Schema is the form of manifest that this program reads and writes. Within a
// schema only fields that may be ignored are added, and minor counts them: a
// manifest with a higher minor may have unknown fields, one with a lower or the
// same may not.
const (
	Schema = 1
	Minor  = 2
)

// Role says what a file is for.
type Role string

// Roles of files. Packs may have others.
const (
	RoleQEMU        Role = "qemu"
	RoleQEMULoader  Role = "qemu-loader" // ld.so of a relocated QEMU
	RoleQEMULib     Role = "qemu-lib"
	RoleQEMUBundle  Role = "qemu-bundle" // what QEMU has in place of this computer's /usr
	RoleFirmware    Role = "firmware"    // for -L
	RoleKernel      Role = "kernel"
	RoleInitrd      Role = "initrd"
	RoleRootFS      Role = "rootfs"
	RoleWork        Role = "work" // backing file of every task's overlay
	RoleLicence     Role = "licence"
	RoleSourceOffer Role = "source-offer"
	RoleTools       Role = "tools"
	RoleChunks      Role = "chunks"     // index of the content-defined chunks, see ChunksName
	RoleLayer       Role = "layer"      // image of an add-on
	RoleSBOM        Role = "sbom"       // what the pack consists of, SPDX
	RoleProvenance  Role = "provenance" // how it was built, SLSA
)

// File is one file of a pack.
type File struct {
	Path   string `json:"path"` // relative, slash-separated
	Size   int64  `json:"size"` // bytes
	Mode   uint32 `json:"mode"` // 0644 or 0755
	SHA256 string `json:"sha256"`
	Role   Role   `json:"role"`
}

// Tool is a program in the guest and what it is used for.
type Tool struct {
	Name       string   `json:"name"`
	Version    string   `json:"version"`
	Operations []string `json:"operations,omitempty"` // e.g. "image.convert"
}

// Licence is the licence of one package in the pack.
type Licence struct {
	Package string `json:"package"`
	Version string `json:"version"`
	Licence string `json:"licence"`          // SPDX expression, or "see file"
	File    string `json:"file,omitempty"`   // path in the pack
	Source  string `json:"source,omitempty"` // where its source is offered
}

// Layer is a read-only image in the pack that the guest puts together with
// others.
type Layer struct {
	Name    string  `json:"name"` // "base", "media"…
	Version string  `json:"version"`
	Path    string  `json:"path"`             // of a file of the pack
	Base    string  `json:"base,omitempty"`   // root hash of the base layer that an add-on was made over
	Verity  *Verity `json:"verity,omitempty"` // nil for an image that is checked as a whole
}

// VerityBlock is the size of data and hash blocks of every verity tree, in bytes.
const VerityBlock = 4096

// Verity describes the hash tree of an image for the kernel's dm-verity target
// (Documentation/admin-guide/device-mapper/verity.rst): version 1, SHA-256,
// without a superblock. The tree follows the data blocks in the same file.
type Verity struct {
	RootHash   string `json:"rootHash"`   // hex
	Salt       string `json:"salt"`       // hex, up to 32 bytes
	DataBlocks int64  `json:"dataBlocks"` // of VerityBlock bytes
}

// Manifest is the signed description of a pack. Its encoding is canonical: the
// fields in this order, files by path, one space of indentation, a line feed at
// the end.
type Manifest struct {
	Key         string    `json:"key,omitempty"` // trust.KeyID of the signer, to tell a foreign key from a bad signature
	Schema      int       `json:"schema"`
	Minor       int       `json:"minor,omitempty"`
	Name        string    `json:"name"`                  // "piwork-runtime"
	Version     string    `json:"version"`               // semver, lower case
	HostOS      string    `json:"hostOS"`                // as GOOS; AnyHost for an add-on
	HostArch    string    `json:"hostArch"`              // as GOARCH; AnyHost for an add-on
	GuestArch   string    `json:"guestArch"`             // as QEMU names it: "x86_64", "aarch64"
	Flavour     Flavour   `json:"flavour,omitempty"`     // "" is own, and of an add-on, which has neither kernel nor QEMU
	RequiresApp string    `json:"requiresApp,omitempty"` // semver range; "" is any
	Built       time.Time `json:"built"`                 // UTC, full seconds
	Files       []File    `json:"files"`
	Tools       []Tool    `json:"tools,omitempty"`
	Licences    []Licence `json:"licences,omitempty"`
	Layers      []Layer   `json:"layers,omitempty"`
}

// ArchiveName is the file name of the pack.
func (m *Manifest) ArchiveName() string {
	if _, ok := m.AddOn(); ok {
		return fmt.Sprintf("%s-%s-%s.tar.zst", m.Name, m.GuestArch, m.Version)
	}
	return fmt.Sprintf("%s-%s-%s-%s.tar.zst", m.Name, m.HostOS, m.HostArch, m.Version)
}

// Bytes is the size of the unpacked files.
func (m *Manifest) Bytes() int64 {
	var n int64
	for _, f := range m.Files {
		n += f.Size
	}
	return n
}

// Encode returns the canonical encoding of a valid manifest.
func (m *Manifest) Encode() ([]byte, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	return m.EncodeUnchecked()
}

// EncodeUnchecked is Encode of a manifest that need not be valid: the canonical form of what was read.
func (m *Manifest) EncodeUnchecked() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(m); err != nil {
		return nil, fmt.Errorf("encode manifest: %w", err)
	}
	if b.Len() > MaxManifest {
		return nil, Refuse(KindTooLarge, ManifestName, "%d bytes", b.Len())
	}
	return b.Bytes(), nil
}

// ParseManifest reads and validates a manifest. Errors are [VerifyError]s. It
// does not verify the signature: that comes before.
func ParseManifest(data []byte) (*Manifest, error) {
	if len(data) > MaxManifest {
		return nil, Refuse(KindTooLarge, ManifestName, "%d bytes", len(data))
	}
	var form struct {
		Schema int `json:"schema"`
		Minor  int `json:"minor"`
	}
	if err := json.Unmarshal(data, &form); err != nil {
		return nil, Refuse(KindBadManifest, ManifestName, "%w", err)
	}
	if form.Schema != Schema {
		kind := KindBadManifest
		if form.Schema > Schema {
			kind = KindUnknownSchema
		}
		return nil, Refuse(kind, ManifestName, "schema %d, this program knows %d", form.Schema, Schema)
	}
	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, Refuse(KindBadManifest, ManifestName, "%w", err)
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if m.Minor <= Minor {
		// One comparison refuses unknown, repeated, misspelt and reordered fields.
		canonical, err := m.EncodeUnchecked()
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(canonical, data) {
			return nil, Refuse(KindBadManifest, ManifestName, "not in canonical form")
		}
	}
	return &m, nil
}

// KeyHint returns the key that an unverified manifest names as its signer, when
// it does so at the very place where Encode puts it. It is used to choose
// between two refusals and for nothing else.
func KeyHint(data []byte) (string, bool) {
	const start = "{\n \"key\": \""
	rest, ok := bytes.CutPrefix(data, []byte(start))
	if !ok || len(rest) <= 64 || rest[64] != '"' {
		return "", false
	}
	id := string(rest[:64])
	return id, IsSHA256(id)
}

// IsSHA256 reports whether s is a SHA-256 in lower-case hex.
func IsSHA256(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == 32 && hex.EncodeToString(b) == s
}

// ChunkIndexFile returns the file of the chunk index.
func (m *Manifest) ChunkIndexFile() (File, bool) {
	if len(m.Files) > 0 && m.Files[0].Role == RoleChunks {
		return m.Files[0], true
	}
	return File{}, false
}
