package update

import (
	"context"
	"errors"
	"fmt"
	"io"

	"piwork/pack"
	"piwork/pack/spec"
	"piwork/pack/trust"
	"piwork/pack/trust/channel"
)

// Head gets and verifies the head of an archive. A head that no mirror has in a
// form that is accepted is a [spec.VerifyError].
//
// The head must be that of the very archive that the channel announced: its name,
// its lengths and its manifest are compared with the target, so that no other pack, though
// signed as well, is slipped in.
func (c *Client) Head(ctx context.Context, t channel.Target, keys *trust.KeyRing, policy spec.Policy) (*pack.Head, error) {
	var h *pack.Head
	var refused error // the last refusal
	err := c.tries(t.Path, min(smallAttempts, c.o.Attempts)).each(ctx, func(m *mirror) (err error) {
		a, err := c.request(ctx, m, wish{path: t.Path, length: t.Length, to: t.Head})
		if err != nil {
			return err
		}
		defer a.Close()
		h, err = pack.ReadHead(ctx, lateEnd{a}, keys, policy)
		if err == nil {
			err = same(h, t)
		}
		var sent *Error
		switch kind := spec.KindOf(err); {
		case err == nil:
			return nil
		case errors.As(err, &sent):
			return sent
		case kind == "":
			return &ownError{err}
		case sameEverywhere[kind]:
			return &ownError{err}
		}
		refused = err
		return &Error{Code: CodeWrongContent, Server: m.name(), Err: err, lasting: true}
	})
	if err != nil && refused != nil && ctx.Err() == nil {
		err = refused
	}
	if err != nil {
		return nil, fmt.Errorf("fetch the head of %s: %w", t.Name, err)
	}
	return h, nil
}

// lateEnd tells the end only after the last bytes, not with them: a head is not
// cut off because nothing was asked for behind it.
type lateEnd struct{ io.Reader }

func (l lateEnd) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if n > 0 && errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

// sameEverywhere are refusals of a signed manifest: it is the same on every
// mirror.
var sameEverywhere = map[spec.Kind]bool{
	spec.KindWrongPlatform:   true,
	spec.KindWrongAppVersion: true,
	spec.KindUnknownSchema:   true,
	spec.KindRevokedKey:      true,
	spec.KindWithdrawn:       true,
}

// same refuses the head of another archive than the announced one.
func same(h *pack.Head, t channel.Target) error {
	if name := h.Manifest.ArchiveName(); name != t.Name {
		return &spec.VerifyError{Kind: spec.KindWrongVersion, Err: fmt.Errorf("announced as %s, is %s", t.Name, name)}
	}
	if h.Length != t.Head || h.Size() != t.Length {
		return &spec.VerifyError{Kind: spec.KindWrongSize, Err: fmt.Errorf("announced with %d bytes and a head of %d, has %d and %d",
			t.Length, t.Head, h.Size(), h.Length)}
	}
	if h.Digest != t.Manifest {
		return &spec.VerifyError{Kind: spec.KindBadManifest, Err: fmt.Errorf("announced with manifest %s, has %s", t.Manifest, h.Digest)}
	}
	return nil
}
