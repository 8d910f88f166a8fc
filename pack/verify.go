package pack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"piwork/pack/trust"
)

// VerifyOptions of [VerifyFile]; the zero value is valid.
type VerifyOptions struct {
	Policy   Policy
	Progress Progress
}

// Verified says what vouches for a pack.
type Verified struct {
	Key            trust.Key // that signed it
	ManifestSHA256 string    // hex; the identity of the pack
}

// VerifyFile reads a whole archive and checks it as [Install] does, keeping
// nothing. A pack that is not accepted is a [VerifyError].
func VerifyFile(ctx context.Context, file string, keys *trust.KeyRing, o VerifyOptions) (*Manifest, Verified, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, Verified{}, fmt.Errorf("verify pack: %w", err)
	}
	defer f.Close()
	p := newPump(ctx, o.Progress)
	h, err := p.run(f, keys, o.Policy, &checker{p})
	if err != nil {
		return nil, Verified{}, fmt.Errorf("verify %s: %w", file, err)
	}
	return h.manifest, Verified{Key: h.key, ManifestSHA256: h.digest}, nil
}

// run reads an archive through the pump. The pump's own failures come first:
// what reading says after them is only their consequence.
func (p *pump) run(r io.Reader, keys *trust.KeyRing, policy Policy, s sink) (*head, error) {
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

// checker is the sink that keeps nothing.
type checker struct{ *pump }

func (c *checker) begin(_ context.Context, h *head) error {
	c.total = h.manifest.Bytes()
	return nil
}

func (c *checker) file(_ context.Context, f File, r io.Reader) error { return c.copy(f, r, nil) }
