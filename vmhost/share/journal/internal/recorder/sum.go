package recorder

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"sync"
)

// SumOf returns the SHA-256 of data in hex.
func SumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// pieces are buffers of Sum: 10,000 small files would have made 2.5 GB of them.
var pieces = sync.Pool{New: func() any { return new([256 << 10]byte) }}

// Sum returns the SHA-256 of all of f in hex, reading it from the beginning, or
// the error of ctx when that ends first.
func Sum(ctx context.Context, f io.ReaderAt) (string, error) {
	h := sha256.New()
	piece := pieces.Get().(*[256 << 10]byte)
	defer pieces.Put(piece)
	buf := piece[:]
	for off := int64(0); ; {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		n, err := f.ReadAt(buf, off)
		h.Write(buf[:n])
		off += int64(n)
		if errors.Is(err, io.EOF) {
			return hex.EncodeToString(h.Sum(nil)), nil
		}
		if err != nil {
			return "", err
		}
	}
}
