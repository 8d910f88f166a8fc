package wal

import (
	"encoding/json"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Lock takes the directory of a log for this process. It fails with busy while
// another one has it.
func Lock(dir string, busy error) (*flock.Flock, error) {
	lock := flock.New(filepath.Join(dir, "lock"))
	ok, err := lock.TryLock()
	if err == nil && !ok {
		err = busy
	}
	return lock, err
}

// Raw is a string whose bytes survive JSON, whatever they are.
type Raw string

// MarshalJSON implements json.Marshaler.
func (r Raw) MarshalJSON() ([]byte, error) { return json.Marshal([]byte(r)) }

// UnmarshalJSON implements json.Unmarshaler.
func (r *Raw) UnmarshalJSON(b []byte) error {
	var v []byte
	err := json.Unmarshal(b, &v)
	*r = Raw(v)
	return err
}

// Time is a time that JSON can say (RFC 3339): others become the nearest.
func Time(sec, nsec int64) time.Time {
	const first, last = -62135596800, 253402300799 // of the years 1 and 9999
	if sec < first || sec > last {
		sec, nsec = min(max(sec, first), last), 0
	}
	return time.Unix(sec, nsec).UTC()
}
