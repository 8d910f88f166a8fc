package upkeep

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"

	"piwork/app/problem"
	"piwork/app/registry"
	"piwork/app/relocate"
	"piwork/vmhost/share/journal"
)

// Why a move is refused, besides the codes of package
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

// MoverOptions say what is moved, and who has to stand still meanwhile.
type MoverOptions struct {
	Config, Data, Cache string   // directories that are in use
	FixedBy             string   // environment variable that says where the data is: it cannot be moved
	Own                 []string // other directories of piwork
	KeepCache           []string // as in Request
	Skip                func(cache bool, rel string) bool
	IsJournal           func(rel string) bool                        // of directories in Data
	Shared              func() ([]string, error)                     // folders that tasks saw
	Free                func(context.Context, string) (int64, error) // bytes
	Registry            *registry.Registry
	// HoldPacks has nothing change the installed packs until release.
	HoldPacks func(ctx context.Context, why error) (release func(), err error)
	// Arrive takes the new place for this controller.
	Arrive func(ctx context.Context, data string) (release func() error, err error)
	Log    *slog.Logger
}

// Mover moves the data of a controller that goes on working meanwhile, and is of no
// more use afterwards. It is safe for concurrent use.
type Mover struct {
	o     MoverOptions
	done  atomic.Int64  // bytes
	moved chan struct{} // closed when the data is elsewhere

	mu      sync.Mutex
	state   StorageMove
	cancel  context.CancelCauseFunc
	over    chan struct{} // closed when the move that runs is over
	arrived func() error  // gives the new place back
}

// NewMover makes a Mover.
func NewMover(o MoverOptions) *Mover {
	return &Mover{o: o, state: StorageMove{Phase: MoveNone}, moved: make(chan struct{})}
}

// Close gives the new place back, where there is one.
func (m *Mover) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.arrived == nil {
		return nil
	}
	return m.arrived()
}

// Moved is closed when the data of piwork was moved to another place: this
// controller is to be closed and opened anew.
func (m *Mover) Moved() <-chan struct{} { return m.moved }

func moving(cause string) *problem.Problem {
	return problem.New(problem.CodeMoving).By(cause)
}

// moveRefused is a refusal that no other folder changes.
func moveRefused(cause string) *problem.Problem {
	p := problem.New(problem.CodeMoveRefused)
	p.Cause, p.Fix = cause, []problem.Fix{}
	return p
}

// StorageMove says how a move stands.
func (m *Mover) StorageMove(context.Context) (StorageMove, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.moveState(), nil
}

// moveState is the state of the move; c.mu is held.
func (m *Mover) moveState() StorageMove {
	s := m.state
	s.From, s.FixedBy = m.o.Data, m.o.FixedBy
	if s.Phase == MoveCopying {
		s.Done = min(m.done.Load(), s.Bytes)
	}
	return s
}

// MoveStorage moves the data.
func (m *Mover) MoveStorage(ctx context.Context, r MoveRequest) (StorageMove, error) {
	plan, out, err := m.planMove(ctx, r.Dir)
	if err != nil {
		return out, problem.From(err)
	}
	if r.DryRun {
		out.Phase = MovePlanned
		return out, nil
	}
	out.Phase = MoveCopying
	thaw, err := m.o.Registry.Freeze(moving(movingNow))
	if err != nil {
		return out, moveBusyProblem(err)
	}
	base, cancel := context.WithCancelCause(m.o.Registry.Base())
	m.mu.Lock()
	m.state, m.cancel, m.over = out, cancel, make(chan struct{})
	m.done.Store(0)
	over := m.over
	m.mu.Unlock()
	m.o.Registry.Go(func() { m.runMove(base, cancel, plan, over, thaw) })
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
func (m *Mover) planMove(ctx context.Context, dir string) (relocate.Plan, StorageMove, error) {
	m.mu.Lock()
	out := m.moveState()
	m.mu.Unlock()
	err := moveBusyProblem(m.o.Registry.CanFreeze())
	out.Phase, out.Problem = MoveNone, nil
	if m.o.FixedBy != "" {
		err = moveRefused(moveFixed).With("name", m.o.FixedBy)
	}
	if err != nil {
		return relocate.Plan{}, out, err
	}
	shared, err := m.o.Shared()
	if err != nil {
		return relocate.Plan{}, out, err
	}
	plan, err := relocate.Look(ctx, relocate.Request{
		Dir: dir, Config: m.o.Config, Data: m.o.Data, Cache: m.o.Cache, Own: m.o.Own,
		Shared: shared, Skip: m.o.Skip, KeepCache: m.o.KeepCache, Free: m.o.Free,
	})
	out.To, out.Bytes, out.Files, out.NeedBytes, out.FreeBytes, out.Done = plan.To, plan.Bytes, plan.Files, plan.Need, plan.Free, 0
	return plan, out, err
}

// runMove moves, while nothing else changes the data.
func (m *Mover) runMove(ctx context.Context, cancel context.CancelCauseFunc, plan relocate.Plan, over chan struct{}, thaw func(*problem.Problem)) {
	defer cancel(nil)
	var fresh func() error
	release, err := m.o.HoldPacks(ctx, moving(movingNow))
	if err == nil {
		err = plan.Run(ctx, relocate.Options{
			Copy: func(ctx context.Context, rel, from, to string, told func(int64)) (bool, error) {
				if !m.o.IsJournal(rel) {
					return false, nil
				}
				err := journal.Copy(ctx, from, to, told)
				if errors.Is(err, journal.ErrUnfinished) {
					p := problem.New(problem.CodeMoveRefused).By("unfinished").With("task", filepath.Base(filepath.Dir(from))).Because(err)
					p.Fix = problem.Fixes(problem.FixAbandonUndo)
					err = p
				}
				return true, err
			},
			Told: func(n int64) { m.done.Store(n) },
			Arrived: func(data string) (err error) {
				// Who comes by the new place finds this controller until it is closed.
				fresh, err = m.o.Arrive(ctx, data)
				return err
			},
		})
	}
	if err != nil && fresh != nil {
		err = errors.Join(err, fresh())
	}
	if err == nil {
		thaw(moving(movedAway))
	} else {
		thaw(nil)
	}
	m.mu.Lock()
	m.state.Done = m.done.Load()
	switch {
	case err == nil:
		m.state.Phase, m.state.Done, m.arrived = MoveDone, m.state.Bytes, fresh
		close(m.moved)
	case errors.Is(err, errMoveCancelled) || errors.Is(err, registry.ErrClosing):
		m.state.Phase = MoveCancelled
	default:
		m.state.Phase, m.state.Problem = MoveFailed, problem.From(err)
	}
	m.mu.Unlock()
	if err != nil {
		m.o.Log.Warn("the data was not moved", "to", plan.To, "error", err)
	}
	close(over)
	if release != nil {
		if err == nil {
			<-m.o.Registry.Base().Done() // nothing may change the old place any more
		}
		release()
	}
}

// CancelMove ends a move and waits for its end.
func (m *Mover) CancelMove(ctx context.Context) (StorageMove, error) {
	m.mu.Lock()
	over, cancel := m.over, m.cancel
	copying := m.state.Phase == MoveCopying
	m.mu.Unlock()
	if copying {
		cancel(errMoveCancelled)
		select {
		case <-over:
		case <-ctx.Done():
			return StorageMove{}, problem.From(context.Cause(ctx))
		}
	}
	return m.StorageMove(ctx)
}
