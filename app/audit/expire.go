package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"piwork/app/durable"
)

// How much is kept.
const (
	DefaultDays = 365
	MaxDays     = 3650

	maxBytes    = 64 << 20 // of the log
	keptBytes   = 48 << 20 // after it was larger
	expireEvery = 24 * time.Hour
	expireAgain = time.Minute // where the log is too large and could not be made smaller

	longPause     = 40 * 24 * time.Hour // without a record, after which the clock may rather be wrong
	believedAfter = 24 * time.Hour
)

// clock follows the times of records: a computer that starts in 2036 once must not lose the
// whole log for its age. A person may have been away for as long as the jump, so the new time is
// believed after a day on which the clock went on.
type clock struct {
	last  time.Time // of the record before
	sure  time.Time // the last one before a jump
	began time.Time // the first one after it; zero without a jump
}

func (c *clock) see(r Record) {
	switch {
	case !c.last.IsZero() && r.Time.Sub(c.last) > longPause:
		c.sure, c.began = c.last, r.Time
	case r.Time.Before(c.began): // somebody set it right
		c.began = time.Time{}
	}
	c.last = r.Time
}

// believed is the time that ages of records are counted from.
func (c *clock) believed(now time.Time) time.Time {
	if !c.began.IsZero() && now.Sub(c.began) < believedAfter {
		return c.sure
	}
	return now
}

// expire removes the records that are older than they are kept, once a day, or when the log is
// too large. The head names the new beginning first: lines before it count as removed. Of a log
// that does not hold nothing is removed for its age, which may be forged; that it does not hold
// is written down before anything goes. Where the clock jumped far ahead, age counts from before.
func (l *Log) expire() error {
	now := l.o.Now()
	if since := now.Sub(l.expired); since < expireEvery && (l.size <= maxBytes || since < expireAgain) {
		return nil
	}
	l.expired = now
	data, err := os.ReadFile(l.file)
	if err != nil {
		return fmt.Errorf("expire audit records: %w", err)
	}
	h, err := readHead(headFile(l.file))
	if err != nil {
		return fmt.Errorf("expire audit records: %w", err)
	}
	var c clock
	chain := follow(h, c.see)
	rep, err := chain.read(bytes.NewReader(data), l.Public(), 0)
	if err != nil {
		return err
	}
	if chain.fresh {
		if err := l.append(Record{Event: EventBroken, Reason: rep.Reason}); err != nil {
			return err
		}
		l.expired = time.Time{} // the next record looks again
		return nil
	}
	var before time.Time
	if l.o.Days != nil && rep.OK {
		if days := l.o.Days(); days > 0 {
			before = c.believed(now).Add(-time.Duration(days) * 24 * time.Hour)
		}
	}
	rest, from, dropped := firstKept(data, before)
	if dropped == 0 {
		return nil
	}
	l.from = from
	if err := l.writeHead(); err != nil {
		return err
	}
	if err := l.replace(rest); err != nil {
		return fmt.Errorf("expire audit records: %w", err)
	}
	return l.append(Record{Event: EventExpired, Dropped: dropped})
}

// firstKept is the rest of a log from the first record that is kept, and how many are not. The
// last one is kept always: the chain goes on from it.
func firstKept(data []byte, before time.Time) (rest []byte, from point, dropped int) {
	rest = data
	large := len(data) > maxBytes
	for {
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		var r Record
		known := json.Unmarshal(line, &r) == nil
		old := known && r.Time.Before(before) || large && len(rest) > keptBytes
		if !old && known || len(after) == 0 {
			return rest, point{N: r.N, Hash: r.Prev}, dropped
		}
		if !old { // a line that is none cannot be the first
			return data, point{}, 0
		}
		rest, dropped = after, dropped+1
	}
}

// replace writes the file anew.
func (l *Log) replace(data []byte) error {
	if err := l.lines.Close(); err != nil {
		return err
	}
	werr := durable.WriteFile(l.file, data)
	lines, _, err := durable.OpenLines(l.file)
	if err != nil {
		return errors.Join(werr, err) // the log is closed: nothing more can be recorded
	}
	l.lines = lines
	if werr == nil {
		l.size = int64(len(data))
	}
	return werr
}
