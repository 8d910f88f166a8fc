package pack

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sigstore/sigstore/pkg/signature"

	"piwork/pack/spec"
	"piwork/pack/trust"
)

// Form counts the ways in which [Build] lays out an archive: who keeps archives
// by what they were made of keys them by it, too. 2 is that of chunks.
const Form = 2

// BuildOptions say what [Build] makes.
type BuildOptions struct {
	Dir      string                              // what goes into the pack, in the layout of the archive
	Header   spec.Manifest                       // all but Key, Schema, Files; a zero Built is [BuildTime]
	Roles    func(path string) (spec.Role, bool) // nil is [RoleOf]; a file without a role ends the build
	Signer   signature.Signer
	Out      string        // the archive; replaced when complete
	Level    int           // of zstd, 1 to 22; 0 is 19
	InPlace  bool          // also put manifest and signature into Dir, which then can be opened by [OpenDir]
	Progress spec.Progress // of packing

	step func(name string) // told before each step of putting Out in its place; nil is nobody; for tests
}

// Build makes and signs a pack. The same files, header and signing key give the
// same bytes. Manifest and signature in Dir are left out of the pack; anything
// but regular files and directories is refused, as are names that no pack may
// have.
func Build(ctx context.Context, o BuildOptions) (spec.Manifest, error) {
	m, err := build(ctx, o)
	if err != nil {
		return spec.Manifest{}, fmt.Errorf("build pack: %w", err)
	}
	return *m, nil
}

func build(ctx context.Context, o BuildOptions) (*spec.Manifest, error) {
	public, err := o.Signer.PublicKey()
	if err != nil {
		return nil, fmt.Errorf("public key of the signer: %w", err)
	}
	m := o.Header
	if m.Key, err = trust.KeyID(public); err != nil {
		return nil, err
	}
	m.Schema, m.Minor = spec.Schema, spec.Minor
	if m.Built.IsZero() {
		if m.Built, err = BuildTime(); err != nil {
			return nil, err
		}
	}
	m.Built = m.Built.UTC().Truncate(time.Second)
	root, err := os.OpenRoot(o.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	roles := o.Roles
	if roles == nil {
		roles = RoleOf
	}
	files, err := scan(ctx, root, roles)
	if err != nil {
		return nil, err
	}
	if err := check(m, files); err != nil {
		return nil, err
	}
	body, index, err := writeBody(ctx, root, files, o)
	if err != nil {
		return nil, err
	}
	defer func() { _ = errors.Join(body.Close(), os.Remove(body.Name())) }() // scratch
	sum := sha256.Sum256(index)
	m.Files = append([]spec.File{{
		Path: spec.ChunksName, Size: int64(len(index)), Mode: 0o644, SHA256: hex.EncodeToString(sum[:]), Role: spec.RoleChunks,
	}}, files...)
	raw, err := m.Encode()
	if err != nil {
		return nil, err
	}
	sig, err := trust.Sign(o.Signer, raw)
	if err != nil {
		return nil, err
	}
	if o.InPlace {
		for name, data := range map[string][]byte{spec.ManifestName: raw, spec.SignatureName: sig, spec.ChunksName: index} {
			if err := writeAtomic(root, name, data, 0o644, func(string) {}); err != nil {
				return nil, fmt.Errorf("write %s: %w", name, err)
			}
		}
	}
	return &m, writeArchive(o, raw, sig, index, body)
}

// check refuses what no manifest may say, before the work of packing.
func check(m spec.Manifest, files []spec.File) error {
	m.Files = append([]spec.File{{Path: spec.ChunksName, Mode: 0o644, SHA256: strings.Repeat("0", 64), Role: spec.RoleChunks}}, files...)
	return m.Validate()
}

// BuildTime is SOURCE_DATE_EPOCH (reproducible-builds.org) when it is set, else
// now, in full seconds UTC.
func BuildTime() (time.Time, error) {
	s, ok := os.LookupEnv("SOURCE_DATE_EPOCH")
	if !ok {
		return time.Now().UTC().Truncate(time.Second), nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH is %q, not seconds since 1970", s)
	}
	return time.Unix(n, 0).UTC(), nil
}

// RoleOf gives the role of a file in the usual layout of a pack.
func RoleOf(name string) (spec.Role, bool) {
	dir, base := path.Split(name)
	switch {
	case dir == "qemu/bin/" && strings.HasPrefix(base, "qemu-system-"):
		return spec.RoleQEMU, true
	case dir == "qemu/lib/" && strings.HasPrefix(base, "ld-"):
		return spec.RoleQEMULoader, true
	case strings.HasPrefix(name, "qemu/lib/qemu-bundle/"):
		return spec.RoleQEMUBundle, true
	case strings.HasPrefix(name, "qemu/lib/"):
		return spec.RoleQEMULib, true
	case strings.HasPrefix(name, "qemu/share/"):
		return spec.RoleFirmware, true
	case name == spec.ChunksName:
		return spec.RoleChunks, true
	case name == "licenses/SOURCES.json":
		return spec.RoleSourceOffer, true
	case strings.HasPrefix(name, "licenses/"):
		return spec.RoleLicence, true
	case name == "tools.json":
		return spec.RoleTools, true
	case name == "guest/vmlinux":
		return spec.RoleKernel, true
	case name == "guest/initramfs.cpio":
		return spec.RoleInitrd, true
	case name == "guest/rootfs.img":
		return spec.RoleRootFS, true
	case name == "guest/work.qcow2":
		return spec.RoleWork, true
	case dir == "guest/" && strings.HasSuffix(base, ".img"):
		return spec.RoleLayer, true
	case name == "sbom.spdx.json":
		return spec.RoleSBOM, true
	case name == "provenance.json":
		return spec.RoleProvenance, true
	}
	return "", false
}

// scan lists and hashes what is in root, by path.
func scan(ctx context.Context, root *os.Root, roles func(string) (spec.Role, bool)) ([]spec.File, error) {
	var files []spec.File
	err := fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case d.IsDir() || name == spec.ManifestName || name == spec.SignatureName || name == spec.ChunksName:
			return nil
		case !d.Type().IsRegular():
			return spec.Refuse(spec.KindUnsafeEntry, name, "%s is not a regular file", d.Type())
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		role, ok := roles(name)
		if !ok {
			return fmt.Errorf("%s has no role in a pack", name)
		}
		f := spec.File{Path: name, Size: info.Size(), Mode: 0o644, Role: role}
		if info.Mode()&0o111 != 0 {
			f.Mode = 0o755
		}
		sum, n, err := hashFile(ctx, root, name)
		if err != nil {
			return err
		}
		if n != f.Size {
			return fmt.Errorf("%s changed while it was read", name)
		}
		f.SHA256 = sum
		files = append(files, f)
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(files, func(a, b spec.File) int { return strings.Compare(a.Path, b.Path) })
	return files, nil
}

// hashFile returns SHA-256 in hex and the number of bytes.
func hashFile(ctx context.Context, root *os.Root, name string) (string, int64, error) {
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	sum, n, err := hashReader(ctx, f)
	if err != nil {
		return "", n, fmt.Errorf("read %s: %w", name, err)
	}
	return sum, n, nil
}

func hashReader(ctx context.Context, r io.Reader) (string, int64, error) {
	h := sha256.New()
	n, err := io.CopyBuffer(struct{ io.Writer }{h}, struct{ io.Reader }{&contextReader{ctx, r}}, make([]byte, 256<<10))
	return hex.EncodeToString(h.Sum(nil)), n, err
}

// contextReader ends with its context.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// writeArchive puts the archive together in its place.
func writeArchive(o BuildOptions, raw, sig, index []byte, body *os.File) error {
	comp, err := newCompressor(o.Level)
	if err != nil {
		return err
	}
	front, err := headFrames(raw, sig, index, comp)
	if err != nil {
		return err
	}
	return writeBeside(o.Out, os.Rename, o.step, func(w io.Writer) error {
		if _, err := body.Seek(0, io.SeekStart); err != nil {
			return err
		}
		sum := crc32.New(castagnoli)
		if _, err := io.Copy(io.MultiWriter(w, sum), io.MultiReader(bytes.NewReader(front), body)); err != nil {
			return err
		}
		_, err := w.Write(seal(sum.Sum32()))
		return err
	})
}

// signedReader reads a file that the manifest already describes, and fails at its
// end when it is another by now.
type signedReader struct {
	r     io.Reader
	f     spec.File
	h     hash.Hash
	track *tracker
}

func (s *signedReader) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.h.Write(p[:n])
	s.track.add(int64(n))
	if errors.Is(err, io.EOF) {
		if bad := compare(s.f, s.h.Sum(nil)); bad != nil {
			return n, fmt.Errorf("%s changed while it was packed: %w", s.f.Path, bad)
		}
	}
	return n, err
}

// tracker counts for one goroutine.
type tracker struct {
	progress    spec.Progress
	done, total int64
}

func (t *tracker) add(n int64) {
	if t.progress != nil && n > 0 {
		t.done += n
		t.progress(t.done, t.total)
	}
}
