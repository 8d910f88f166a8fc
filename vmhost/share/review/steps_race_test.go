//go:build race

package review

// With the race detector a process takes four times as long; ./scripts/test unit
// goes through all steps without it once more.
const stride = 5
