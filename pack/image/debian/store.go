package debian

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Store keeps package files by SHA-256.
type Store struct{ dir string }

// OpenStore makes the directory when it is missing.
func OpenStore(dir string) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return &Store{dir: dir}, nil
}

// Path is where the file of a package is, or will be.
func (s *Store) Path(p Package) string { return filepath.Join(s.dir, p.SHA256+".deb") }

// GoneError lists locked packages that their mirror has no longer.
type GoneError struct{ Packages []Package }

func (e *GoneError) Error() string {
	names := make([]string, len(e.Packages))
	for i, p := range e.Packages {
		names[i] = fmt.Sprintf("%s %s (%s)", p.Name, p.Version, p.Path)
	}
	return "no longer on the mirror: " + strings.Join(names, ", ")
}

// Fetch gets what is not in the store yet. Files in the store were checked when
// they came in; a new file with another hash or size than the lock says is an
// error, packages that the mirror no longer has are a *GoneError. Progress, when
// not nil, is told about every download: what is to come, then what came.
func (s *Store) Fetch(ctx context.Context, apt *Apt, packages []Package, progress func(files int, bytes int64)) error {
	return s.fetch(ctx, apt, apt.url, packages, progress)
}

// fetch is Fetch from the addresses that at gives.
func (s *Store) fetch(ctx context.Context, apt *Apt, at func(Package) string, packages []Package, progress func(files int, bytes int64)) error {
	var missing []Package
	var size int64
	seen := map[string]bool{}
	now := time.Now()
	for _, p := range packages {
		if seen[p.SHA256] {
			continue
		}
		seen[p.SHA256] = true
		info, err := os.Stat(s.Path(p))
		if err == nil && info.Size() == p.Size && os.Chtimes(s.Path(p), now, now) == nil {
			continue // the time says when it was of use last
		}
		missing = append(missing, p)
		size += p.Size
	}
	if len(missing) == 0 {
		return nil
	}
	if progress != nil {
		progress(len(missing), size)
	}
	staging, err := os.MkdirTemp(s.dir, "fetch-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(staging)
	args := []string{"download-file"}
	for _, p := range missing {
		args = append(args, at(p), filepath.Join(staging, p.SHA256), "SHA256:"+p.SHA256)
	}
	_, failed := apt.run(ctx, helper, args...)
	var gone []Package
	for _, p := range missing {
		err := s.accept(filepath.Join(staging, p.SHA256), p)
		if errors.Is(err, os.ErrNotExist) && failed != nil {
			if !leftMirror(failed.Error(), at(p)) {
				return fmt.Errorf("fetch %s: %w", p.Name, failed)
			}
			gone = append(gone, p)
			continue
		}
		if err != nil {
			return fmt.Errorf("fetch %s: %w", p.Name, err)
		}
	}
	if len(gone) > 0 {
		return &GoneError{Packages: gone}
	}
	return nil
}

// url is where a package is on the mirror.
func (a *Apt) url(p Package) string { return a.mirrors[p.Archive] + "/" + escaped(p.Path) }

// escaped is a path as apt wants it in a URL.
func escaped(path string) string {
	return strings.ReplaceAll((&url.URL{Path: path}).EscapedPath(), "+", "%2b")
}

// leftMirror tells from apt's words whether a file is not there, as opposed to
// not reachable.
func leftMirror(complaint, url string) bool {
	for line := range strings.Lines(complaint) {
		if strings.Contains(line, "Failed to fetch "+url+" ") && (strings.Contains(line, " 404 ") || strings.Contains(line, "File not found")) {
			return true
		}
	}
	return false
}

// accept moves a fetched file into the store when it is the right one.
func (s *Store) accept(file string, p Package) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	if err != nil {
		return err
	}
	if got := hex.EncodeToString(h.Sum(nil)); n != p.Size || got != p.SHA256 {
		return fmt.Errorf("%d bytes with SHA-256 %s, the lock says %d and %s", n, got, p.Size, p.SHA256)
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return os.Rename(file, s.Path(p))
}
