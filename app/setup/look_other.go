//go:build !linux && !darwin && !windows

package setup

// Look has nothing to look at here: only the proof boot tells.
func Look() Facts { return Facts{} }
