// Package drive finds out that a drive does not answer: a network drive whose server is away
// (NFS that is mounted hard, sshfs, gvfs), or a file system whose program hangs. Calls for it
// do not fail, they never return, and nothing can end them.
//
// How long a call takes says little: copying a file of 50 GB is one call, and a person who is
// asked may think for an hour. So the drive is asked something small (statfs) that goes to its
// server each time. A drive that leaves this open for [Silence] is silent; one that answers
// is not, whatever it does for others. A drive is asked one question at a time, however many
// wait for it, and each open question is one thread until it is answered.
//
// What waits for a silent drive is left behind by [Wait] and [Await], and goes on when the
// drive answers again: whoever starts it decides what it may still do then.
package drive

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shirou/gopsutil/v4/disk"
)

// SilentError says that the drive of a folder does not answer.
type SilentError struct{ Dir string }

func (e *SilentError) Error() string { return fmt.Sprintf("the drive of %s does not answer", e.Dir) }

// hastened divides the times of a watch.
var hastened atomic.Int64

// Hasten has all times divided by n, until it is called again: for tests.
func Hasten(n int64) { hastened.Store(n) }

func usually(d time.Duration) time.Duration { return d / time.Duration(max(hastened.Load(), 1)) }

// LookEvery is how often is looked.
func LookEvery() time.Duration { return usually(10 * time.Second) }

// Silence is how old an open question of a silent drive is. A NAS that wakes up needs some 15 s;
// a stick that has one program for all calls answers none while it writes what was kept for it.
func Silence() time.Duration { return usually(2 * time.Minute) }

// Farewell is the same where the end of a task waits.
func Farewell() time.Duration { return usually(10 * time.Second) }

// ask asks a drive; tests replace it.
var ask = func(dir string) { _, _ = disk.UsageWithContext(context.Background(), dir) }

// question is one that is open.
type question struct {
	since, seen time.Time
}

var (
	mu   sync.Mutex
	open = map[string]question{} // by the folder
)

// Waits returns for how long the drive of a folder has left a question open, and asks it when
// none is. It does not wait.
func Waits(dir string) time.Duration {
	mu.Lock()
	defer mu.Unlock()
	now := time.Now()
	q, is := open[dir]
	if !is {
		q.since = now
		ask := ask // a test may replace it meanwhile
		go func() {
			ask(dir)
			mu.Lock()
			defer mu.Unlock()
			delete(open, dir)
		}()
	} else if q.waited() < Silence() && now.Sub(q.seen) > 3*LookEvery() {
		q.since = now // nobody looked, or the computer slept: how long it took to answer is not known
	}
	q.seen = now
	open[dir] = q
	return q.waited()
}

func (q question) waited() time.Duration { return q.seen.Sub(q.since) }

// Silent reports whether the drive of a folder is known not to answer.
func Silent(dir string) bool {
	mu.Lock()
	defer mu.Unlock()
	return open[dir].waited() >= Silence()
}

// Wait waits until done is closed, no longer than until ctx ends, or until the drive of one of
// the folders has left a question open for as long as patience, which is a *SilentError. What
// ends in a moment does so in any case.
func Wait(ctx context.Context, done <-chan struct{}, patience time.Duration, dirs ...string) error {
	if soon(done) {
		return nil
	}
	look := time.NewTicker(min(LookEvery(), patience/2+1))
	defer look.Stop()
	for {
		for _, dir := range dirs {
			if Waits(dir) >= patience {
				return &SilentError{dir}
			}
		}
		select {
		case <-done:
			return nil
		case <-ctx.Done():
			if soon(done) {
				return nil
			}
			return context.Cause(ctx)
		case <-look.C:
		}
	}
}

// soon reports whether done is closed in a moment.
func soon(done <-chan struct{}) bool {
	t := time.NewTimer(Farewell() / 5)
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-t.C:
		return false
	}
}

// Await returns what use returns, which needs the drive of a folder. When that is silent it is
// a *SilentError, and the cause of ctx when that ends first; drop, which may be nil, gets what use
// returns later without an error.
func Await[T any](ctx context.Context, dir string, use func() (T, error), drop func(T)) (T, error) {
	return AwaitAll(ctx, []string{dir}, use, drop)
}

// AwaitAll is Await for what needs the drives of several folders.
func AwaitAll[T any](ctx context.Context, dirs []string, use func() (T, error), drop func(T)) (T, error) {
	var out, none T
	if i := slices.IndexFunc(dirs, Silent); i >= 0 {
		return none, &SilentError{dirs[i]}
	}
	var failed error
	done := make(chan struct{})
	go func() {
		defer close(done)
		out, failed = use()
	}()
	err := Wait(ctx, done, Silence(), dirs...)
	if err == nil {
		return out, failed
	}
	go func() {
		if <-done; failed == nil && drop != nil {
			drop(out)
		}
	}()
	return none, err
}

// Check is Await for what returns an error only.
func Check(ctx context.Context, dir string, use func() error) error {
	_, err := Await(ctx, dir, func() (struct{}, error) { return struct{}{}, use() }, nil)
	return err
}

// Stat is os.Stat by way of [Await]. That a folder is silent is said of all that is in it at once.
func Stat(ctx context.Context, path string) (fs.FileInfo, error) {
	return AwaitAll(ctx, []string{filepath.Dir(path), path}, func() (fs.FileInfo, error) { return os.Stat(path) }, nil)
}
