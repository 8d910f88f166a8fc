// Package tier tells a test how much of a table it plays. An ordinary run plays at
// least one row for every promise; `./scripts/test all` compiles with the build tag
// long and plays every row.
package tier

import (
	"flag"
	"testing"
)

// Pick returns every in ./scripts/test all, raced with the race detector (it is about four
// times as slow), and some in an ordinary run.
func Pick[T any](some, raced, every T) T {
	switch {
	case All:
		return every
	case Race:
		return raced
	}
	return some
}

// Rest skips the test unless ./scripts/test all runs it. stays names the test that holds the
// same promise in an ordinary run; "" means that no promise to a person depends on it.
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

// Unraced skips a test that the race detector makes several times as slow and shows nothing: few
// goroutines meet in it, or its work is in other programs, in cryptography, in pictures. In an
// ordinary run unit_tests of scripts/lib/tiers.sh plays it without, by this line in it; with the
// race detector ./scripts/test all does.
func Unraced(t testing.TB) {
	t.Helper()
	if Race && !All {
		t.Skip("played without the race detector")
	}
}

// Flag sets a flag of the test program until the test ends.
func Flag(t testing.TB, name, value string) {
	t.Helper()
	f := flag.Lookup(name).Value
	before := f.String()
	t.Cleanup(func() { _ = f.Set(before) })
	if err := f.Set(value); err != nil {
		t.Fatal(err)
	}
}

// Checks is how many cases pgregory.net/rapid tries in ./scripts/test all, where the 100 of
// an ordinary run meet too few.
func Checks(t testing.TB, n string) {
	if All {
		Flag(t, "rapid.checks", n)
	}
}
