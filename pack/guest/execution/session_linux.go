package execution

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"piwork/vmhost/wire"
)

// CreateSession makes a session: a directory, an environment and a cgroup for
// executions, and for what they leave running.
func (e *Engine) CreateSession(s wire.Session) (wire.Session, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.sessions[s.ID] != nil {
		return wire.Session{}, fmt.Errorf("%w: session %s", ErrExists, s.ID)
	}
	if len(e.sessions) >= maxSessions {
		return wire.Session{}, fmt.Errorf("%w: %d sessions", ErrBusy, len(e.sessions))
	}
	e.count++
	group, err := e.cfg.Group.Child("s"+strconv.Itoa(e.count), true, GroupLimits{})
	if err != nil {
		return wire.Session{}, err
	}
	s.Cwd = cmp.Or(s.Cwd, e.cfg.Cwd)
	s.Env = maps.Clone(s.Env)
	e.sessions[s.ID] = &session{Session: s, group: group, execs: map[*execution]struct{}{}}
	return s, nil
}

// Sessions returns the open sessions by id.
func (e *Engine) Sessions() wire.SessionList {
	e.mu.Lock()
	defer e.mu.Unlock()
	list := wire.SessionList{Sessions: []wire.Session{}}
	for _, s := range e.sessions {
		list.Sessions = append(list.Sessions, s.Session)
	}
	slices.SortFunc(list.Sessions, func(a, b wire.Session) int { return strings.Compare(a.ID, b.ID) })
	return list
}

// CloseSession ends every process started in a session, those left running by
// ended executions too, and returns after they are gone or ctx ended.
func (e *Engine) CloseSession(ctx context.Context, id string) error {
	e.mu.Lock()
	s := e.sessions[id]
	if s == nil {
		e.mu.Unlock()
		return fmt.Errorf("%w: session %s", ErrNotFound, id)
	}
	delete(e.sessions, id)
	running := slices.Collect(maps.Keys(s.execs))
	e.mu.Unlock()

	for _, x := range running {
		e.end(x)
	}
	for _, x := range running {
		if _, err := x.await(ctx); ctx.Err() != nil {
			return err
		}
	}
	return s.group.Remove(ctx)
}

// end cancels an execution, even one that is being started.
func (e *Engine) end(x *execution) {
	e.mu.Lock()
	x.stop = true
	process, cancel := x.process, x.cancel
	e.mu.Unlock()
	x.allowed.give(wire.MaxOutput) // its end waits for nobody who reads
	switch {
	case process != nil:
		process.End(wire.EndedCancelled)
	case cancel != nil:
		cancel()
	}
}

// Close ends everything, for the end of the guest, and waits until it is gone
// or ctx ended.
func (e *Engine) Close(ctx context.Context) {
	for _, s := range e.Sessions().Sessions {
		// What is left when ctx ends is ended with the machine.
		_ = e.CloseSession(ctx, s.ID)
	}
	e.mu.Lock()
	var running []*execution
	for _, x := range e.execs {
		select {
		case <-x.over:
		default:
			running = append(running, x)
		}
	}
	e.mu.Unlock()
	for _, x := range running {
		e.end(x)
	}
	for _, x := range running {
		if _, err := x.await(ctx); ctx.Err() != nil {
			_ = err // what is left ends with the machine
			return
		}
	}
}
