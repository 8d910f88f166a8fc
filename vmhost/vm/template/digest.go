package template

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"os"
)

// digestBlock is how much is hashed at a time, in bytes.
const digestBlock = 64 << 10

// digest returns a SHA-256 of a file that depends on its bytes alone and takes
// no time for its holes: over the size, and over place and content of every
// block that is not all zeros.
func digest(ctx context.Context, path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	var head [8]byte
	number := func(n int64) { binary.BigEndian.PutUint64(head[:], uint64(n)); h.Write(head[:]) }
	number(fi.Size())
	buf, zeros := make([]byte, digestBlock), make([]byte, digestBlock)
	for at := int64(0); at < fi.Size(); at += digestBlock {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		data := nextData(f, at)
		if data < 0 {
			break // a hole to the end
		}
		at = max(at, data-data%digestBlock)
		n, err := f.ReadAt(buf, at)
		if err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
		if !bytes.Equal(buf[:n], zeros[:n]) {
			number(at)
			h.Write(buf[:n])
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
