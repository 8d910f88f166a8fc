package pack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"

	"piwork/pack/spec"
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

// parser is spec.ParseManifest, or has its answer already.
type parser func([]byte) (*spec.Manifest, error)

// verifyHead fills in what follows from raw and sig, signature first.
func verifyHead(h *head, keys *trust.KeyRing, parse parser) error {
	key, err := verifySignature(h.raw, h.sig, spec.SignatureName, keys)
	if err != nil {
		return err
	}
	m, err := parse(h.raw)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(h.raw)
	h.manifest, h.key, h.digest = m, key, hex.EncodeToString(sum[:])
	return nil
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
	if local, is := errors.AsType[*localError](err); is {
		return local.error
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return spec.Refuse(spec.KindTruncated, "", "%w", err)
	}
	if errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		return spec.Refuse(spec.KindTooLarge, "", "%w", err)
	}
	return spec.Refuse(spec.KindCorrupt, "", "%w", err)
}

// localError marks a failure of this computer, not of the pack.
type localError struct{ error }

func (e *localError) Unwrap() error { return e.error }
