//go:build desktop

package desktop

import (
	"fmt"
	"os"

	"github.com/wailsapp/wails/v2/pkg/runtime"

	"piwork/app/problem"
	"piwork/app/words"
)

// seen is the page that can be seen, or cannot.
func (w *window) seen(is bool) {
	if !is {
		w.blank()
		return
	}
	if err := w.draw.drawn(); err != nil {
		w.log.Warn("window: remember what helped", "error", err)
	}
	w.log.Debug("window: the page is drawn")
}

// blank is a page that is not there: the window is opened once more, and drawn in another
// way, unless that was tried. Then the person is told where else piwork is. Tasks go on.
func (w *window) blank() {
	if w.left.Load() || !w.gone.CompareAndSwap(false, true) {
		return
	}
	again, err := w.draw.blank()
	if err != nil {
		w.log.Warn("window: the page is gone", "error", err)
	}
	if again {
		w.log.Warn("window: the page is gone; the window is opened once more, and drawn in another way")
		w.anew.Store(true)
		w.leaveNow()
		return
	}
	go w.tellBlank() // the dialog is open until it is answered
}

// tellBlank says where else piwork is: by a dialog of the system, and in the terminal.
func (w *window) tellBlank() {
	p := problem.New(problem.CodeWindowBlank)
	words.ForTerminal(os.Getenv, words.SystemLanguages()).Problem(p)
	fmt.Fprintf(os.Stderr, "piwork: %s. %s\n", p.Title, p.Detail)
	if _, err := runtime.MessageDialog(w.ctx, runtime.MessageDialogOptions{Type: runtime.WarningDialog, Title: p.Title, Message: p.Title + ".\n\n" + p.Detail}); err != nil {
		w.log.Warn("window: say that the page is blank", "error", err)
	}
}
