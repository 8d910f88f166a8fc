//go:build !long && !race

package journal

// stride: crash at the first step of each kind and at every stride-th of all. All of
// them take minutes: `go test -tags long`.
const stride = 12

// crashPlaces are the file systems of the journal: that of the folder, or another.
var crashPlaces = []string{"same", "other"}
