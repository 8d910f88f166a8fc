//go:build !race

package tier

// Race reports whether this is a run with the race detector.
const Race = false
