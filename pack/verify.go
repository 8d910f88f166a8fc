package pack

import (
	"context"
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
	p := newPump(ctx, progress)
	return p.run(f, keys, policy, &streamSink{pump: p, dest: d})
}

// run reads an archive through the pump. The pump's own failures come first:
// what reading says after them is only their consequence.
func (p *pump) run(r io.Reader, keys *trust.KeyRing, policy spec.Policy, s sink) (*head, error) {
	h, err := readArchive(p.ctx, r, keys, policy, s)
	if failed := p.wait(); failed != nil {
		var local *localError
		if errors.As(failed, &local) {
			failed = local.error
		}
		return nil, failed
	}
	return h, err
}
