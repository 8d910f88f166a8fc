package remote

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"encoding/hex"
	"io"
	"testing"
)

// What is sent goes in pieces that fill a packet, but for the last one.
func TestZipped(t *testing.T) {
	sent := make([]byte, 1<<20)
	_, _ = rand.Read(sent)
	sent = []byte(hex.EncodeToString(sent)) // else it would be stored as it is
	var got bytes.Buffer
	var pieces []int
	err := zipped(writerFunc(func(b []byte) (int, error) {
		pieces = append(pieces, len(b))
		return got.Write(b)
	}), func(w io.Writer) error {
		_, err := w.Write(sent)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range pieces {
		if i < len(pieces)-1 && n < 32<<10 {
			t.Fatalf("piece %d of %d has %d bytes", i, len(pieces), n)
		}
	}
	z, err := gzip.NewReader(&got)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(z); err != nil || !bytes.Equal(b, sent) {
		t.Errorf("%d bytes of %d arrived: %v", len(b), len(sent), err)
	}
}
