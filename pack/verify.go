package pack

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"piwork/pack/spec"

	"piwork/pack/trust"
)

// VerifyOptions of [VerifyFile]; the zero value is valid.
type VerifyOptions struct {
	Policy   spec.Policy
	Progress spec.Progress
}

// Verified says what vouches for a pack.
type Verified struct {
	Key            trust.Key // that signed it
	ManifestSHA256 string    // hex; the identity of the pack
}

// VerifyFile reads a whole archive and checks it as [Install] does, keeping
// nothing. A pack that is not accepted is a [spec.VerifyError].
func VerifyFile(ctx context.Context, file string, keys *trust.KeyRing, o VerifyOptions) (*spec.Manifest, Verified, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, Verified{}, fmt.Errorf("verify pack: %w", err)
	}
	defer f.Close()
	h, err := extract(ctx, f, keys, o.Policy, nowhere{}, o.Progress)
	if err != nil {
		return nil, Verified{}, fmt.Errorf("verify %s: %w", file, err)
	}
	return h.manifest, Verified{Key: h.key, ManifestSHA256: h.digest}, nil
}

// destination decides where the files of an archive go.
type destination interface {
	// begin is called once, when the head is verified; nil is nowhere.
	begin(ctx context.Context, h *head) (*stage, error)
}

// nowhere is the destination that keeps nothing.
type nowhere struct{}

func (nowhere) begin(context.Context, *head) (*stage, error) { return nil, nil }

// extract reads an archive, verifies all of it and gives it to a destination.
func extract(ctx context.Context, f io.ReadSeeker, keys *trust.KeyRing, policy spec.Policy, d destination, progress spec.Progress) (*head, error) {
	start, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, err
	}
	frames := newFrameReader(&contextReader{ctx, f})
	switch h, err := readFrontHead(ctx, frames, keys, policy); {
	case err == nil:
		return extractChunks(ctx, frames, h, d, progress)
	case !errors.Is(err, spec.ErrNoIndex):
		return nil, err
	}
	if _, err := f.Seek(start, io.SeekStart); err != nil {
		return nil, err
	}
	return extractStream(ctx, &contextReader{ctx, f}, keys, policy, d, progress)
}

// extractStream reads an archive without chunks. What is wrong with a file comes first:
// what reading says after that is only its consequence.
func extractStream(ctx context.Context, r io.Reader, keys *trust.KeyRing, policy spec.Policy, d destination, progress spec.Progress) (*head, error) {
	s := &streamSink{dest: d, track: tracker{progress: progress}}
	h, err := readArchive(ctx, r, keys, policy, s)
	var local *localError
	switch {
	case errors.As(s.failed, &local):
		return nil, local.error
	case spec.KindOf(s.failed) != "":
		return nil, s.failed
	}
	return h, err
}

// compare refuses a file with another sum than was signed.
func compare(f spec.File, sum []byte) error {
	want, err := hex.DecodeString(f.SHA256)
	if err != nil || !bytes.Equal(sum, want) {
		return spec.Refuse(spec.KindFlippedByte, f.Path, "SHA-256 is %x, signed was %s", sum, f.SHA256)
	}
	return nil
}
