//go:build !long && !race

package journal

// stride is how many steps lie between two that kill the program. Each of the twelve
// runs of TestCrash begins at another step, so that together they try every fifth.
// Every step of every run takes minutes: `go test -tags long`.
const stride = 60

// crashPlaces are the file systems of the journal: that of the folder, or another.
var crashPlaces = []string{"same", "other"}

// everyKind reports whether a run also tries the first step of each kind: SIGKILL on
// one file system, the power cut on the other.
func everyKind(where string, power bool) bool { return power == (where == "other") }
