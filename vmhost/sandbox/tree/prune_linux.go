package tree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"piwork/pack/durable"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Used notes that a tree and its agent are used now.
func Used(dir, digest string, now time.Time) error {
	for _, name := range []string{digest, agentPrefix + digest} {
		if err := os.Chtimes(filepath.Join(dir, name), now, now); err != nil {
			return fmt.Errorf("note that the runtime is used: %w", err)
		}
	}
	return nil
}

// Prune removes what was used last before a time, but for that of one digest. Nobody may be
// at work in it: what is used is noted when the work begins.
func Prune(ctx context.Context, dir, but string, before time.Time) error {
	lock := flock.New(filepath.Join(dir, lockName))
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		return fmt.Errorf("remove unused runtimes: %w", err)
	}
	defer lock.Close()
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		digest := strings.TrimPrefix(e.Name(), agentPrefix)
		if digest == but || !digestName().MatchString(digest) {
			continue
		}
		info, err := e.Info()
		if err == nil && info.ModTime().Before(before) {
			err = durable.RemoveAll(filepath.Join(dir, e.Name()))
		}
		if !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
