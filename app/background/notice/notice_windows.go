package notice

import (
	"fmt"

	"git.sr.ht/~jackmordaunt/go-toast/v2"
)

// System shows toasts. Windows opens the link of one that is clicked.
func System() Shower { return toasts{} }

type toasts struct{}

// Show implements Shower.
func (toasts) Show(m Message, _ func()) error {
	t := toast.Notification{AppID: "piwork", Title: Plain(m.Title), Body: Plain(m.Body), ActivationType: toast.Protocol, ActivationArguments: m.Link}
	if err := t.Push(); err != nil {
		return fmt.Errorf("show a message: %w", err)
	}
	return nil
}

// Close implements Shower.
func (toasts) Close() {}
