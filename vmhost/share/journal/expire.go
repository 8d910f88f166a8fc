package journal

import (
	"cmp"
	"slices"
	"time"
)

// Stored is a journal on disk, as [Expire] sees it.
type Stored struct {
	ID    string
	Ended time.Time // when its task did, or when it was first seen after that; zero while it runs: never dropped
}

// Expire chooses journals to be removed, the oldest first: those whose task ended
// more than keep ago. The room of one task's journal is asked about while the task
// runs ([Options.OnFull]).
func Expire(list []Stored, now time.Time, keep time.Duration) []string {
	var old []Stored
	for _, s := range list {
		if !s.Ended.IsZero() && now.Sub(s.Ended) > keep {
			old = append(old, s)
		}
	}
	slices.SortStableFunc(old, func(a, b Stored) int { return cmp.Or(a.Ended.Compare(b.Ended), cmp.Compare(a.ID, b.ID)) })
	var ids []string
	for _, s := range old {
		ids = append(ids, s.ID)
	}
	return ids
}
