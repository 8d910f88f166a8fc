// Package tier tells a test how much of a table it plays. An ordinary run plays at
// least one row for every promise; `./scripts/test all` compiles with the build tag
// long and plays every row.
package tier

import "testing"

// Pick is every for ./scripts/test all, raced with the race detector, which is about
// four times as slow, and some otherwise.
func Pick[T any](some, raced, every T) T {
	switch {
	case All:
		return every
	case Race:
		return raced
	}
	return some
}

// Rest skips a test that an ordinary run does without. stays names the test which holds
// the same promise there, "" none: that is for what no promise to a person depends on.
func Rest(t testing.TB, stays string) {
	t.Helper()
	if All {
		return
	}
	if stays != "" {
		stays = "; an ordinary run has " + stays
	}
	t.Skip("./scripts/test all plays it" + stays)
}
