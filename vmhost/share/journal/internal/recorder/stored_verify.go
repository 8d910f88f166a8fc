package recorder

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
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
		return s.sameSum(Sum(context.Background(), f))
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
	return s.sameSum(Sum(context.Background(), o))
}

// sameSum fails when a sum is not that of the content.
func (s *Stored) sameSum(sum string, err error) error {
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrNoImage, err)
	case s.sum != "" && sum != s.sum:
		return fmt.Errorf("%w: its content is damaged", ErrNoImage)
	}
	return nil
}

// copyTo makes f, which is empty, the content, and compares that with its checksum.
func (s *Stored) copyTo(f *os.File, c *Content) error {
	if c.file != nil && at.Clone(f, c.file) == nil {
		if s.sum == "" {
			return nil
		}
		return s.sameSum(Sum(context.Background(), c.file))
	}
	h := sha256.New()
	if _, err := at.CopyFile(f, c, c.Size(), func(b []byte) error { h.Write(b); return nil }); err != nil {
		return err
	}
	return s.sameSum(hex.EncodeToString(h.Sum(nil)), nil)
}
