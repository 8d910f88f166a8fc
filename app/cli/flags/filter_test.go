package flags

import (
	"errors"
	"testing"
	"time"
)

func TestParseTime(t *testing.T) {
	zone := time.FixedZone("here", 2*3600)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, zone)
	for given, want := range map[string]time.Time{
		"":                     {},
		"90m":                  now.Add(-90 * time.Minute),
		"7d":                   time.Date(2026, 2, 22, 12, 0, 0, 0, zone),
		"2w":                   time.Date(2026, 2, 15, 12, 0, 0, 0, zone),
		"0d":                   now,
		"2026-02-28":           time.Date(2026, 2, 28, 0, 0, 0, 0, zone),
		"2026-02-28T09:30":     time.Date(2026, 2, 28, 9, 30, 0, 0, zone),
		"2026-02-28 09:30:01":  time.Date(2026, 2, 28, 9, 30, 1, 0, zone),
		"2026-02-28T09:30:00Z": time.Date(2026, 2, 28, 9, 30, 0, 0, time.UTC),
	} {
		if got, err := ParseTime("--since", given, now); err != nil || !got.Equal(want) {
			t.Errorf("%q: %v %v, want %v", given, got, err, want)
		}
	}
	for _, given := range []string{"x", "-1h", "7", "1y", "99999d", "99999w", "2026-02-30", "2026-13-01", "01.02.2026", "9999999h"} {
		var u *UsageError
		if got, err := ParseTime("--since", given, now); !errors.As(err, &u) {
			t.Errorf("%q: %v %v", given, got, err)
		}
	}
}
