package ledger

import (
	"fmt"
	"io"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"piwork/vmhost/share/internal/wal"
)

// MarkEvery is about how many bytes of the log stand between two marks: as much as
// damage in the middle of it can take.
const MarkEvery = 32 << 10

// OpenLog reads the log and hands every record to apply, or makes a new log. Behind
// damage it goes on with the next mark, which has a secret that nobody else knows: the
// log has content of the task's, too.
func OpenLog(path string, apply func(Record, time.Time) error, secret func() []byte) (*wal.Log, error) {
	return wal.Open(path, Magic, func(body []byte, off int64) error {
		r, when, err := Decode(body)
		if err != nil {
			return err
		}
		if c, _ := InlineOf(r); c != nil {
			c.At += off
		}
		return apply(r, when)
	}, func(body []byte) bool {
		r, _, err := Decode(body)
		return err == nil && isMark(r, secret())
	})
}

// AppendTo writes records in one go and returns the position to sync up to. What they
// have behind them learns where it stands. One caller at a time may append.
func AppendTo(l *wal.Log, when time.Time, recs ...Record) (int64, error) {
	frames, offs, err := encodeAll(recs, when)
	if err != nil {
		return 0, err
	}
	pos, off, err := l.Write(frames)
	if err != nil {
		return 0, fmt.Errorf("journal: %w", err)
	}
	for i, r := range recs {
		if c, _ := InlineOf(r); c != nil {
			c.At = offs[i] + off
		}
	}
	return pos, nil
}

// encodeAll returns the frames of records, and where in them begins what each has behind it. Undo
// ends with thousands, so many are encoded by several workers.
func encodeAll(recs []Record, when time.Time) ([]byte, []int64, error) {
	offs := make([]int64, len(recs))
	encode := func(first, end int) (frames []byte, err error) {
		for i := first; i < end && err == nil; i++ {
			var data []byte
			if c, _ := InlineOf(recs[i]); c != nil {
				data = c.Data
			}
			frames, offs[i], err = Encode(frames, recs[i], when, data)
		}
		return frames, err
	}
	if len(recs) < 100 {
		frames, err := encode(0, len(recs))
		return frames, offs, err
	}
	size := (len(recs)-1)/runtime.GOMAXPROCS(0) + 1
	parts := make([][]byte, (len(recs)-1)/size+1)
	var group errgroup.Group
	for n := range parts {
		group.Go(func() (err error) {
			parts[n], err = encode(n*size, min((n+1)*size, len(recs)))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, nil, err
	}
	var frames []byte
	for n, part := range parts {
		for i := n * size; i < min((n+1)*size, len(recs)); i++ {
			offs[i] += int64(len(frames))
		}
		frames = append(frames, part...)
	}
	return frames, offs, nil
}

// Replace puts a log of the given records in place of the present one. What they have
// behind them is copied from the old log.
func Replace(l *wal.Log, when time.Time, recs []Record) error {
	moved := map[*Inline]int64{}
	err := l.Replace(func(old io.ReaderAt, add func([]byte) (int64, error)) error {
		for _, r := range recs {
			c, n := InlineOf(r)
			var data []byte
			if c != nil && n > 0 && c.At > 0 {
				data = make([]byte, n)
				if _, err := old.ReadAt(data, c.At); err != nil {
					return err
				}
			}
			frame, in, err := Encode(nil, r, when, data)
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
		c.At = at
	}
	return nil
}
