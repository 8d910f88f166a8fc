//go:build desktop

package desktop

/*
#cgo webkit2_41 pkg-config: gtk+-3.0 webkit2gtk-4.1
#cgo !webkit2_41 pkg-config: gtk+-3.0 webkit2gtk-4.0
#include "page_linux.h"
*/
import "C"

import (
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

// envRenderer set to 1 has WebKitGTK draw without DMA-BUF, which leaves pages blank with some
// drivers of NVIDIA, above all on Wayland (https://bugs.webkit.org/show_bug.cgi?id=262607).
const envRenderer = "WEBKIT_DISABLE_DMABUF_RENDERER"

// otherRenderer chooses the other way to draw for the programs that are started from here on.
// It reports false when it was chosen before.
func otherRenderer() bool {
	if os.Getenv(envRenderer) != "" {
		return false
	}
	return os.Setenv(envRenderer, "1") == nil
}

// mayStayBlank reports whether this computer may be one on which pages stay blank.
func mayStayBlank() bool {
	_, err := os.Stat("/proc/driver/nvidia")
	return err == nil || os.Getenv("WAYLAND_DISPLAY") != ""
}
