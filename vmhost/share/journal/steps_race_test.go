//go:build !long && race

package journal

// stride is larger than without the race detector: with it a process takes four times
// as long, and what the detector looks for is not in the steps.
const stride = 240

// crashPlaces are the file systems of the journal: here another than that of the folder.
var crashPlaces = []string{"other"}

func everyKind(string, bool) bool { return false }
