package updater

import (
	"time"

	"piwork/app/problem"
)

// When something happens by itself.
const (
	startAfter = 30 * time.Second // the start of a program has better things to do
	startMore  = 90 * time.Second // jitter upon it
	daily      = 24 * time.Hour
	dailyMore  = 4 * time.Hour    // jitter: half before, half after
	startGap   = time.Hour        // a start so soon after a look is not looked at again
	closedWait = 15 * time.Minute // no network, or one that costs: look again whether it still is so
	busyWait   = 10 * time.Minute // tasks are at work
	retryAfter = 10 * time.Minute // after a failure, doubled with each
	retryMost  = 12 * time.Hour
	nap        = time.Hour // no timer runs longer: a computer that slept has missed some
)

// scheduler has the updater look and update by itself.
type scheduler struct {
	k    *Updater
	poke chan struct{} // the schedule looks again
}

// wall is the time on the wall, which goes on while the computer sleeps.
func (k *activity) wall() time.Time { return k.o.Now().Round(0) }

// Run has the updater look and update by itself until it is closed. It is called
// once.
func (k *Updater) Run() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return
	}
	first := k.wall().Add(startAfter + k.o.Jitter(startMore))
	k.work.Go(func() { k.schedule(first) })
}

func (t *scheduler) schedule(due time.Time) {
	if m := t.k.remembered(); m.Wish == nil && due.Before(m.Checked.Add(startGap)) && !m.Checked.After(t.k.wall()) {
		due = m.Checked.Add(startGap)
	}
	for {
		if due.After(t.k.wall().Add(2 * daily)) { // the clock was ahead when this was set
			due = t.k.wall()
		}
		wait := due.Sub(t.k.wall())
		if wait > nap {
			wait = nap
		}
		timer := time.NewTimer(max(wait, 0))
		select {
		case <-t.k.base.Done():
			timer.Stop()
			return
		case <-t.poke:
			timer.Stop()
			due = t.k.wall() // settings changed, or a download made room
			if !t.byItself() {
				due = due.Add(daily)
			}
		case <-timer.C:
			if t.k.wall().Before(due) {
				continue
			}
		}
		if t.k.base.Err() != nil {
			return
		}
		if !due.After(t.k.wall()) {
			due = t.tick()
		}
	}
}

// wake has the schedule look again.
func (t *scheduler) wake() {
	select {
	case t.poke <- struct{}{}:
	default:
	}
}

// byItself reports whether anything may be done without being asked for.
func (t *scheduler) byItself() bool { return t.k.o.Settings().Auto }

// tick does what is due and returns when to come again.
func (t *scheduler) tick() time.Time {
	now := t.k.wall()
	t.tidy()
	m := t.k.remembered()
	if !t.byItself() {
		return now.Add(daily) // SetSettings pokes
	}
	if now.Before(m.NotBefore) && m.NotBefore.Before(now.Add(2*daily)) {
		return m.NotBefore
	}
	switch n := t.k.o.Network(t.k.base); {
	case n.Offline, n.Metered:
		t.k.o.Log.Debug("no look for updates by itself", "offline", n.Offline, "metered", n.Metered)
		return now.Add(closedWait)
	}
	w := wish{}
	if m.Wish != nil {
		w = *m.Wish
	}
	if p, err := t.k.o.Runtime.Pointer(); err == nil && p.Candidate != "" && !w.Asked && t.k.o.Busy() {
		return now.Add(busyWait) // it is not tried now, so why look for another
	}
	j, err := t.k.launch(w)
	if err != nil { // packs are held, or it ends
		return now.Add(busyWait)
	}
	select {
	case <-j.done:
	case <-t.k.base.Done():
		<-j.done
	}
	return t.next()
}

// tidy removes what was still in use when it became superfluous.
func (t *scheduler) tidy() {
	give, err := t.k.takeTurn(t.k.base)
	if err != nil {
		return
	}
	defer give()
	t.k.collect(t.k.base)
}

// next says when to come again after an update that ran by itself.
func (t *scheduler) next() time.Time {
	now := t.k.wall()
	s := t.k.State()
	var after time.Duration
	failures := 0
	switch m := t.k.remembered(); {
	case s.Phase == PhaseAvailable: // waits until no task runs
		after = busyWait
	case s.Phase == PhasePaused:
		return now.Add(busyWait)
	case s.Phase == PhaseOffline, s.Phase == PhaseFailed && !lasting(s.Problem):
		failures = m.Failures + 1
		after = min(retryAfter<<min(failures-1, 10), retryMost)
		after += t.k.o.Jitter(after / 2)
	default:
		after = daily - dailyMore/2 + t.k.o.Jitter(dailyMore)
	}
	due := now.Add(after)
	t.k.remember(func(m *memory) { m.NotBefore, m.Failures = due, failures })
	return due
}

// lasting reports failures that the same attempt will meet again: they are left
// until the next daily look.
func lasting(p *problem.Problem) bool {
	if p == nil {
		return false
	}
	switch p.Code {
	case problem.CodeVersionFailed, problem.CodeUpdateNotBooting, problem.CodePackTooNew, problem.CodeUpdateInvalid, problem.CodeDownloadInvalid:
		return true
	}
	return false
}

// SettingsChanged looks at the settings again.
func (k *Updater) SettingsChanged() State {
	k.remember(func(m *memory) { m.NotBefore, m.Failures = time.Time{}, 0 })
	if !k.running() {
		k.rest(nil)
	}
	k.wake()
	return k.State()
}
