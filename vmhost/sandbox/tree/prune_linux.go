package tree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"piwork/pack/durable"
)

// usedPrefix is before the digest in the name of the file that says when a tree was used
// last. The tree's own times are a part of its sum.
const usedPrefix = "used-"

// prefixes of what belongs to a tree and stands beside it. The last to be removed is what says
// when that was used.
var prefixes = []string{agentPrefix, sumPrefix, usedPrefix}

// Used notes that a tree and its agent are used from now on. It comes before the first look at
// them: whoever removes what is unused has done so then, or sees it.
func Used(ctx context.Context, dir, digest string, now time.Time) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(dir, lockName))
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		return fmt.Errorf("note that the runtime is used: %w", err)
	}
	defer lock.Close()
	return touch(dir, digest, now)
}

// touch notes when a tree is used.
func touch(dir, digest string, now time.Time) error {
	name := filepath.Join(dir, usedPrefix+digest)
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		err = errors.Join(f.Close(), os.Chtimes(name, now, now))
	}
	if err != nil {
		return fmt.Errorf("note that the runtime is used: %w", err)
	}
	return nil
}

// Prune removes what was used last before a time, but for that of one digest. Nobody may be
// at work in it: what is used is noted when the work begins.
func Prune(ctx context.Context, dir, but string, before time.Time) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	lock := flock.New(filepath.Join(dir, lockName))
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		return fmt.Errorf("remove unused runtimes: %w", err)
	}
	defer lock.Close()
	unused, err := Unused(dir, but, before)
	errs := []error{err}
	for _, path := range unused {
		watched.forget(path)
		errs = append(errs, durable.RemoveAll(path))
	}
	return errors.Join(errs...)
}

// Unused are the paths of what Prune removes.
func Unused(dir, but string, before time.Time) (paths []string, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	errs := []error{err}
	for _, e := range entries {
		digest := e.Name()
		for _, p := range prefixes {
			digest = strings.TrimPrefix(digest, p)
		}
		if digest == but || !digestName().MatchString(digest) {
			continue
		}
		used, err := os.Stat(filepath.Join(dir, usedPrefix+digest))
		if errors.Is(err, fs.ErrNotExist) { // of an earlier version of this program
			used, err = e.Info()
		}
		if err == nil && used.ModTime().Before(before) {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
		if !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return paths, errors.Join(errs...)
}
