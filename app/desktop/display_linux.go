//go:build desktop

package desktop

/*
#cgo pkg-config: gtk+-3.0 x11 wayland-client
#include "display_linux.h"
*/
import "C"

import "sync/atomic"

// onDisplayLost is what watchDisplay was given.
var onDisplayLost atomic.Pointer[func()]

// watchDisplay has lost called when the X server or the Wayland compositor is gone: at
// a log-out that is often the first thing to go. GTK ends the process as soon as lost
// returns; there is no going on without a display (XSetIOErrorHandler(3); GDK 3 calls
// _exit). It is called once the window is there. lost may be called on several threads,
// more than once, and touches no window.
func watchDisplay(lost func()) {
	onDisplayLost.Store(&lost)
	C.piwork_watch_display()
}

//export piworkDisplayLost
func piworkDisplayLost() {
	if lost := onDisplayLost.Load(); lost != nil {
		(*lost)()
	}
}
