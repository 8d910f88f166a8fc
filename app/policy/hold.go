package policy

import (
	"slices"
	"time"
)

// Hold is for how long an exception holds. The person who accepts a proposal says it, never
// the proposal: it is written as a condition that the engine evaluates with each request, so
// that nothing has to happen when it is over: that the task is one (principal == Task::"…"), or
// that the time is between two (context.now >= datetime("…") && context.now < datetime("…")).
// A clock that is set back before the first time makes it hold less, not more; set back in
// between it holds at most until the second, and not at all once it was seen that it had ended
// ([Engine.Expire]).
type Hold string

// Holds, the most careful first.
const (
	HoldTask   Hold = "task" // in the task that was refused, and in no other
	HoldHour   Hold = "hour"
	HoldDay    Hold = "day"
	HoldWeek   Hold = "week"
	HoldAlways Hold = "always" // until it is taken back
)

// Holds are all of them, the most careful first.
func Holds() []Hold { return []Hold{HoldTask, HoldHour, HoldDay, HoldWeek, HoldAlways} }

var spans = map[Hold]time.Duration{HoldHour: time.Hour, HoldDay: 24 * time.Hour, HoldWeek: 7 * 24 * time.Hour}

// term is when an exception holds, besides for what.
type term struct {
	task         string    // only in this task
	since, until time.Time // only in between; zero is any time
}

// termOf is that of an exception which is accepted now; ok is false for no Hold.
func termOf(h Hold, task string, now time.Time) (t term, ok bool) {
	switch {
	case !slices.Contains(Holds(), h) || h == HoldTask && task == "":
		return t, false
	case h == HoldTask:
		t.task = task
	case h != HoldAlways:
		// It begins, too: a clock that is set back makes it end earlier, not later.
		t.since = now.UTC().Truncate(time.Second)
		t.until = t.since.Add(spans[h])
	}
	return t, true
}

// conditions are those that say the times.
func (t term) conditions() (out []string) {
	if !t.since.IsZero() {
		out = append(out, "context.now >= datetime("+quoted(t.since.Format(time.RFC3339))+")")
	}
	if !t.until.IsZero() {
		out = append(out, "context.now < datetime("+quoted(t.until.Format(time.RFC3339))+")")
	}
	return out
}
