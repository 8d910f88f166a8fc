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

// Rest skips a test which is one more instance of a promise, unless every row is
// played. stays names the test which holds the same promise in an ordinary run.
func Rest(t testing.TB, stays string) {
	t.Helper()
	if !All {
		t.Skipf("only ./scripts/test all plays it; %s stays", stays)
	}
}
