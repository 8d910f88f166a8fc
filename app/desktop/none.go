//go:build !desktop

package desktop

// Available says that this build has a window.
const Available = false

// Main opens the window and returns the exit code when it is closed. This build
// has none.
func Main(Options) int { return 1 }
