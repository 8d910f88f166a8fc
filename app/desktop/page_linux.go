//go:build desktop

package desktop

/*
#cgo webkit2_41 pkg-config: gtk+-3.0 webkit2gtk-4.1
#cgo !webkit2_41 pkg-config: gtk+-3.0 webkit2gtk-4.0
#include <webkit2/webkit2.h>
#include "page_linux.h"
*/
import "C"

import (
	"fmt"
	"os"
	"sync/atomic"
)

// onPageDied is what keepPage was given.
var onPageDied atomic.Pointer[func()]

// keepPage has the web view show nothing but this program's pages: a file or a link that is
// dropped on it would replace them, which is what WebKitGTK does with it otherwise. died
// is called when the engine's process for the page is gone: the window is blank from then
// on. It is called once the window is there.
func keepPage(died func()) {
	onPageDied.Store(&died)
	C.piwork_keep_page()
}

//export piworkPageDied
func piworkPageDied() {
	if died := onPageDied.Load(); died != nil {
		(*died)()
	}
}

// onPageSeen is what lookAtPage was given.
var onPageSeen atomic.Pointer[func(bool)]

// lookAtPage has seen called with whether the page is on the screen, now or within a few
// seconds. A window that is not shown counts as seen.
func lookAtPage(seen func(bool)) {
	onPageSeen.Store(&seen)
	C.piwork_look_at_page()
}

//export piworkPageSeen
func piworkPageSeen(is C.int) {
	if seen := onPageSeen.Load(); seen != nil {
		(*seen)(is != 0)
	}
}

// engineVersion is the version of the web view.
func engineVersion() string {
	return fmt.Sprintf("%d.%d.%d", C.webkit_get_major_version(), C.webkit_get_minor_version(), C.webkit_get_micro_version())
}

// mayStayBlank reports whether this computer may be one on which pages stay blank.
func mayStayBlank() bool {
	_, err := os.Stat("/proc/driver/nvidia")
	return err == nil || os.Getenv("WAYLAND_DISPLAY") != ""
}
