package notice

import (
	"fmt"

	"git.sr.ht/~jackmordaunt/go-toast/v2/wintoast"
)

// System shows toasts. Windows opens the link of one that is clicked.
func System() Shower { return toasts{} }

type toasts struct{}

// Show implements Shower. toast.Notification.Push would fall back on a script of PowerShell,
// which evaluates what stands in a title.
func (toasts) Show(m Message, _ func()) error {
	xml, err := toastXML(m)
	if err == nil {
		err = wintoast.Push("piwork", xml)
	}
	if err != nil {
		return fmt.Errorf("show a message: %w", err)
	}
	return nil
}

// Close implements Shower.
func (toasts) Close() {}
