package recorder

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"

	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal/internal/partial"
)

// Rewrite makes verified content that of f, whatever f has. Where its disk has no room for that, f
// stays as it is.
func (s *Stored) Rewrite(f *os.File) error {
	if s.parts == nil {
		if done, err := s.clone(f); done {
			return err
		}
	}
	before, err := at.Stat(f)
	if err != nil {
		return err
	}
	if err := s.makeRoom(f); err != nil { // which may have changed its time
		return errors.Join(err, f.Truncate(before.Size), at.SetTimes(f, time.Time{}, before.MTime))
	}
	if s.parts == nil {
		if err := f.Truncate(0); err != nil {
			return err
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
	}
	return s.WriteTo(f, true)
}

// clone is Rewrite where f can share the blocks of the content, which takes no room.
func (s *Stored) clone(f *os.File) (done bool, err error) {
	c, err := s.Open(nil)
	if err != nil {
		return true, err
	}
	defer c.Close()
	if c.file == nil || at.Clone(f, c.file) != nil {
		return false, nil
	}
	return true, f.Truncate(c.Size())
}

// makeRoom takes the room that the content needs in f, if the system can.
func (s *Stored) makeRoom(f *os.File) error {
	list := []partial.Span{{End: s.size}}
	if s.parts != nil {
		p, err := s.Parts()
		if err != nil {
			return err
		}
		list = p.Written()
	}
	const keepSize = 1 // FALLOC_FL_KEEP_SIZE
	for _, x := range list {
		err := error(nil)
		if x.End > x.Off {
			err = at.Allocate(f, keepSize, x.Off, x.End-x.Off)
		}
		if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG) {
			return err
		}
	}
	return nil
}
