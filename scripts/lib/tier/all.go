//go:build long

package tier

// All reports whether this is a run of every row.
const All = true
