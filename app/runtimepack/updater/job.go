package updater

import (
	"context"
	"errors"

	"piwork/app/problem"
)

func (k *activity) running() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.job != nil
}

// launch runs an update in the background. One that runs already does what a
// person asks for, too: a download goes on with it at once, what takes moments is
// finished before.
func (k *Updater) launch(w wish) (*job, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return nil, problem.New(problem.CodeShuttingDown)
	}
	if k.held != nil {
		return nil, k.held
	}
	if k.job != nil {
		k.widen(k.job, w)
		return k.job, nil
	}
	if old := k.memory.clone().Wish; old != nil && !w.Local { // a paused one goes on
		w = old.with(w)
	}
	if k.look != nil { // the job looks, too
		k.look(errYield)
	}
	j := &job{wish: w, done: make(chan struct{})}
	ctx := k.attempt(j)
	k.state.Phase, k.state.Problem = PhaseChecking, nil
	k.job = j
	k.note(func(m *memory) { m.Wish = &w })
	k.work.Go(func() {
		defer close(j.done)
		for again := true; again; {
			again = k.runJob(ctx, j.wish)
			ctx, again = k.again(j, again)
		}
	})
	return j, nil
}

// widen has a job do what a person asks for, unless it does so already. k.mu is
// held.
func (k *activity) widen(j *job, w wish) {
	now := j.wish
	if j.more != nil {
		now = *j.more
	}
	if !w.Asked || now.covers(w) && !j.paused {
		return
	}
	now = now.with(w)
	j.more, j.paused = &now, false
	if !j.hard {
		j.cancel(errYield)
	}
	k.note(func(m *memory) { m.Wish = &now })
	switch k.state.Phase {
	case PhaseDownloading, PhaseInstalling, PhaseTrying:
	default: // perhaps that of an end which is none any more
		k.state.Phase, k.state.Problem = PhaseChecking, nil
		k.news.tell(k.state)
	}
}

// more is what the job does next, nil for nothing. k.mu is held.
func (k *activity) more() *wish {
	if k.job == nil {
		return nil
	}
	return k.job.more
}

// unless is the phase of an end, unless the job goes on with what was asked for
// meanwhile. k.mu is held.
func (k *activity) unless(end Phase) Phase {
	if k.more() != nil {
		return PhaseChecking
	}
	return end
}

// attempt gives a job a context. k.mu is held.
func (k *activity) attempt(j *job) context.Context {
	ctx, cancel := context.WithCancelCause(k.base)
	j.cancel, j.hard = cancel, false
	return ctx
}

// again waits until those that a job made room for are done, and begins its next
// attempt. The job ends when there is none, when those changed what it was for,
// and when it is paused meanwhile.
func (k *activity) again(j *job, yielded bool) (context.Context, bool) {
	for {
		k.mu.Lock()
		j.cancel(nil)
		if j.more != nil {
			k.note(func(m *memory) { m.Wish = j.more })
			j.more, yielded = nil, true
		}
		m := k.memory.clone()
		if !yielded || j.paused || m.Wish == nil || k.base.Err() != nil {
			k.job = nil
			k.mu.Unlock()
			if yielded { // it ended without a word
				k.rest(nil)
			}
			return nil, false
		}
		j.wish = *m.Wish
		ctx := k.attempt(j) // so that a pause is heard meanwhile, too
		quiet, visitors := k.quiet, k.visitors
		k.mu.Unlock()
		if visitors == 0 {
			return ctx, true
		}
		select {
		case <-quiet:
		case <-ctx.Done():
		}
	}
}

// harden has a job go on to its end, unless it is to stop already.
func (k *activity) harden(ctx context.Context) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if k.job != nil {
		k.job.hard = true
	}
	return nil
}

// soften takes harden back: what is left may take long.
func (k *activity) soften() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if j := k.job; j != nil {
		j.hard = false
		if k.visitors > 0 || j.more != nil { // they did not interrupt it
			j.cancel(errYield)
		}
	}
}

// runJob does an update and notes how it ended. It reports whether it only made
// room and is to go on.
func (k *Updater) runJob(ctx context.Context, w wish) (yielded bool) {
	give, err := k.takeTurn(ctx)
	if err == nil {
		defer give()
		err = k.update(ctx, w)
	}
	switch cause := context.Cause(ctx); {
	case err == nil:
		k.remember(func(m *memory) { m.Wish, m.Problem = k.more(), nil })
		k.rest(nil)
	case errors.Is(cause, errYield): // its phase stays: it goes on at once, or soon
		return true
	case cause != nil: // paused, or ending: the wish stays
		k.rest(nil)
	case errors.Is(err, errLater):
		k.enter(PhaseAvailable)
	default:
		k.fails(err)
	}
	return false
}

// fails notes what went wrong, for people and for the next start. An update that
// could not reach the channel, or lost it, is still wanted.
func (k *activity) fails(err error) {
	p := problem.From(off(err))
	phase, wanted := PhaseFailed, false
	switch p.Code {
	case problem.CodeUpdateOffline:
		phase, wanted = PhaseOffline, true
	case problem.CodeDownloadFailed, problem.CodeDiskFull:
		wanted = true
	case problem.CodeUpdateOff:
		phase = ""
	}
	k.o.Log.Info("an update did not work", "error", err)
	k.remember(func(m *memory) {
		m.Phase, m.Problem = phase, p
		if !wanted {
			m.Wish = k.more()
		}
	})
	k.rest(p)
	if phase != "" { // rather than that it is paused
		k.set(func(s *State) { s.Phase = k.unless(phase) })
	}
}

// off says for people that no channel is known.
func off(err error) error {
	if errors.Is(err, ErrOff) {
		return problem.New(problem.CodeUpdateOff)
	}
	return err
}

// TryCandidate tries a version that waits for its first boot, in the background:
// what was missing on this computer is there now.
func (k *Updater) TryCandidate() {
	p, err := k.o.Runtime.Pointer()
	if err != nil || p.Candidate == "" || k.running() {
		return
	}
	if w := k.remembered().Wish; w != nil && !w.Local {
		return
	}
	if _, err := k.launch(wish{Local: true}); err != nil {
		k.o.Log.Debug("the candidate is not tried", "error", err)
	}
}
