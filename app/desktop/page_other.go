//go:build desktop && !linux

package desktop

// keepPage does nothing: here Wails has dropped files leave the page as it is.
func keepPage(func()) {}

func lookAtPage(seen func(bool)) { seen(true) } // the engine's word counts
func engineVersion() string      { return "" }  // there is no other way to draw
func mayStayBlank() bool         { return false }
