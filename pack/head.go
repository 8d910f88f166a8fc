package pack

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"piwork/pack/spec"
	"piwork/pack/trust"
)

// Head is what stands in front of an archive with chunks, verified: manifest,
// signature and chunk index. It says everything about the archive that can be
// known before its content is there. It does not change.
type Head struct {
	Manifest *spec.Manifest
	Key      trust.Key        // that signed it
	Digest   string           // SHA-256 of the manifest, hex; the identity of the pack
	Chunks   *spec.ChunkIndex // offsets count from the start of the archive
	Length   int64            // of the head in the archive, in bytes

	raw, sig, index []byte
	layout          *layout
}

// Size is the length of the whole archive, in bytes.
func (h *Head) Size() int64 { return h.Length + h.Chunks.Packed() + int64(sealSize) }

// Packed says how many bytes of the archive each file takes, by path. A chunk that
// several files share counts for each as much as it has of it.
func (h *Head) Packed() map[string]int64 {
	sizes := make(map[string]int64, len(h.layout.files))
	for i, c := range h.Chunks.Chunks {
		for p, err := range h.layout.pieces(h.Chunks.Body[i], c.Size) {
			if err == nil && p.file >= 0 {
				sizes[h.layout.files[p.file].Path] += int64(p.to-p.from) * c.Packed / int64(c.Size)
			}
		}
	}
	return sizes
}

// ReadHead reads and verifies the head of an archive. It reads no byte of r that
// lies behind the head. What is not accepted is a [spec.VerifyError].
func ReadHead(ctx context.Context, r io.Reader, keys *trust.KeyRing, policy spec.Policy) (*Head, error) {
	frames := newFrameReader(&contextReader{ctx, r})
	h, err := readFrontHead(ctx, frames, keys, policy)
	if err != nil {
		return nil, fmt.Errorf("read the head of the pack: %w", err)
	}
	return h, nil
}

// Bounds on the two frames of a head, packed: what does not compress grows a
// little.
const (
	maxFrontFrame = maxHead + maxHead/128
	maxIndexFrame = spec.MaxIndex + spec.MaxIndex/128
)

// errLongFrame: a frame is longer than was asked for.
var errLongFrame = errors.New("the frame goes on")

// readFrontHead reads the two frames of a head: manifest and signature in the
// first, the chunk index in the second.
func readFrontHead(ctx context.Context, frames *frameReader, keys *trust.KeyRing, policy spec.Policy) (*Head, error) {
	h, err := readFront(ctx, frames)
	if err != nil {
		return nil, err
	}
	if err := verifyHead(h, keys, spec.ParseManifest); err != nil {
		return nil, err
	}
	if err := policy.Accept(h.manifest); err != nil {
		return nil, err
	}
	f, ok := h.manifest.ChunkIndexFile()
	if !ok {
		return nil, spec.Refuse(spec.KindBadManifest, spec.ManifestName, "names no chunk index")
	}
	out := &Head{Manifest: h.manifest, Key: h.key, Digest: h.digest, raw: h.raw, sig: h.sig}
	if err := out.readIndex(ctx, frames, f); err != nil {
		return nil, err
	}
	out.Length = frames.read
	out.Chunks.Moved(out.Length)
	return out, nil
}

// readFront reads the first frame of a head, and trusts nothing of it.
func readFront(ctx context.Context, frames *frameReader) (*head, error) {
	frame, err := frames.frame(maxFrontFrame)
	if errors.Is(err, errLongFrame) { // the archive of something else
		return nil, spec.Refuse(spec.KindMissingManifest, "", "the first frame is longer than that of any pack")
	}
	if err != nil {
		return nil, explain(ctx, err, frames.failed)
	}
	rest, err := unpackFrame(frame, maxHead)
	if err != nil {
		return nil, explain(ctx, err, nil)
	}
	h := &head{}
	for _, e := range []struct {
		name    string
		max     int64
		missing spec.Kind
		into    *[]byte
	}{
		{spec.ManifestName, spec.MaxManifest, spec.KindMissingManifest, &h.raw},
		{spec.SignatureName, trust.MaxSignature, spec.KindMissingSignature, &h.sig},
	} {
		*e.into, rest, err = cutEntry(rest, e.name, e.max)
		if errors.Is(err, errOtherEntry) {
			return nil, spec.Refuse(e.missing, "", "%w", err)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(rest) > 0 {
		return nil, spec.Refuse(spec.KindCorrupt, "", "%d bytes between signature and chunk index", len(rest))
	}
	return h, nil
}

// readIndex reads the second frame of a head.
func (h *Head) readIndex(ctx context.Context, frames *frameReader, f spec.File) error {
	frame, err := frames.frame(maxIndexFrame)
	if err != nil && !errors.Is(err, errLongFrame) {
		return explain(ctx, err, frames.failed)
	}
	if err != nil {
		return spec.Refuse(spec.KindTooLarge, spec.ChunksName, "%w", err)
	}
	entry, err := unpackFrame(frame, entrySize(f.Size))
	if err != nil {
		return explain(ctx, err, nil)
	}
	data, rest, err := cutEntry(entry, spec.ChunksName, f.Size)
	if err != nil || len(rest) > 0 || int64(len(data)) != f.Size {
		return spec.Refuse(spec.KindCorrupt, spec.ChunksName, "the second frame is not the entry of the chunk index")
	}
	return h.setIndex(f, data)
}

// setIndex verifies and reads the index.
func (h *Head) setIndex(f spec.File, data []byte) error {
	sum := sha256.Sum256(data)
	if err := compare(f, sum[:]); err != nil {
		return err
	}
	h.layout = newLayout(h.Manifest.Files[1:])
	x, err := spec.ParseChunks(data, h.layout.size)
	if err != nil {
		return err
	}
	h.Chunks, h.index = x, data
	return nil
}

// errOtherEntry: a tar stream goes on with something else than the entry that
// belongs there.
var errOtherEntry = errors.New("another entry")

// cutEntry takes one entry off a tar stream, which must be as Build writes it.
func cutEntry(b []byte, name string, max int64) (data, rest []byte, err error) {
	hdr, err := tar.NewReader(bytes.NewReader(b)).Next()
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("%w: %w", errOtherEntry, err)
	case hdr.Name != name:
		return nil, nil, fmt.Errorf("%w, %q", errOtherEntry, hdr.Name)
	case hdr.Size > max:
		return nil, nil, spec.Refuse(spec.KindTooLarge, name, "%d bytes, more than %d", hdr.Size, max)
	case int64(len(b)) < entrySize(hdr.Size):
		return nil, nil, spec.Refuse(spec.KindTruncated, name, "%d bytes of it are missing", entrySize(hdr.Size)-int64(len(b)))
	}
	data = b[tarBlock : tarBlock+hdr.Size]
	want, err := tarEntry(name, data)
	if err != nil {
		return nil, nil, err
	}
	if rest, ok := bytes.CutPrefix(b, want); ok {
		return data, rest, nil
	}
	return nil, nil, spec.Refuse(spec.KindUnsafeEntry, name, "not a regular file in the usual form")
}

// unpackFrame unpacks a frame to at most max bytes.
func unpackFrame(frame []byte, max int64) ([]byte, error) {
	d, err := newChunkDecoder(1)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	var h zstd.Header
	if err := h.Decode(frame); err == nil && h.HasFCS && h.FrameContentSize < uint64(max) {
		max = int64(h.FrameContentSize)
	}
	return d.DecodeAll(frame, make([]byte, 0, max))
}

// headFrames makes the two frames of a head.
func headFrames(raw, sig, index []byte, comp *zstd.Encoder) ([]byte, error) {
	var front []byte
	for _, e := range []struct {
		name string
		data []byte
	}{{spec.ManifestName, raw}, {spec.SignatureName, sig}} {
		b, err := tarEntry(e.name, e.data)
		if err != nil {
			return nil, err
		}
		front = append(front, b...)
	}
	second, err := tarEntry(spec.ChunksName, index)
	if err != nil {
		return nil, err
	}
	return comp.EncodeAll(second, comp.EncodeAll(front, nil)), nil
}

// indexOf reads and verifies the chunk index of an installed pack, and its
// layout.
func indexOf(in *Installed) (*spec.ChunkIndex, *layout, error) {
	f, ok := in.Manifest.ChunkIndexFile()
	if !ok {
		return nil, nil, spec.Refuse(spec.KindBadManifest, spec.ManifestName, "names no chunk index")
	}
	root, err := in.root()
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	data, err := readBounded(root, f.Path, spec.MaxIndex)
	if err != nil {
		return nil, nil, err
	}
	sum := sha256.Sum256(data)
	if hex.EncodeToString(sum[:]) != f.SHA256 {
		return nil, nil, spec.Refuse(spec.KindFlippedByte, f.Path, "SHA-256 is %x, signed was %s", sum, f.SHA256)
	}
	l := newLayout(in.Manifest.Files[1:])
	x, err := spec.ParseChunks(data, l.size)
	return x, l, err
}
