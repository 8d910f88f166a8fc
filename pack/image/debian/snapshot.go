package debian

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Snapshots is the base URL of an archive that keeps what left the mirrors, without
// a trailing slash. Below it is what the archive had at a time:
//
//	archive/debian/20261120T081500Z/pool/main/b/bash/bash_5.2.37-2_amd64.deb
//
// Debian's own, and mirrors of it, give the last state that they recorded at or
// before the time asked for. They also keep files by SHA-1, which locks do not have.
type Snapshots string

// FindSnapshots returns the archive of snapshots that the environment names, ""
// when it names none.
func FindSnapshots(getenv func(string) string) (Snapshots, error) {
	base := strings.TrimRight(getenv(EnvSnapshots), "/")
	if u, err := url.Parse(base); base != "" && (err != nil || u.Scheme == "") {
		return "", fmt.Errorf("%s: %q is not a URL", EnvSnapshots, base)
	}
	return Snapshots(base), nil
}

// snapshotDelay is after how long a state of the archive is recorded for certain.
const snapshotDelay = 24 * time.Hour

// FetchSnapshot is Fetch from an archive of snapshots, for packages of a lock that
// was resolved at a time. The archive is asked for its state a day later, which has
// what was published just then, and for that at the time itself, which has what was
// replaced on that day.
func (s *Store) FetchSnapshot(ctx context.Context, apt *Apt, from Snapshots, at time.Time, packages []Package, progress func(files int, bytes int64)) error {
	gone := &GoneError{Packages: packages}
	for _, t := range []time.Time{at.Add(snapshotDelay), at} {
		err := s.fetch(ctx, apt, func(p Package) string { return from.url(t, p) }, gone.Packages, progress)
		if !errors.As(err, &gone) {
			return err
		}
	}
	return gone
}

// url is where a package of a state of the archive is.
func (f Snapshots) url(at time.Time, p Package) string {
	return fmt.Sprintf("%s/archive/%s/%s/%s", f, p.Archive, at.UTC().Format("20060102T150405Z"), escaped(p.Path))
}
