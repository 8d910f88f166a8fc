package app

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"piwork/app/machines"
	"piwork/app/registry"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/gofrs/flock"

	"piwork/app/problem"
	"piwork/app/relocate"
	"piwork/vmhost/share/journal"
)

// Why a move is refused, besides the codes of package relocate.
const (
	moveFixed = "fixed" // the environment says where the data is
	moveBusy  = "busy"  // a task is at work, or its changes are being looked at
)

// Causes of problem.CodeMoving.
const (
	movingNow = "moving"
	movedAway = "moved" // this controller is of no more use
)

var errMoveCancelled = errors.New("the move was cancelled")

// moveJob is a move of the data. Its fields are guarded by Controller.mu.
type moveJob struct {
	state  StorageMove
	done   *atomic.Int64 // bytes
	cancel context.CancelCauseFunc
	over   chan struct{} // closed when the move that runs is over
	moved  chan struct{} // closed when the data is elsewhere
	lock   *lock         // of the new place
}

func newMoveJob() moveJob {
	return moveJob{state: StorageMove{Phase: MoveNone}, done: new(atomic.Int64), moved: make(chan struct{})}
}

func (m *moveJob) release() error {
	if m.lock == nil {
		return nil
	}
	return m.lock.release()
}

// Moved is closed when the data of piwork was moved to another place: this
// controller is to be closed and opened anew.
func (c *Controller) Moved() <-chan struct{} { return c.move.moved }

func moving(cause string) *problem.Problem {
	p := problem.New(problem.CodeMoving)
	p.Cause = cause
	return p
}

// moveRefused is a refusal that no other folder changes.
func moveRefused(cause string) *problem.Problem {
	p := problem.New(problem.CodeMoveRefused)
	p.Cause, p.Fix = cause, []problem.Fix{}
	return p
}

// settleMove ends what a move left, when the directories are those that the
// program is to use.
func (c *Controller) settleMove(ctx context.Context) {
	if c.o.fixedBy != "" {
		return // another controller may be at it
	}
	if err := relocate.Settle(c.o.ConfigDir, inUse); err != nil {
		c.log.Warn("what a move of the data left could not be removed", "error", err)
	}
}

// inUse reports whether a controller has a directory of data.
func inUse(dir string) bool {
	file := filepath.Join(dir, lockFile)
	if _, err := os.Lstat(file); err != nil {
		return false
	}
	f := flock.New(file)
	ok, err := f.TryLock()
	if !ok || err != nil {
		return true
	}
	return f.Close() != nil
}

// StorageMove says how a move stands; see Service.
func (c *Controller) StorageMove(context.Context) (StorageMove, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.moveState(), nil
}

// moveState is the state of the move; c.mu is held.
func (c *Controller) moveState() StorageMove {
	s := c.move.state
	s.From, s.FixedBy = c.o.DataDir, c.o.fixedBy
	if s.Phase == MoveCopying {
		s.Done = min(c.move.done.Load(), s.Bytes)
	}
	return s
}

// MoveStorage moves the data; see Service.
func (c *Controller) MoveStorage(ctx context.Context, r MoveRequest) (StorageMove, error) {
	plan, out, err := c.planMove(ctx, r.Dir)
	if err != nil {
		return out, problem.From(err)
	}
	if r.DryRun {
		out.Phase = MovePlanned
		return out, nil
	}
	out.Phase = MoveCopying
	thaw, err := c.registry.Freeze(moving(movingNow))
	if err != nil {
		return out, moveBusyProblem(err)
	}
	base, cancel := context.WithCancelCause(c.registry.Base())
	c.mu.Lock()
	c.move.state, c.move.cancel, c.move.over = out, cancel, make(chan struct{})
	c.move.done.Store(0)
	over := c.move.over
	c.mu.Unlock()
	c.registry.Go(func() { c.runMove(base, cancel, plan, over, thaw) })
	return out, nil
}

// moveBusyProblem says why no move can begin now.
func moveBusyProblem(err error) error {
	if errors.Is(err, registry.ErrInUse) {
		return moveRefused(moveBusy)
	}
	return err
}

// planMove looks at what a move would be, and refuses it as early as it can.
func (c *Controller) planMove(ctx context.Context, dir string) (relocate.Plan, StorageMove, error) {
	c.mu.Lock()
	out := c.moveState()
	c.mu.Unlock()
	err := moveBusyProblem(c.registry.CanFreeze())
	out.Phase, out.Problem = MoveNone, nil
	if c.o.fixedBy != "" {
		err = moveRefused(moveFixed).With("name", c.o.fixedBy)
	}
	if err != nil {
		return relocate.Plan{}, out, err
	}
	shared, err := c.sharedFolders()
	if err != nil {
		return relocate.Plan{}, out, err
	}
	plan, err := relocate.Look(ctx, relocate.Request{
		Dir: dir, Config: c.o.ConfigDir, Data: c.o.DataDir, Cache: c.o.CacheDir, Own: []string{c.runs.Base, c.o.PackDir},
		Shared: shared, Skip: notMoved, KeepCache: []string{samplesDir},
		Free: func(ctx context.Context, dir string) (int64, error) {
			mib, err := c.s.diskFree(ctx, dir)
			return int64(mib) << 20, err
		},
	})
	out.To, out.Bytes, out.Files, out.NeedBytes, out.FreeBytes, out.Done = plan.To, plan.Bytes, plan.Files, plan.Need, plan.Free, 0
	return plan, out, err
}

// sharedFolders are those that tasks saw.
func (c *Controller) sharedFolders() ([]string, error) {
	tasks, _, err := c.store.List()
	var out []string
	for _, t := range tasks {
		for _, f := range t.Folders {
			if !slices.Contains(out, f.Path) {
				out = append(out, f.Path)
			}
		}
	}
	return out, err
}

// notMoved says what is not copied: what is made again, belongs to this process,
// or is a person's.
func notMoved(cache bool, rel string) bool {
	if cache {
		return rel == machines.TemplatesDir || rel == samplesDir || rel == machines.ShareTest || strings.HasPrefix(rel, "bundle-")
	}
	switch rel {
	case lockFile, holderFile, "controller.sock", uploadsDir:
		return true
	}
	dir, name := path.Split(rel)
	if path.Dir(path.Clean(dir)) == machineDir { // of a task's machine
		return !machines.IsLog(name)
	}
	return path.Base(rel) == path.Base(journalOf)+".gone" && isJournal(strings.TrimSuffix(rel, ".gone"))
}

// journalOf is where the journal of a task is, in the directory of data.
const journalOf = tasksDir + "/*/journal"

func isJournal(rel string) bool {
	ok, _ := path.Match(journalOf, rel)
	return ok
}

// runMove moves, while nothing else changes the data.
func (c *Controller) runMove(ctx context.Context, cancel context.CancelCauseFunc, plan relocate.Plan, over chan struct{}, thaw func(*problem.Problem)) {
	defer cancel(nil)
	var fresh *lock
	release, err := c.Manager.Hold(ctx, moving(movingNow))
	if err == nil {
		err = plan.Run(ctx, relocate.Options{
			Copy: func(ctx context.Context, rel, from, to string, told func(int64)) (bool, error) {
				if !isJournal(rel) {
					return false, nil
				}
				return true, journal.Copy(ctx, from, to, told)
			},
			Told: func(n int64) { c.move.done.Store(n) },
			Arrived: func(data string) (err error) {
				// Who comes by the new place finds this controller until it is closed.
				if fresh, err = acquire(ctx, data); err == nil {
					err = fresh.announce(holder{PID: os.Getpid(), Socket: c.socket, Version: c.o.Version, Since: c.now().UTC()})
				}
				return err
			},
		})
	}
	if err != nil && fresh != nil {
		err = errors.Join(err, fresh.release())
	}
	if err == nil {
		thaw(moving(movedAway))
	} else {
		thaw(nil)
	}
	c.mu.Lock()
	c.move.state.Done = c.move.done.Load()
	switch {
	case err == nil:
		c.move.state.Phase, c.move.state.Done, c.move.lock = MoveDone, c.move.state.Bytes, fresh
		close(c.move.moved)
	case errors.Is(err, errMoveCancelled) || errors.Is(err, errClosing):
		c.move.state.Phase = MoveCancelled
	default:
		c.move.state.Phase, c.move.state.Problem = MoveFailed, problem.From(err)
	}
	c.mu.Unlock()
	if err != nil {
		c.log.Warn("the data was not moved", "to", plan.To, "error", err)
	}
	close(over)
	if release != nil {
		if err == nil {
			<-c.registry.Base().Done() // nothing may change the old place any more
		}
		release()
	}
}

// CancelMove ends a move and waits for its end; see Service.
func (c *Controller) CancelMove(ctx context.Context) (StorageMove, error) {
	c.mu.Lock()
	over, cancel := c.move.over, c.move.cancel
	copying := c.move.state.Phase == MoveCopying
	c.mu.Unlock()
	if copying {
		cancel(errMoveCancelled)
		select {
		case <-over:
		case <-ctx.Done():
			return StorageMove{}, problem.From(context.Cause(ctx))
		}
	}
	return c.StorageMove(ctx)
}

// FinishMove removes the place that a move has left, when no controller uses it.
// It does nothing while one has the new place: that does it by itself.
func FinishMove(ctx context.Context, o Options) error {
	o = o.WithDefaults()
	if err := errors.Join(o.placeErr, o.place.Check()); err != nil || o.place.Data == "" {
		return err
	}
	l, err := acquire(ctx, o.DataDir)
	var locked *LockedError
	if errors.As(err, &locked) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(relocate.Settle(o.ConfigDir, inUse), l.release())
}
