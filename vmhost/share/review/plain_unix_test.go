//go:build unix

package review

import (
	"time"

	"golang.org/x/sys/unix"
)

// rename is rename(2) itself: os.Rename refuses some of what that allows.
func (d plain) rename(p, q string) error { return unix.Rename(d.at(p), d.at(q)) }

func (d plain) setxattr(p, name, value string) error {
	return unix.Lsetxattr(d.at(p), name, []byte(value), 0)
}

func (d plain) removexattr(p, name string) error { return unix.Lremovexattr(d.at(p), name) }

// keepsAttrs reports whether programs may set attributes of files in dir.
func keepsAttrs(dir string) bool {
	_, err := unix.Llistxattr(dir, nil)
	if err == nil {
		err = unix.Lsetxattr(dir, "user.piwork", []byte("x"), 0)
		_ = unix.Lremovexattr(dir, "user.piwork")
	}
	return err == nil
}

func (d plain) chtimes(p string, t time.Time) error {
	ts := unix.NsecToTimespec(t.UnixNano())
	return unix.UtimesNanoAt(unix.AT_FDCWD, d.at(p), []unix.Timespec{ts, ts}, unix.AT_SYMLINK_NOFOLLOW)
}
