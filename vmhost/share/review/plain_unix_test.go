//go:build unix

package review

import (
	"time"

	"golang.org/x/sys/unix"
)

// rename is rename(2) itself: os.Rename refuses some of what that allows.
func (d plain) rename(p, q string) error { return unix.Rename(d.at(p), d.at(q)) }

func (d plain) chtimes(p string, t time.Time) error {
	ts := unix.NsecToTimespec(t.UnixNano())
	return unix.UtimesNanoAt(unix.AT_FDCWD, d.at(p), []unix.Timespec{ts, ts}, unix.AT_SYMLINK_NOFOLLOW)
}
