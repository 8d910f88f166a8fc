//go:build !long && !race

package journal

// stride: crash at the first step of each kind and at every stride-th of all, or
// with 0 at the first of each kind only. All take minutes: `go test -tags long`.
const stride = 6
