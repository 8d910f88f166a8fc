package pack

import (
	"archive/tar"
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"piwork/pack/spec"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/mholt/archives"

	"piwork/pack/trust"
)

// tarBlock is the unit of tar streams, in bytes.
const tarBlock = 512

// maxHead bounds what is unpacked before a manifest is verified, in bytes.
const maxHead = spec.MaxManifest + trust.MaxSignature + 16*tarBlock

// head is what stands in front of an archive, verified.
type head struct {
	manifest *spec.Manifest
	raw      []byte // of the manifest
	sig      []byte // content of the signature file
	key      trust.Key
	digest   string // SHA-256 of raw
}

// sink takes what an archive holds, in its order. It runs in one goroutine.
type sink interface {
	// begin is called once, before the first file.
	begin(ctx context.Context, h *head) error
	// file is called for each file of the manifest; it reads all of r or fails.
	file(ctx context.Context, f spec.File, r io.Reader) error
}

// archiveReader reads one archive, in one pass.
type archiveReader struct {
	keys   *trust.KeyRing
	policy spec.Policy
	sink   sink

	limit *limitReader
	head  head
	have  int // entries
}

// readArchive reads the archive in r to its end and gives it to s. It returns
// only after nothing reads r any more.
func readArchive(ctx context.Context, r io.Reader, keys *trust.KeyRing, policy spec.Policy, s sink) (*head, error) {
	frames := newFrameReader(r)
	dec, err := archives.Zstd{DecoderOptions: []zstd.DOption{
		zstd.WithDecoderMaxWindow(windowSize),
		zstd.WithDecoderMaxMemory(uint64(spec.MaxPackSize) * 2),
	}}.OpenReader(bufio.NewReaderSize(frames, 1<<20))
	if err != nil {
		return nil, err
	}
	a := &archiveReader{keys: keys, policy: policy, sink: s, limit: &limitReader{r: dec, left: maxHead}}
	err = archives.Tar{}.Extract(ctx, a.limit, a.entry)
	if err == nil {
		err = a.end()
	}
	dec.Close()
	if err != nil {
		return nil, explain(ctx, err, frames.failure())
	}
	return &a.head, nil
}

// entry handles one entry of the tar stream.
func (a *archiveReader) entry(ctx context.Context, fi archives.FileInfo) error {
	h, ok := fi.Header.(*tar.Header)
	if !ok {
		return spec.Refuse(spec.KindCorrupt, fi.NameInArchive, "no tar header")
	}
	n := a.have
	a.have++
	if err := checkHeader(h); err != nil {
		return err
	}
	r, err := fi.Open()
	if err != nil {
		return spec.Refuse(spec.KindCorrupt, h.Name, "%w", err)
	}
	defer r.Close()
	switch n {
	case 0:
		if h.Name != spec.ManifestName {
			return spec.Refuse(spec.KindMissingManifest, "", "the first entry is %q", h.Name)
		}
		a.head.raw, err = readSmall(h, r, spec.MaxManifest)
		return err
	case 1:
		if h.Name != spec.SignatureName {
			return spec.Refuse(spec.KindMissingSignature, "", "the second entry is %q", h.Name)
		}
		if a.head.sig, err = readSmall(h, r, trust.MaxSignature); err != nil {
			return err
		}
		return a.begin(ctx)
	}
	files := a.head.manifest.Files
	if n-2 >= len(files) || h.Name != files[n-2].Path {
		return a.misplaced(h.Name, n-2)
	}
	f := files[n-2]
	if h.Size != f.Size {
		return spec.Refuse(spec.KindWrongSize, f.Path, "%d bytes, the manifest says %d", h.Size, f.Size)
	}
	if uint32(h.Mode) != f.Mode {
		return spec.Refuse(spec.KindUnsafeEntry, f.Path, "mode %#o, the manifest says %#o", h.Mode, f.Mode)
	}
	return a.sink.file(ctx, f, r)
}

// begin verifies the head, in this order: signature, form, purpose.
func (a *archiveReader) begin(ctx context.Context) error {
	if err := verifyHead(&a.head, a.keys); err != nil {
		return err
	}
	if err := a.policy.Accept(a.head.manifest); err != nil {
		return err
	}
	// From here on the length of the stream is known to the byte.
	if a.limit.left += streamSize(&a.head) - maxHead; a.limit.left < 0 {
		return spec.Refuse(spec.KindTooLarge, "", "%d bytes between the first entries that nobody signed", -a.limit.left)
	}
	return a.sink.begin(ctx, &a.head)
}

// misplaced names what is wrong with an entry at the place of file i.
func (a *archiveReader) misplaced(name string, i int) error {
	files := a.head.manifest.Files
	switch {
	case name == spec.ManifestName || name == spec.SignatureName:
		return &spec.VerifyError{Kind: spec.KindDuplicateFile, File: name}
	case !a.head.manifest.Has(name):
		return &spec.VerifyError{Kind: spec.KindExtraFile, File: name}
	case i > 0 && name <= files[i-1].Path:
		return &spec.VerifyError{Kind: spec.KindDuplicateFile, File: name}
	}
	return spec.Refuse(spec.KindMissingFile, files[i].Path, "found %q instead", name)
}

// end checks that the stream ends where the manifest says.
func (a *archiveReader) end() error {
	switch {
	case a.have == 0:
		return spec.Refuse(spec.KindMissingManifest, "", "the archive is empty")
	case a.have == 1:
		return spec.Refuse(spec.KindMissingSignature, "", "the archive ends after the manifest")
	}
	if i := a.have - 2; i < len(a.head.manifest.Files) {
		return spec.Refuse(spec.KindMissingFile, a.head.manifest.Files[i].Path, "the archive ends before it")
	}
	switch n, err := io.ReadFull(a.limit.r, make([]byte, 1)); {
	case n > 0:
		return spec.Refuse(spec.KindTrailingData, "", "after the end of the tar stream")
	case !errors.Is(err, io.EOF):
		return err
	}
	if a.limit.left != 0 {
		return spec.Refuse(spec.KindTruncated, "", "the tar stream ends %d bytes early", a.limit.left)
	}
	return nil
}

// verifySignature verifies what a signature file says about data.
func verifySignature(data, sig []byte, name string, keys *trust.KeyRing) (trust.Key, error) {
	key, err := keys.Verify(data, sig)
	if err == nil {
		return key, nil
	}
	if errors.Is(err, trust.ErrRevoked) {
		return key, spec.Refuse(spec.KindRevokedKey, "", "%w", err)
	}
	if id, ok := spec.KeyHint(data); ok && errors.Is(err, trust.ErrNoMatch) {
		if v, gone := keys.Revoked(id); gone {
			return key, spec.Refuse(spec.KindRevokedKey, "", "%w: %s", trust.ErrRevoked, v)
		}
		if _, known := keys.ByID(id); !known {
			return key, spec.Refuse(spec.KindForeignKey, "", "key %s… is not trusted: %w", id[:16], err)
		}
	}
	return key, spec.Refuse(spec.KindBadSignature, name, "%w", err)
}

// verifyHead fills in what follows from raw and sig, signature first.
func verifyHead(h *head, keys *trust.KeyRing) error {
	key, err := verifySignature(h.raw, h.sig, spec.SignatureName, keys)
	if err != nil {
		return err
	}
	m, err := spec.ParseManifest(h.raw)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(h.raw)
	h.manifest, h.key, h.digest = m, key, hex.EncodeToString(sum[:])
	return nil
}

// checkHeader accepts what Build writes: regular files in USTAR form with names
// that are safe everywhere. Extended headers show in the form.
func checkHeader(h *tar.Header) error {
	switch {
	case h.Typeflag != tar.TypeReg:
		return spec.Refuse(spec.KindUnsafeEntry, h.Name, "type %q is not a regular file", h.Typeflag)
	case h.Format != tar.FormatUSTAR || len(h.PAXRecords) > 0:
		return spec.Refuse(spec.KindUnsafeEntry, h.Name, "header form %s, packs have plain USTAR", h.Format)
	case h.Linkname != "" || h.Devmajor != 0 || h.Devminor != 0:
		return spec.Refuse(spec.KindUnsafeEntry, h.Name, "a regular file with a link or device")
	}
	if err := spec.CheckName(h.Name); err != nil {
		return spec.Refuse(spec.KindUnsafeName, h.Name, "%w", err)
	}
	return nil
}

func readSmall(h *tar.Header, r io.Reader, max int64) ([]byte, error) {
	if h.Size > max {
		return nil, spec.Refuse(spec.KindTooLarge, h.Name, "%d bytes, more than %d", h.Size, max)
	}
	b := make([]byte, h.Size)
	_, err := io.ReadFull(r, b)
	return b, err
}

// streamSize is the length of the tar stream of a head's archive, in bytes.
func streamSize(h *head) int64 {
	n := entrySize(int64(len(h.raw))) + entrySize(int64(len(h.sig))) + bodyTrailer
	for _, f := range h.manifest.Files {
		n += entrySize(f.Size)
	}
	return n
}

// limitReader fails where a stream goes on beyond what was promised.
type limitReader struct {
	r    io.Reader
	left int64
}

func (l *limitReader) Read(p []byte) (int, error) {
	if l.left == 0 && len(p) > 0 {
		// At the exact end this is the reader's look for more.
		n, err := l.r.Read(p[:1])
		if n > 0 {
			return 0, spec.Refuse(spec.KindTooLarge, "", "unpacks to more than it should")
		}
		return 0, err
	}
	n, err := l.r.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}

// explain turns an error of reading into a refusal, unless it is about this
// computer: a failing disk and a cancelled call say nothing about the pack.
func explain(ctx context.Context, err, source error) error {
	var v *spec.VerifyError
	if source != nil {
		return source // what stopped the stream explains what came of it
	}
	if errors.As(err, &v) {
		return v
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var local *localError
	if errors.As(err, &local) {
		return local.error
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return spec.Refuse(spec.KindTruncated, "", "%w", err)
	}
	if errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		return spec.Refuse(spec.KindTooLarge, "", "%w", err)
	}
	return spec.Refuse(spec.KindCorrupt, "", "%s", strings.TrimPrefix(err.Error(), "archive/tar: "))
}

// localError marks a failure of this computer, not of the pack.
type localError struct{ error }

func (e *localError) Unwrap() error { return e.error }
