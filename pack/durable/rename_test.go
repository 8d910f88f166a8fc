package durable

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// A directory of which a virus scanner has a file open gets its name once that is closed; other
// errors, and a file that stays open, are told.
func TestRenameWaitsForScanners(t *testing.T) {
	open, other := errors.New("in use"), errors.New("other")
	busy := func(err error) bool { return errors.Is(err, open) }
	for name, tt := range map[string]struct {
		until time.Duration // the file is open
		err   error         // afterwards
		want  error
		takes time.Duration
	}{
		"nobody":        {},
		"a scanner":     {until: 10 * time.Second, takes: 10 * time.Second},
		"a program":     {until: time.Hour, want: open, takes: dirPatience},
		"another error": {err: other, want: other},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				err := patiently(dirPatience, busy, func() error {
					if time.Since(began) < tt.until {
						return open
					}
					return tt.err
				})
				if took := time.Since(began); !errors.Is(err, tt.want) || took < tt.takes || took > tt.takes+time.Second {
					t.Errorf("%v after %v", err, took)
				}
			})
		})
	}
}
