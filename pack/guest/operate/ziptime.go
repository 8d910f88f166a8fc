package operate

import (
	"io/fs"
	"time"
)

// timed is a file with another time.
type timed struct {
	fs.FileInfo
	at time.Time
}

func (t timed) ModTime() time.Time { return t.at }

// zipTime gives a file of a ZIP the time that it had where it was packed. Without an
// extended time stamp a ZIP has only what the clock on the wall showed there, which the
// library takes for UTC; in no other case is the zone UTC itself. The person's own zone
// is the likeliest: a file from 10:00 is one from 10:00 again.
func zipTime(info fs.FileInfo, said time.Time) fs.FileInfo {
	if said.Location() != time.UTC || said.IsZero() {
		return info
	}
	year, month, day := said.Date()
	hour, minute, second := said.Clock()
	return timed{info, time.Date(year, month, day, hour, minute, second, said.Nanosecond(), time.Local)}
}
