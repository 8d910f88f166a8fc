package recorder

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/partial"
)

// Verify reads what is kept and compares it with its checksums, where there are any, before
// undo writes into a file of a person's. rest is the file that has what is not among the
// parts, nil for none.
func (s *Stored) Verify(rest *os.File) error {
	if s.in != nil {
		return s.Check() // it is hashed when it is read
	}
	f, info, err := OpenOwn(s.dir, s.name, os.O_RDONLY)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoImage, err)
	}
	defer f.Close()
	if s.parts == nil {
		if s.sum == "" {
			return s.Check()
		}
		return sameSum(s.sum, f)
	}
	known, err := s.Parts()
	if err != nil {
		return err
	}
	p, err := partial.Read(f)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrNoImage, err)
	case p.End < known.End:
		return fmt.Errorf("%w: the part at byte %d is damaged", ErrNoImage, p.End)
	case p.End == info.Size || s.sum == "" || rest == nil && !p.Has(partial.Everything):
		return nil
	}
	// What follows the last whole part was either never waited for, and is not needed, or is
	// damaged. The sum of the whole tells.
	o := partial.Overlay{P: p, Img: f}
	if rest != nil {
		o.Under = rest
	}
	return sameSum(s.sum, o)
}

// sameSum fails when content does not have a checksum; "" is that of any content.
func sameSum(sum string, content io.ReaderAt) error {
	if sum == "" {
		return nil
	}
	got, err := Sum(context.Background(), content)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoImage, err)
	}
	return compare(sum, got)
}

func compare(sum, got string) error {
	if sum != "" && sum != got {
		return fmt.Errorf("%w: its content is damaged", ErrNoImage)
	}
	return nil
}

// CopyTo makes f, which is empty, the content, and fails when that does not have a checksum;
// "" is that of any content.
func (c *Content) CopyTo(f *os.File, sum string) error {
	h := sha256.New()
	see := func(b []byte) error { h.Write(b); return nil }
	if sum == "" {
		see = nil
	}
	if _, err := at.CopyFile(f, c, c.Size(), see); err != nil {
		return err
	}
	return compare(sum, hex.EncodeToString(h.Sum(nil)))
}
