//go:build desktop && !linux

package desktop

// keepPage does nothing: here Wails has dropped files leave the page as it is.
func keepPage(func()) {}

func otherRenderer() bool { return false }
func mayStayBlank() bool  { return false }
