//go:build desktop && !linux

package desktop

// watchDisplay has nothing to watch here: what shows windows outlives the session's
// programs.
func watchDisplay(func()) {}
