package journal

import (
	"bytes"
	"fmt"
	"io"

	"piwork/vmhost/share/internal/wal"
)

// markEvery is about how many bytes of the log stand between two marks: as much as
// damage in the middle of it can take.
const markEvery = 32 << 10

// openLog reads the log and hands every record to apply, or makes a new log. Behind
// damage it goes on with the next mark, which has a secret that nobody else knows: the
// log has content of the task's, too.
func openLog(path string, apply func(*record) error, secret func() []byte) (*wal.Log, error) {
	return wal.Open(path, magic, func(body []byte, off int64) error {
		r, err := decode(body)
		if err != nil {
			return err
		}
		r.at += off
		return apply(&r)
	}, func(body []byte) bool {
		r, err := decode(body)
		return err == nil && r.Type == recMark && len(r.Name) > 0 && bytes.Equal(r.Name, secret())
	})
}

// appendTo writes records in one go and returns the position to sync up to.
// Records with data learn where it stands. One caller at a time may append.
func appendTo(l *wal.Log, recs []record) (int64, error) {
	var frames []byte
	for i := range recs {
		var err error
		if frames, recs[i].at, err = recs[i].encode(frames); err != nil {
			return 0, err
		}
	}
	pos, off, err := l.Write(frames)
	if err != nil {
		return 0, fmt.Errorf("journal: %w", err)
	}
	for i := range recs {
		recs[i].at += off
	}
	return pos, nil
}

// replace puts a log of the given records in place of the present one. The data
// of a record is copied from the old log.
func replace(l *wal.Log, recs []record) error {
	err := l.Replace(func(old io.ReaderAt, add func([]byte) (int64, error)) error {
		for i := range recs {
			r := &recs[i]
			if n := r.inline(); n > 0 && r.at > 0 {
				r.data = make([]byte, n)
				if _, err := old.ReadAt(r.data, r.at); err != nil {
					return err
				}
			}
			frame, data, err := r.encode(nil)
			if err != nil {
				return err
			}
			off, err := add(frame)
			if err != nil {
				return err
			}
			r.at, r.data = off+data, nil
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}
