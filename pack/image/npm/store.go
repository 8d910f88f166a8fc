package npm

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// maxPacked bounds a package file, in bytes.
const maxPacked = 1 << 30

// Store keeps package files by their hash.
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

// Path is where the file of a checked package is, or will be.
func (s *Store) Path(p Package) string {
	sum, err := p.sum()
	if err != nil {
		return filepath.Join(s.dir, "invalid") // a lock was not made by this package
	}
	return filepath.Join(s.dir, hex.EncodeToString(sum[:32])+".tgz")
}

// Fetch gets a locked package unless the store has it. A file in the store was
// checked when it came in.
func (s *Store) Fetch(ctx context.Context, p Package) error {
	now := time.Now()
	if info, err := os.Stat(s.Path(p)); err == nil && info.Size() == p.Size && os.Chtimes(s.Path(p), now, now) == nil {
		return nil // the time says when it was of use last
	}
	return s.download(ctx, Want{p.Name, p.Version, p.Licence}, func(file string, got Package) error {
		if got.Integrity != p.Integrity || got.Size != p.Size {
			return fmt.Errorf("the registry gives %d bytes with %s, the lock says %d with %s", got.Size, got.Integrity, p.Size, p.Integrity)
		}
		return os.Rename(file, s.Path(p))
	})
}

// Resolve fetches wanted packages and returns a lock of what came.
func (s *Store) Resolve(ctx context.Context, want []Want) (*Lock, error) {
	l := &Lock{Schema: LockSchema}
	for _, w := range want {
		err := s.download(ctx, w, func(file string, got Package) error {
			l.Packages = append(l.Packages, got)
			return os.Rename(file, s.Path(got))
		})
		if err != nil {
			return nil, err
		}
	}
	return l, nil
}

// download has npm fetch one package and gives the file and what it is to
// accept. npm compares it with the hash that the registry has.
func (s *Store) download(ctx context.Context, w Want, accept func(file string, got Package) error) error {
	fail := func(err error) error { return fmt.Errorf("fetch the npm package %s@%s: %w", w.Name, w.Version, err) }
	if !validName().MatchString(w.Name) || !validVersion().MatchString(w.Version) {
		return fail(errors.New("not the name of a package in a version"))
	}
	staging, err := os.MkdirTemp(s.dir, "fetch-")
	if err != nil {
		return fail(err)
	}
	defer os.RemoveAll(staging)
	c := exec.CommandContext(ctx, "npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", staging, w.Name+"@"+w.Version)
	c.Dir = staging // where no project has settings of its own
	c.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "INIT_CWD=")
	}), "npm_config_update_notifier=false", "npm_config_loglevel=error", "npm_config_silent=false")
	var complaint bytes.Buffer
	c.Stderr, c.Stdout = &complaint, &complaint
	if err := c.Run(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return fail(fmt.Errorf("npm is needed: %w", err))
		}
		return fail(fmt.Errorf("npm: %w: %s", err, lastLines(complaint.String(), 8)))
	}
	names, err := filepath.Glob(filepath.Join(staging, "*.tgz"))
	if err != nil || len(names) != 1 {
		return fail(fmt.Errorf("npm left %d package files (%w)", len(names), err))
	}
	got, err := describe(names[0], w)
	if err != nil {
		return fail(err)
	}
	if err := accept(names[0], got); err != nil {
		return fail(err)
	}
	return nil
}

// describe reads what a package file is, and syncs it.
func describe(file string, w Want) (Package, error) {
	p := Package{Name: w.Name, Version: w.Version}
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return p, err
	}
	defer f.Close()
	h := sha512.New()
	if p.Size, err = io.Copy(h, f); err != nil {
		return p, err
	}
	p.Integrity = "sha512-" + base64.StdEncoding.EncodeToString(h.Sum(nil))
	text, err := ReadFile(file, "package.json")
	if err != nil {
		return p, err
	}
	var about struct{ Name, Version, License string }
	if err := json.Unmarshal(text, &about); err != nil {
		return p, fmt.Errorf("package.json: %w", err)
	}
	// npm takes a version with a "v" before it for the same; some of Node's have it.
	if about.Name != w.Name || strings.TrimPrefix(about.Version, "v") != w.Version {
		return p, fmt.Errorf("the package is %q %q", about.Name, about.Version)
	}
	p.Licence = cmp.Or(about.License, w.Licence)
	return p, errors.Join(p.check(), f.Sync())
}

func lastLines(text string, n int) string {
	all := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(all[max(0, len(all)-n):], "; ")
}
