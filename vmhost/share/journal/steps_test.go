//go:build !long && !race

package journal

// stride: crash at the first step of each kind and at every stride-th of all. All of
// them take minutes: `go test -tags long`.
const stride = 6
