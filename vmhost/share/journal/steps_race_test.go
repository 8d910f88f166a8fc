//go:build !long && race

package journal

// With the race detector a process takes four times as long; ./scripts/test unit
// goes through the steps without it once more.
const stride = 60

// crashPlaces are the file systems of the journal: here another than that of the folder.
var crashPlaces = []string{"other"}
