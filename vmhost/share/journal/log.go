package journal

import (
	"fmt"
	"io"
	"time"

	"piwork/vmhost/share/internal/wal"
)

// markEvery is about how many bytes of the log stand between two marks: as much as
// damage in the middle of it can take.
const markEvery = 32 << 10

// openLog reads the log and hands every record to apply, or makes a new log. Behind
// damage it goes on with the next mark, which has a secret that nobody else knows: the
// log has content of the task's, too.
func openLog(path string, apply func(record, time.Time) error, secret func() []byte) (*wal.Log, error) {
	return wal.Open(path, magic, func(body []byte, off int64) error {
		r, when, err := decode(body)
		if err != nil {
			return err
		}
		if c, _ := inlineOf(r); c != nil {
			c.at += off
		}
		return apply(r, when)
	}, func(body []byte) bool {
		r, _, err := decode(body)
		return err == nil && isMark(r, secret())
	})
}

// appendTo writes records in one go and returns the position to sync up to. What they
// have behind them learns where it stands. One caller at a time may append.
func appendTo(l *wal.Log, when time.Time, recs ...record) (int64, error) {
	var frames []byte
	offs := make([]int64, len(recs))
	for i, r := range recs {
		var data []byte
		if c, _ := inlineOf(r); c != nil {
			data = c.data
		}
		var err error
		if frames, offs[i], err = encode(frames, r, when, data); err != nil {
			return 0, err
		}
	}
	pos, off, err := l.Write(frames)
	if err != nil {
		return 0, fmt.Errorf("journal: %w", err)
	}
	for i, r := range recs {
		if c, _ := inlineOf(r); c != nil {
			c.at = offs[i] + off
		}
	}
	return pos, nil
}

// replace puts a log of the given records in place of the present one. What they have
// behind them is copied from the old log.
func replace(l *wal.Log, when time.Time, recs []record) error {
	moved := map[*inline]int64{}
	err := l.Replace(func(old io.ReaderAt, add func([]byte) (int64, error)) error {
		for _, r := range recs {
			c, n := inlineOf(r)
			var data []byte
			if c != nil && n > 0 && c.at > 0 {
				data = make([]byte, n)
				if _, err := old.ReadAt(data, c.at); err != nil {
					return err
				}
			}
			frame, in, err := encode(nil, r, when, data)
			if err != nil {
				return err
			}
			off, err := add(frame)
			if err != nil {
				return err
			}
			if c != nil {
				moved[c] = off + in
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	for c, at := range moved {
		c.at = at
	}
	return nil
}
