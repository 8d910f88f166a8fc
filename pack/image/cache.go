package image

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// What is kept: the parts used last, of each name, and none that no build used
// for long; packages a while longer, because the mirror may not have them again.
const (
	keepOfEach    = 4
	unusedFor     = 30 * 24 * time.Hour
	debsUnusedFor = 90 * 24 * time.Hour
)

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
		if ctx.Err() != nil {
			err = ctx.Err() // whatever broke then broke because of it
		}
		return "", fmt.Errorf("%s: %w", name, err)
	}
	if err := syncTree(tmp); err != nil {
		return "", err
	}
	if err := os.Rename(tmp, dir); err != nil {
		return "", err
	}
	c.log("%s: built in %s, %s", name, time.Since(start).Round(100*time.Millisecond), megabytes(treeSize(dir)))
	return dir, nil
}

// sweep removes what interrupted builds left and what is not kept any more.
// Call it with the lock held.
func (c *cache) sweep(now time.Time) error {
	parts, err := byAge(filepath.Join(c.dir, "parts"))
	if err != nil {
		return err
	}
	seen := map[string]int{}
	for _, p := range parts {
		name, _, _ := strings.Cut(p.Name(), "-")
		seen[name]++
		if strings.HasPrefix(name, ".") || seen[name] > keepOfEach || now.Sub(p.ModTime()) > unusedFor {
			if err := os.RemoveAll(filepath.Join(c.dir, "parts", p.Name())); err != nil {
				return err
			}
		}
	}
	debs, err := byAge(filepath.Join(c.dir, "debs"))
	if err != nil {
		return err
	}
	for _, d := range debs {
		if now.Sub(d.ModTime()) > debsUnusedFor {
			if err := os.RemoveAll(filepath.Join(c.dir, "debs", d.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// byAge lists a directory, what was used last first. A missing one is empty.
func byAge(dir string) ([]fs.FileInfo, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var infos []fs.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		infos = append(infos, info)
	}
	slices.SortStableFunc(infos, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	return infos, nil
}

// syncTree writes files to the disk, so that a part which is there after a
// power cut is whole.
func syncTree(dir string) error {
	return filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		f, err := os.OpenFile(file, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}

// treeSize is the size of all files below a directory, as far as it can be
// read: it is for people.
func treeSize(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
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
