//go:build long

package journal

const stride = 1

// crashPlaces are the file systems of the journal: that of the folder, or another.
var crashPlaces = []string{"same", "other"}

func everyKind(string, bool) bool { return true }
