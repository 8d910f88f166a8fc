package pack

import (
	"bytes"
	"context"
	"encoding/hex"
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

// VerifyFile reads a whole archive and checks it as [Install] does, keeping
// nothing. A pack that is not accepted is a [spec.VerifyError].
func VerifyFile(ctx context.Context, file string, keys *trust.KeyRing, o VerifyOptions) (*Head, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("verify pack: %w", err)
	}
	defer f.Close()
	h, err := extract(ctx, f, keys, o.Policy, nowhere, o.Progress)
	if err != nil {
		return nil, fmt.Errorf("verify %s: %w", file, err)
	}
	return h, nil
}

// destination decides, when the head of an archive is verified, where its files go;
// nil is nowhere.
type destination func(ctx context.Context, h *Head) (*stage, error)

// nowhere is the destination that keeps nothing.
func nowhere(context.Context, *Head) (*stage, error) { return nil, nil }

// extract reads an archive, verifies all of it and gives it to a destination.
func extract(ctx context.Context, r io.Reader, keys *trust.KeyRing, policy spec.Policy, d destination, progress spec.Progress) (*Head, error) {
	frames := newFrameReader(&contextReader{ctx, r})
	h, err := readFrontHead(ctx, frames, keys, policy)
	if err != nil {
		return nil, err
	}
	if err := extractChunks(ctx, frames, h, d, progress); err != nil {
		return nil, err
	}
	return h, nil
}

// compare refuses a file with another sum than was signed.
func compare(f spec.File, sum []byte) error {
	want, err := hex.DecodeString(f.SHA256)
	if err != nil || !bytes.Equal(sum, want) {
		return spec.Refuse(spec.KindFlippedByte, f.Path, "SHA-256 is %x, signed was %s", sum, f.SHA256)
	}
	return nil
}
