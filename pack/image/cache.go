package image

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// unusedFor is after how long a part that no build used is removed.
const unusedFor = 30 * 24 * time.Hour

// cache keeps parts by name and key. A part is a directory that is complete
// when it has its final name.
type cache struct {
	dir string
	log func(format string, a ...any)
}

// lock keeps other builds away until the returned function is called.
func (c *cache) lock(ctx context.Context) (func(), error) {
	if err := os.MkdirAll(filepath.Join(c.dir, "parts"), 0o755); err != nil {
		return nil, err
	}
	l := flock.New(filepath.Join(c.dir, "lock"))
	if ok, err := l.TryLock(); err != nil || !ok {
		if err != nil {
			return nil, fmt.Errorf("build cache: %w", err)
		}
		c.log("Waiting for another build in %s", c.dir)
		if ok, err := l.TryLockContext(ctx, 200*time.Millisecond); err != nil || !ok {
			return nil, fmt.Errorf("build cache: %w", errors.Join(err, ctx.Err()))
		}
	}
	return func() { l.Unlock() }, nil
}

// has reports whether a part is there.
func (c *cache) has(name, key string) bool {
	_, err := os.Stat(filepath.Join(c.dir, "parts", name+"-"+key))
	return err == nil
}

// part returns the directory of a part, which make fills when it is not there
// yet. What make leaves behind on an error is removed.
func (c *cache) part(ctx context.Context, name, key string, make func(ctx context.Context, dir string) error) (string, error) {
	dir := filepath.Join(c.dir, "parts", name+"-"+key)
	if c.has(name, key) {
		now := time.Now()
		if err := os.Chtimes(dir, now, now); err != nil {
			return "", err
		}
		c.log("%s: as built before", name)
		return dir, nil
	}
	start := time.Now()
	c.log("%s: building", name)
	tmp, err := os.MkdirTemp(filepath.Join(c.dir, "parts"), ".making-"+name+"-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	if err := os.Chmod(tmp, 0o755); err != nil {
		return "", err
	}
	if err := make(ctx, tmp); err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	if err := os.Rename(tmp, dir); err != nil {
		return "", err
	}
	c.log("%s: built in %s, %s", name, time.Since(start).Round(100*time.Millisecond), megabytes(treeSize(dir)))
	return dir, nil
}

// sweep removes what interrupted builds left and parts that nothing used for
// long. Call it with the lock held.
func (c *cache) sweep(now time.Time) error {
	entries, err := os.ReadDir(filepath.Join(c.dir, "parts"))
	if err != nil {
		return err
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return err
		}
		if strings.HasPrefix(e.Name(), ".making-") || now.Sub(info.ModTime()) > unusedFor {
			if err := os.RemoveAll(filepath.Join(c.dir, "parts", e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// treeSize is the size of all files below a directory.
func treeSize(dir string) (n int64) {
	filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil
	})
	return n
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
