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

// wall is the time on the wall, which goes on while the computer sleeps.
func (k *Updater) wall() time.Time { return k.o.Now().Round(0) }

// Run has the keeper look and update by itself until it is closed. It is called
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

func (k *Updater) schedule(due time.Time) {
	if m := k.remembered(); m.Wish == nil && due.Before(m.Checked.Add(startGap)) {
		due = m.Checked.Add(startGap)
	}
	for {
		wait := due.Sub(k.wall())
		if wait > nap {
			wait = nap
		}
		timer := time.NewTimer(max(wait, 0))
		select {
		case <-k.base.Done():
			timer.Stop()
			return
		case <-k.poke:
			timer.Stop()
			due = k.wall() // settings changed, or a download made room
			if !k.byItself() {
				due = due.Add(daily)
			}
		case <-timer.C:
			if k.wall().Before(due) {
				continue
			}
		}
		if k.base.Err() != nil {
			return
		}
		if !due.After(k.wall()) {
			due = k.tick()
		}
	}
}

// byItself reports whether anything may be done without being asked for.
func (k *Updater) byItself() bool { return k.o.Settings().Auto }

// tick does what is due and returns when to come again.
func (k *Updater) tick() time.Time {
	now := k.wall()
	k.tidy()
	m := k.remembered()
	if !k.byItself() {
		return now.Add(daily) // SetSettings pokes
	}
	if now.Before(m.NotBefore) && m.NotBefore.Before(now.Add(2*daily)) {
		return m.NotBefore
	}
	switch n := k.o.Network(k.base); {
	case n.Offline, n.Metered:
		k.o.Log.Debug("no look for updates by itself", "offline", n.Offline, "metered", n.Metered)
		return now.Add(closedWait)
	}
	w := wish{}
	if m.Wish != nil {
		w = *m.Wish
	}
	if p, err := k.o.Runtime.Pointer(); err == nil && p.Candidate != "" && !w.Asked && k.o.Busy() {
		return now.Add(busyWait) // it is not tried now, so why look for another
	}
	j, err := k.launch(w)
	if err != nil {
		return now.Add(daily)
	}
	select {
	case <-j.done:
	case <-k.base.Done():
		<-j.done
	}
	return k.next()
}

// tidy removes what was still in use when it became superfluous.
func (k *Updater) tidy() {
	give, err := k.takeTurn(k.base)
	if err != nil {
		return
	}
	defer give()
	k.collect(k.base)
}

// next says when to come again after an update that ran by itself.
func (k *Updater) next() time.Time {
	now := k.wall()
	s := k.State()
	var after time.Duration
	failures := 0
	switch m := k.remembered(); {
	case s.Phase == PhaseAvailable: // waits until no task runs
		after = busyWait
	case s.Phase == PhasePaused:
		return now.Add(busyWait)
	case s.Phase == PhaseOffline, s.Phase == PhaseFailed && !lasting(s.Problem):
		failures = m.Failures + 1
		after = min(retryAfter<<min(failures-1, 10), retryMost)
		after += k.o.Jitter(after / 2)
	default:
		after = daily - dailyMore/2 + k.o.Jitter(dailyMore)
	}
	due := now.Add(after)
	k.remember(func(m *memory) { m.NotBefore, m.Failures = due, failures })
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
