//go:build !long

package journal

// everyStep: crash at every single step, or at the first of each kind and every
// sixth. `go test -tags long` takes a minute for all of them.
const everyStep = false
