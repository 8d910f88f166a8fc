package pack

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"piwork/pack/spec"
	"piwork/pack/trust"
)

// BundleOptions of [OpenBundle]; the zero value is valid.
type BundleOptions struct {
	Policy spec.Policy
	// Unsigned opens a bundle also when nobody who is trusted signed its list, as if it were
	// not signed: its packs and its channel are signed themselves, and the channel in it may be
	// what says whom to trust.
	Unsigned bool
}

// Bundle is an opened bundle whose list and form are verified. Its methods may be
// called from several goroutines at once.
type Bundle struct {
	Manifest BundleManifest
	Signed   bool      // by one who is trusted; else nothing but packs and channel can be had
	Key      trust.Key // that signed it

	file    *os.File
	offsets []int64 // of the contents of Manifest.Files
	keys    *trust.KeyRing
	policy  spec.Policy
}

// IsBundle reports whether a file looks like a bundle, to choose how to open it.
func IsBundle(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	var b [tarBlock]byte
	_, err = io.ReadFull(f, b[:])
	return err == nil && bytes.HasPrefix(b[:], append([]byte(BundleName), 0))
}

// OpenBundle verifies the list of a bundle and that the file has the form that
// follows from it, to the byte; the content of entries is verified when it is
// used. What is not accepted is a [spec.VerifyError].
func OpenBundle(ctx context.Context, file string, keys *trust.KeyRing, o BundleOptions) (*Bundle, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("open bundle: %w", err)
	}
	b := &Bundle{file: f, keys: keys, policy: o.Policy}
	if err := b.open(ctx, o); err != nil {
		return nil, errors.Join(fmt.Errorf("open bundle %s: %w", file, err), f.Close())
	}
	return b, nil
}

// Close closes the file.
func (b *Bundle) Close() error { return b.file.Close() }

func (b *Bundle) open(ctx context.Context, o BundleOptions) error {
	info, err := b.file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return spec.Refuse(spec.KindNotAPack, "", "%s is not a regular file", info.Mode().Type())
	}
	if !IsBundle(b.file.Name()) {
		return spec.Refuse(spec.KindNotAPack, "", "does not start with %s", BundleName)
	}
	raw, at, err := b.front(0, BundleName, spec.MaxManifest)
	if err != nil {
		return err
	}
	sig, at, err := b.front(at, BundleSignatureName, trust.MaxSignature)
	if err != nil {
		return err
	}
	if b.Signed = len(sig) > 0; !b.Signed && !o.Unsigned {
		return spec.Refuse(spec.KindMissingSignature, BundleSignatureName, "it is empty")
	}
	m, key, err := verifyBundle(raw, sig, b.keys)
	if o.Unsigned && spec.KindOf(err) == spec.KindForeignKey {
		b.Signed = false
		m, key, err = verifyBundle(raw, nil, b.keys)
	}
	if err != nil {
		return err
	}
	b.Manifest, b.Key = *m, key
	if err := b.policy.CheckHost(m.HostOS, m.HostArch); err != nil {
		return err
	}
	return b.form(ctx, at, info.Size())
}

// front reads one of the two entries in front, and returns where the next begins.
func (b *Bundle) front(at int64, name string, max int64) ([]byte, int64, error) {
	var h [tarBlock]byte
	if err := b.readAt(h[:], at); err != nil {
		return nil, 0, err
	}
	size, err := tarSize(h[:])
	if err != nil {
		return nil, 0, spec.Refuse(spec.KindCorrupt, name, "%w", err)
	}
	if size > max {
		return nil, 0, spec.Refuse(spec.KindTooLarge, name, "%d bytes, more than %d", size, max)
	}
	entry := make([]byte, entrySize(size))
	if err := b.readAt(entry, at); err != nil {
		return nil, 0, err
	}
	data, _, err := cutEntry(entry, name, max)
	if err != nil {
		return nil, 0, spec.Refuse(spec.KindUnsafeEntry, name, "%w", err)
	}
	return data, at + int64(len(entry)), nil
}

// form compares all that is not content with what the list says.
func (b *Bundle) form(ctx context.Context, start, size int64) error {
	l := b.Manifest.layout()
	switch want := start + l.size; {
	case size < want:
		return spec.Refuse(spec.KindTruncated, "", "%d bytes, the list says %d", size, want)
	case size > want:
		return spec.Refuse(spec.KindTrailingData, "", "%d bytes, the list says %d", size, want)
	}
	b.offsets = make([]int64, len(l.files))
	var have [bodyTrailer]byte
	same := func(off int64, n int) error {
		for p, err := range l.pieces(off, n) {
			if err != nil {
				return err
			}
			if p.file >= 0 {
				continue
			}
			got := have[:p.to-p.from]
			if err := b.readAt(got, start+off+int64(p.from)); err != nil {
				return err
			}
			if !bytes.Equal(got, p.literal) {
				return spec.Refuse(spec.KindUnsafeEntry, l.fileAt(off+int64(p.from)), "the bytes around it are not what the list says")
			}
		}
		return nil
	}
	for i, f := range l.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		b.offsets[i] = start + l.starts[i] + tarBlock
		end := l.starts[i] + tarBlock + f.Size
		if err := errors.Join(same(l.starts[i], tarBlock), same(end, int(l.starts[i]+entrySize(f.Size)-end))); err != nil {
			return err
		}
	}
	return same(l.size-bodyTrailer, bodyTrailer)
}

func (b *Bundle) readAt(p []byte, at int64) error {
	if _, err := b.file.ReadAt(p, at); err != nil {
		if errors.Is(err, io.EOF) {
			return spec.Refuse(spec.KindTruncated, "", "the file ends after byte %d", at)
		}
		return err
	}
	return nil
}

// section is the content of an entry; ok is false without one.
func (b *Bundle) section(name string) (*io.SectionReader, BundleFile, bool) {
	for i, f := range b.Manifest.Files {
		if f.Path == name {
			return io.NewSectionReader(b.file, b.offsets[i], f.Size), f, true
		}
	}
	return nil, BundleFile{}, false
}

// Open returns the content of an entry. Instead of its end the reader returns a
// [spec.VerifyError] when the content was not what is in the list: nothing may be used
// before. Without such an entry the error is [fs.ErrNotExist].
//
// Of a bundle that is not signed only what is verified in another way can be had.
func (b *Bundle) Open(name string) (io.Reader, BundleFile, error) {
	r, f, ok := b.section(name)
	if !ok {
		return nil, f, fmt.Errorf("bundle: %s: %w", name, fs.ErrNotExist)
	}
	if !b.Signed && !strings.HasPrefix(name, bundlePacks) && !strings.HasPrefix(name, bundleChannel) {
		return nil, f, fmt.Errorf("bundle: %w", spec.Refuse(spec.KindMissingSignature, name, "nobody vouches for it"))
	}
	return &verifyingReader{r: r, f: spec.File{Path: f.Path, SHA256: f.SHA256}, h: sha256.New()}, f, nil
}

// verifyingReader refuses in the place of the end.
type verifyingReader struct {
	r io.Reader
	f spec.File
	h hash.Hash
}

func (v *verifyingReader) Read(p []byte) (int, error) {
	n, err := v.r.Read(p)
	v.h.Write(p[:n])
	if errors.Is(err, io.EOF) {
		if bad := compare(v.f, v.h.Sum(nil)); bad != nil {
			return n, bad
		}
	}
	return n, err
}

// Fetch returns a file of the update channel, of at most max bytes: what a client
// of the channel would have fetched from a network. Without such a file the error
// is [fs.ErrNotExist].
func (b *Bundle) Fetch(ctx context.Context, path string, max int64) ([]byte, error) {
	r, f, err := b.Open(bundleChannel + path)
	if err != nil {
		return nil, err
	}
	if f.Size > max {
		return nil, fmt.Errorf("bundle: %w", spec.Refuse(spec.KindTooLarge, f.Path, "%d bytes, more than %d", f.Size, max))
	}
	data, err := io.ReadAll(&contextReader{ctx, r})
	if err != nil {
		return nil, fmt.Errorf("bundle: %s: %w", path, err)
	}
	return data, nil
}

// Extract writes the entries below a directory of the bundle ("app") into dir,
// without its name, which must not have any of them yet. After an error what is
// there must not be used.
func (b *Bundle) Extract(ctx context.Context, below, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("extract from bundle: %w", err)
	}
	defer root.Close()
	for _, f := range b.Manifest.Files {
		name, ok := strings.CutPrefix(f.Path, below+"/")
		if !ok {
			continue
		}
		if err := b.extract(ctx, root, f, name); err != nil {
			return fmt.Errorf("extract %s from bundle: %w", f.Path, err)
		}
	}
	return nil
}

func (b *Bundle) extract(ctx context.Context, root *os.Root, f BundleFile, name string) error {
	r, _, err := b.Open(f.Path)
	if err != nil {
		return err
	}
	if err := root.MkdirAll(filepath.Dir(filepath.FromSlash(name)), 0o755); err != nil {
		return err
	}
	t, err := root.OpenFile(filepath.FromSlash(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, fs.FileMode(f.Mode))
	if err != nil {
		return err
	}
	if _, err := io.Copy(t, &contextReader{ctx, r}); err != nil {
		return errors.Join(err, t.Close())
	}
	return finish(t)
}
