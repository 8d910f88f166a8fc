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
	Bytes int64
}

// Expire chooses journals to be removed: those whose task ended more than keep
// ago, and then the oldest until the others take at most limit bytes together
// (0 is no limit). What ended within the last day is never chosen for its size.
func Expire(list []Stored, now time.Time, keep time.Duration, limit int64) []string {
	total := int64(0)
	for _, s := range list {
		total += s.Bytes
	}
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b Stored) int { return cmp.Or(a.Ended.Compare(b.Ended), cmp.Compare(a.ID, b.ID)) })
	var out []string
	for _, s := range sorted {
		age := now.Sub(s.Ended)
		if s.Ended.IsZero() || age <= keep && (limit == 0 || total <= limit || age < 24*time.Hour) {
			continue
		}
		out = append(out, s.ID)
		total -= s.Bytes
	}
	return out
}
